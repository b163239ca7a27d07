//! How large the classes are: a small histogram whose bins begin at k and double.

use super::Report;
use super::html::{Bar, Page, WideSection, put};
use super::words::fill;

/// The section on class sizes: for each size how many classes have it.
pub fn write(page: &mut Page, report: &Report) {
    let words = report.words;
    let sizes: Vec<(u64, u64)> = report.sums.sizes().collect();
    let rows: u64 = sizes.iter().map(|(size, classes)| size * classes).sum();
    put!(page, "<section>\n<h2>{}</h2>\n{}<table>\n<thead><tr>", words.sizes, WideSection(words.sizes));
    put!(page, "<th scope=\"col\">{}</th>", words.size_column);
    for name in [words.classes, words.rows, words.share] {
        put!(page, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    put!(page, "<th scope=\"col\" class=\"graph\"><span class=\"unseen\">{}</span></th>", words.share_drawn);
    put!(page, "</tr></thead>\n<tbody>\n");
    for bin in bins(report.manifest.k.max(1), &sizes) {
        let [from, to] = [bin.from, bin.to].map(|size| words.count(size));
        let range = if bin.to > bin.from { fill(words.size_range, &[("from", &from), ("to", &to)]) } else { from };
        put!(page, "<tr><th scope=\"row\">{range}</th>");
        for cell in [words.count(bin.classes), words.count(bin.rows), words.share(bin.rows, rows)] {
            put!(page, "<td class=\"number\">{cell}</td>");
        }
        put!(page, "<td class=\"graph\">{}</td></tr>\n", Bar(bin.rows, rows));
    }
    put!(page, "</tbody>\n</table>\n</div>\n</section>\n");
}

/// Sizes from … to …, both included.
#[derive(Debug, PartialEq, Eq)]
struct Bin {
    from: u64,
    to: u64,
    classes: u64,
    rows: u64,
}

/// From the first bin with a class to the last; what lies below k has a bin of its own.
fn bins(k: u64, sizes: &[(u64, u64)]) -> Vec<Bin> {
    assert!(sizes.is_sorted(), "sizes in their order");
    let largest = sizes.iter().map(|(size, _)| *size).max().unwrap_or(0);
    let mut bins = vec![Bin { from: 1, to: k - 1, classes: 0, rows: 0 }];
    let mut from = k;
    while from <= largest {
        bins.push(Bin { from, to: from.saturating_mul(2) - 1, classes: 0, rows: 0 });
        from = from.saturating_mul(2);
    }
    for &(size, classes) in sizes {
        let at = bins.partition_point(|bin| bin.to < size);
        bins[at].classes += classes;
        bins[at].rows += size * classes;
    }
    let first = bins.iter().position(|bin| bin.classes > 0).unwrap_or(bins.len());
    bins.split_off(first)
}

#[cfg(test)]
mod tests {
    use super::{Bin, bins};

    #[test]
    fn bins_double_from_k() {
        let bin = |from, to, classes, rows| Bin { from, to, classes, rows };
        assert_eq!(
            bins(5, &[(5, 1), (9, 1), (40, 1)]),
            [bin(5, 9, 2, 14), bin(10, 19, 0, 0), bin(20, 39, 0, 0), bin(40, 79, 1, 40)]
        );
        assert_eq!(bins(5, &[(4, 1), (5, 1)]), [bin(1, 4, 1, 4), bin(5, 9, 1, 5)]);
        assert_eq!(bins(1, &[(1, 1)]), [bin(1, 1, 1, 1)]);
        assert_eq!(bins(3, &[]), []);
    }
}
