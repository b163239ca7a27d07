//! Line charts side by side as SVG: few distinguishable colours, axes with figures, a legend in
//! words.

use std::fmt::Write;

/// A line: its name and its points, from left to right.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// A chart: its heading, the titles of its axes, and its lines. The horizontal axis is logarithmic
/// if `log` is set.
pub struct Chart {
    pub title: String,
    pub axes: [&'static str; 2],
    pub log: bool,
    pub lines: Vec<Line>,
}

const COLOURS: [&str; 6] = [
    "#174f7c", "#d9731a", "#2e8b57", "#8b1a1a", "#6a5acd", "#555d66",
];
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 210.0;
/// Space on the left, on the right, above and below the lines.
const ROOM: [f64; 4] = [46.0, 10.0, 24.0, 34.0];
/// Height of a line of the legend.
const ENTRY: f64 = 14.0;

/// The charts in a row.
pub fn svg(caption: &str, charts: &[Chart]) -> String {
    let entries = charts
        .iter()
        .map(|chart| chart.lines.len())
        .max()
        .unwrap_or(0);
    let (width, height) = (
        WIDTH * charts.len() as f64,
        HEIGHT + ENTRY * entries as f64 + 6.0,
    );
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"10\">\n<title>{caption}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for (at, chart) in charts.iter().enumerate() {
        let _ = writeln!(text, "<g transform=\"translate({} 0)\">", WIDTH * at as f64);
        draw(&mut text, chart);
        text.push_str("</g>\n");
    }
    text.push_str("</svg>\n");
    text
}

fn draw(text: &mut String, chart: &Chart) {
    let [left, right, above, below] = ROOM;
    let points = || chart.lines.iter().flat_map(|line| &line.points);
    let at = |x: f64| if chart.log { x.max(1.0).ln() } else { x };
    let first = points()
        .map(|point| at(point.0))
        .fold(f64::INFINITY, f64::min);
    let last = points()
        .map(|point| at(point.0))
        .fold(f64::NEG_INFINITY, f64::max);
    let top = round_up(points().map(|point| point.1).fold(0.0, f64::max));
    let x = |value: f64| {
        left + (WIDTH - left - right) * (at(value) - first) / (last - first).max(f64::MIN_POSITIVE)
    };
    let y = |value: f64| HEIGHT - below - (HEIGHT - above - below) * value / top;
    let [across, up] = chart.axes;
    let _ = writeln!(
        text,
        "<text x=\"{left}\" y=\"14\" font-weight=\"bold\">{}</text>",
        chart.title
    );
    for step in 0..=4 {
        let value = top * f64::from(step) / 4.0;
        let _ = writeln!(
            text,
            "<line x1=\"{left}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#d0d7de\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{}</text>",
            WIDTH - right,
            left - 4.0,
            y(value) + 3.0,
            figure(value),
            y = y(value)
        );
    }
    let mut seen: Vec<f64> = Vec::new();
    for &(value, _) in points() {
        // A figure that would touch the previous one is left out.
        if seen.iter().all(|other| (x(*other) - x(value)).abs() > 22.0) {
            seen.push(value);
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x(value),
                HEIGHT - below + 12.0,
                figure(value)
            );
        }
    }
    let middle = (left + WIDTH - right) / 2.0;
    let _ = writeln!(
        text,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{across}</text>",
        HEIGHT - 8.0
    );
    let _ = writeln!(
        text,
        "<text transform=\"translate(10 {}) rotate(-90)\" text-anchor=\"middle\">{up}</text>",
        (above + HEIGHT - below) / 2.0
    );
    for (at, line) in chart.lines.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let path: Vec<String> = line
            .points
            .iter()
            .map(|&(across, up)| format!("{:.1},{:.1}", x(across), y(up)))
            .collect();
        let entry = HEIGHT + ENTRY * at as f64 + 8.0;
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\n\
             <line x1=\"{left}\" x2=\"{}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{entry:.1}\">{}</text>",
            path.join(" "),
            left + 18.0,
            entry - 3.0,
            entry - 3.0,
            left + 24.0,
            line.name
        );
    }
}

/// The next greater number of which a quarter is easy to read.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let unit = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 4.0, 8.0, 10.0]
        .map(|steps| steps * unit)
        .into_iter()
        .find(|&top| top >= value)
        .unwrap_or(10.0 * unit)
}

fn figure(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
