//! The sizes of classes: a small histogram whose bins begin at k and double.

use maud::{Markup, html};

use super::Report;
use super::html::{bar, numbers, wide};
use super::labels::head_of_parts;
use super::words::{Words, fill};

/// The section on class sizes: how many classes have each size.
pub(super) fn section(report: &Report) -> Markup {
    let words = report.words;
    let sizes: Vec<(u64, u64)> = report.sums.sizes().collect();
    let rows: u64 = sizes.iter().map(|(size, classes)| size * classes).sum();
    assert_eq!(rows, report.sums.rows(), "each row is in a class");
    let cells = |bin: &Bin| {
        [
            words.count(bin.classes),
            words.count(bin.rows),
            words.share(bin.rows, rows),
        ]
    };
    let table = html! {
        table {
            (head_of_parts(words, words.size_column, [words.classes, words.rows, words.share]))
            tbody {
                @for bin in bins(report.manifest.k.max(1), &sizes) {
                    tr {
                        th scope="row" { (bin.range(words)) }
                        (numbers(cells(&bin)))
                        td class="graph" { (bar(bin.rows, rows)) }
                    }
                }
            }
        }
    };
    html! { section { h2 { (words.sizes) } (wide(words.sizes, table)) } }
}

/// Sizes from … to …, both included.
#[derive(Debug, PartialEq, Eq)]
struct Bin {
    from: u64,
    to: u64,
    classes: u64,
    rows: u64,
}

impl Bin {
    fn range(&self, words: &Words) -> Markup {
        let [from, to] = [self.from, self.to].map(|size| words.count(size));
        match self.to > self.from {
            true => fill(words.size_range, &[("from", &from), ("to", &to)]),
            false => html! { (from) },
        }
    }
}

/// From the first bin with a class to the last; sizes below k have a bin of their own.
fn bins(k: u64, sizes: &[(u64, u64)]) -> Vec<Bin> {
    assert!(sizes.is_sorted(), "sizes in their order");
    let largest = sizes.iter().map(|(size, _)| *size).max().unwrap_or(0);
    let mut bins = vec![Bin {
        from: 1,
        to: k - 1,
        classes: 0,
        rows: 0,
    }];
    let mut from = k;
    while from <= largest {
        bins.push(Bin {
            from,
            to: from.saturating_mul(2) - 1,
            classes: 0,
            rows: 0,
        });
        from = from.saturating_mul(2);
    }
    for &(size, classes) in sizes {
        let at = bins.partition_point(|bin| bin.to < size);
        bins[at].classes += classes;
        bins[at].rows += size * classes;
    }
    let first = bins
        .iter()
        .position(|bin| bin.classes > 0)
        .unwrap_or(bins.len());
    bins.split_off(first)
}

#[cfg(test)]
mod tests {
    use super::{Bin, bins};

    #[test]
    fn bins_double_from_k() {
        let bin = |from, to, classes, rows| Bin {
            from,
            to,
            classes,
            rows,
        };
        assert_eq!(
            bins(5, &[(5, 1), (9, 1), (40, 1)]),
            [
                bin(5, 9, 2, 14),
                bin(10, 19, 0, 0),
                bin(20, 39, 0, 0),
                bin(40, 79, 1, 40)
            ]
        );
        assert_eq!(
            bins(5, &[(4, 1), (5, 1)]),
            [bin(1, 4, 1, 4), bin(5, 9, 1, 5)]
        );
        assert_eq!(bins(1, &[(1, 1)]), [bin(1, 1, 1, 1)]);
        assert_eq!(bins(3, &[]), []);
    }
}
