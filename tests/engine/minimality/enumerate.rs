//! The definition itself, slowly: every assignment of sensitive values to the generalised rows, one
//! by one.

/// For each way to choose this many sensitive rows, their number in each class.
pub fn sets(rows: &[u64], sensitive: u64) -> Vec<Vec<u64>> {
    let owner: Vec<usize> = rows
        .iter()
        .enumerate()
        .flat_map(|(class, &rows)| vec![class; rows as usize])
        .collect();
    let chosen =
        (0u32..1 << owner.len()).filter(|chosen| u64::from(chosen.count_ones()) == sensitive);
    let counted = |chosen: u32| {
        let mut counts = vec![0; rows.len()];
        (0..owner.len())
            .filter(|at| chosen >> at & 1 == 1)
            .for_each(|at| counts[owner[at]] += 1);
        counts
    };
    chosen.map(counted).collect()
}

/// For each order of the values over the rows, counts by class and value; orders that differ only
/// in rows of equal value are counted once.
pub fn orders(rows: &[u64], values: &[u64]) -> Vec<Vec<Vec<u64>>> {
    fn place(
        owner: &[usize],
        left: &mut Vec<u64>,
        counts: &mut Vec<Vec<u64>>,
        found: &mut Vec<Vec<Vec<u64>>>,
    ) {
        let Some((&class, owner)) = owner.split_first() else {
            return found.push(counts.clone());
        };
        for value in 0..left.len() {
            if left[value] > 0 {
                left[value] -= 1;
                counts[class][value] += 1;
                place(owner, left, counts, found);
                counts[class][value] -= 1;
                left[value] += 1;
            }
        }
    }
    let owner: Vec<usize> = rows
        .iter()
        .enumerate()
        .flat_map(|(class, &rows)| vec![class; rows as usize])
        .collect();
    let mut found = Vec::new();
    place(
        &owner,
        &mut values.to_vec(),
        &mut vec![vec![0; values.len()]; rows.len()],
        &mut found,
    );
    found
}
