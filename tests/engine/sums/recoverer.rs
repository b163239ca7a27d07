//! A second computation of what readers can compute, slow and plain: every vertex of the polytope
//! of tables that agree with the published ones, by solving every square subsystem with fractions;
//! unbounded directions by the same for its cone.

/// A fraction in lowest terms, small enough for these tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Small(i128, i128);

impl Small {
    pub fn new(above: i128, below: i128) -> Small {
        let (mut a, mut b) = (above.abs(), below.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = if below < 0 { -1 } else { 1 };
        Small(sign * above / a, sign * below / a)
    }

    pub fn whole(number: i128) -> Small {
        Small(number, 1)
    }

    fn times(self, other: Small) -> Small {
        Small::new(self.0 * other.0, self.1 * other.1)
    }

    fn minus(self, other: Small) -> Small {
        Small::new(self.0 * other.1 - other.0 * self.1, self.1 * other.1)
    }

    fn over(self, other: Small) -> Small {
        Small::new(self.0 * other.1, self.1 * other.0)
    }

    pub fn is_below(self, other: Small) -> bool {
        self.0 * other.1 < other.0 * self.1
    }

    pub fn parts(self) -> (i128, i128) {
        (self.0, self.1)
    }
}

/// Equations `coefficients · unknowns = right`, dense.
pub type Equations = Vec<(Vec<i128>, i128)>;

/// The values of the unknowns in these columns when all others are 0; None unless there is exactly
/// one solution.
fn solve(equations: &Equations, columns: &[usize], unknowns: usize) -> Option<Vec<Small>> {
    let row = |(terms, right): &(Vec<i128>, i128)| -> Vec<Small> {
        columns
            .iter()
            .map(|&column| Small::whole(terms[column]))
            .chain([Small::whole(*right)])
            .collect()
    };
    let mut rows: Vec<Vec<Small>> = equations.iter().map(row).collect();
    let zero = Small::whole(0);
    for at in 0..columns.len() {
        let pivot = (at..rows.len()).find(|&row| rows[row][at] != zero)?;
        rows.swap(at, pivot);
        let by = rows[at][at];
        rows[at]
            .iter_mut()
            .for_each(|number| *number = number.over(by));
        let pivot = rows[at].clone();
        for (other, row) in rows
            .iter_mut()
            .enumerate()
            .filter(|(other, _)| *other != at)
        {
            let times = row[at];
            assert_ne!(other, at);
            row.iter_mut()
                .zip(&pivot)
                .for_each(|(number, by)| *number = number.minus(times.times(*by)));
        }
    }
    if rows[columns.len()..]
        .iter()
        .any(|row| row[columns.len()] != zero)
    {
        return None;
    }
    let mut solution = vec![zero; unknowns];
    columns
        .iter()
        .zip(&rows)
        .for_each(|(&column, row)| solution[column] = row[columns.len()]);
    Some(solution)
}

/// Every subset of this many columns.
fn subsets(columns: usize, size: usize) -> Vec<Vec<usize>> {
    (0u32..1 << columns)
        .filter(|subset| subset.count_ones() as usize == size)
        .map(|subset| {
            (0..columns)
                .filter(|column| subset & (1 << column) != 0)
                .collect()
        })
        .collect()
}

/// All vertices of `{x ≥ 0 : equations}`.
fn vertices(equations: &Equations, unknowns: usize) -> Vec<Vec<Small>> {
    let at_most = unknowns.min(equations.len());
    let all = (0..=at_most).flat_map(|size| subsets(unknowns, size));
    let of = all.filter_map(|columns| solve(equations, &columns, unknowns));
    of.filter(|solution| solution.iter().all(|number| number.parts().0 >= 0))
        .collect()
}

/// The smallest and the largest value of an unknown, None if nothing limits it; `Err` if no values
/// fit.
pub fn interval(
    equations: &Equations,
    unknown: usize,
    unknowns: usize,
) -> Result<(Small, Option<Small>), ()> {
    let corners = vertices(equations, unknowns);
    let of: Vec<Small> = corners.iter().map(|corner| corner[unknown]).collect();
    let low = of
        .iter()
        .copied()
        .reduce(|one, other| if other.is_below(one) { other } else { one })
        .ok_or(())?;
    let high = of
        .iter()
        .copied()
        .reduce(|one, other| if one.is_below(other) { other } else { one })
        .ok_or(())?;
    // A direction in which the unknown grows, as a vertex of the cone cut off at 1.
    let mut cone: Equations = equations
        .iter()
        .map(|(terms, _)| (terms.clone(), 0))
        .collect();
    let mut only = vec![0; unknowns];
    only[unknown] = 1;
    cone.push((only, 1));
    let grows = !vertices(&cone, unknowns).is_empty();
    Ok((low, (!grows).then_some(high)))
}

/// The rank of a matrix.
pub fn rank(rows: &[Vec<i128>]) -> usize {
    let mut rows: Vec<Vec<Small>> = rows
        .iter()
        .map(|row| row.iter().map(|&number| Small::whole(number)).collect())
        .collect();
    let (columns, mut rank) = (rows.first().map_or(0, Vec::len), 0);
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column] != Small::whole(0))
        else {
            continue;
        };
        rows.swap(rank, pivot);
        let pivot = rows[rank].clone();
        for row in rows.iter_mut().skip(rank + 1) {
            let times = row[column].over(pivot[column]);
            row.iter_mut()
                .zip(&pivot)
                .for_each(|(number, by)| *number = number.minus(times.times(*by)));
        }
        rank += 1;
    }
    rank
}
