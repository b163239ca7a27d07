//! Small plots of the figures of all releases of the chain.

use super::Report;
use super::html::{Page, Text, put};
use super::since::figures;
use super::words::fill;
use crate::release::past_release::PastRelease;

/// Size of a plot in its own units, and the room that its line keeps from the edges.
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 48.0;
const EDGE: f64 = 3.0;

/// The section; none for a first release.
pub fn write(page: &mut Page, report: &Report) {
    let (words, now) = (report.words, report.manifest.figures());
    let releases: Vec<&PastRelease> = report.around.earlier.iter().chain([&now]).collect();
    let [first, .., last] = &releases[..] else { return };
    let span: [(&str, &dyn std::fmt::Display); 2] = [("first", &first.release), ("last", &last.release)];
    put!(page, "<section>\n<h2>{}</h2>\n<p>{}</p>\n", words.trends, fill(words.trends_text, &span));
    put!(page, "<div class=\"trends\">\n");
    let texts = figures(words, first).into_iter().zip(figures(words, last));
    for (((name, from), (_, to)), value) in texts.zip(VALUES) {
        let points: Vec<(u32, f64)> =
            releases.iter().filter_map(|release| Some((release.release, value(release)?))).collect();
        // A figure that some releases have and others do not is plotted over those that have it.
        let ([_, _, ..], Some(from), Some(to)) = (&points[..], from, to) else { continue };
        let mut places = span.to_vec();
        places.extend([("name", &name as &dyn std::fmt::Display), ("from", &from), ("to", &to)]);
        let text = fill(words.trend, &places);
        put!(page, "<figure>\n<figcaption>{name}: {from} → {to}</figcaption>\n");
        put!(
            page,
            "<svg class=\"trend\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">\
            <polyline points=\"{}\"/></svg>\n</figure>\n",
            Text(&text),
            line(&points)
        );
    }
    put!(page, "</div>\n</section>\n");
}

/// The values of the figures, in the order of `figures`.
const VALUES: [fn(&PastRelease) -> Option<f64>; 5] = [
    |release| Some(release.rows as f64),
    |release| Some(release.classes as f64),
    |release| Some(release.smallest_class as f64),
    |release| Some(release.loss.get()),
    |release| release.refinement.map(crate::release::figure::Figure::get),
];

/// The points of a line: releases from left to right by their numbers, values from the bottom (0) to the top.
fn line(points: &[(u32, f64)]) -> String {
    assert!(points.is_sorted_by(|one, next| one.0 < next.0), "releases in their order");
    let (first, last) = (points[0].0, points[points.len() - 1].0);
    let most = points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let place = |&(release, value): &(u32, f64)| {
        let x = EDGE + (WIDTH - 2.0 * EDGE) * f64::from(release - first) / f64::from((last - first).max(1));
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
        assert_eq!(line(&[(3, 0.0), (4, 2.0), (7, 1.0)]), "3.0,45.0 51.5,3.0 197.0,24.0");
        assert_eq!(line(&[(1, 0.0), (2, 0.0)]), "3.0,45.0 197.0,45.0");
    }
}
