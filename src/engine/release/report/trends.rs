//! Small plots of the figures of all releases of the chain.

use maud::{Markup, Render, html};

use super::Report;
use super::changes::figures;
use super::words::fill;
use crate::past_release::PastRelease;

/// The size of a plot in its own units, and the margin around its line.
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 48.0;
const EDGE: f64 = 3.0;

/// The section; empty for a first release.
pub(super) fn section(report: &Report) -> Markup {
    let (words, now) = (report.words, report.manifest.figures());
    let releases: Vec<&PastRelease> = report.around.earlier.iter().chain([&now]).collect();
    let [first, .., last] = &releases[..] else {
        return Markup::default();
    };
    let (from, to) = (
        ("first", &first.release as &dyn Render),
        ("last", &last.release as &dyn Render),
    );
    let texts = figures(words, first).into_iter().zip(figures(words, last));
    // A figure that some releases lack is plotted over those that have it.
    let plots = texts
        .zip(VALUES)
        .filter_map(|(((name, begins), (_, ends)), value)| {
            let value = |release: &&PastRelease| Some((release.release, value(release)?));
            let points: Vec<(u32, f64)> = releases.iter().filter_map(value).collect();
            (points.len() > 1).then_some((name, begins?, ends?, points))
        });
    html! {
        section {
            h2 { (words.trends) }
            p { (fill(words.trends_text, &[from, to])) }
            div class="trends" {
                @for (name, begins, ends, points) in plots {
                    @let text = fill(words.trend, &[from, to, ("name", &name), ("from", &begins), ("to", &ends)]);
                    figure {
                        figcaption { (name) ": " (begins) " → " (ends) }
                        svg class="trend" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(text) {
                            polyline points=(line(&points)) {}
                        }
                    }
                }
            }
        }
    }
}

/// The values of the figures, in the order of `figures`.
const VALUES: [fn(&PastRelease) -> Option<f64>; 5] = [
    |release| Some(release.rows as f64),
    |release| Some(release.classes as f64),
    |release| Some(release.smallest_class as f64),
    |release| Some(release.loss.get()),
    |release| release.refinement.map(crate::figure::Figure::get),
];

/// The points of a line: releases from left to right by their numbers, values from the bottom (0)
/// to the top.
fn line(points: &[(u32, f64)]) -> String {
    assert!(
        points.is_sorted_by(|one, next| one.0 < next.0),
        "releases in their order"
    );
    let (first, last) = (points[0].0, points[points.len() - 1].0);
    let most = points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let place = |&(release, value): &(u32, f64)| {
        let x = EDGE
            + (WIDTH - 2.0 * EDGE) * f64::from(release - first) / f64::from((last - first).max(1));
        let share = if most > 0.0 { value / most } else { 0.0 };
        let y = HEIGHT - EDGE - (HEIGHT - 2.0 * EDGE) * share;
        format!("{x:.1},{y:.1}")
    };
    points.iter().map(place).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn lines_go_from_edge_to_edge() {
        assert_eq!(
            line(&[(3, 0.0), (4, 2.0), (7, 1.0)]),
            "3.0,45.0 51.5,3.0 197.0,24.0"
        );
        assert_eq!(line(&[(1, 0.0), (2, 0.0)]), "3.0,45.0 197.0,45.0");
    }
}
