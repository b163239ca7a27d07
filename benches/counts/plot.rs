//! True counts against estimates as an SVG: a panel per estimator, both axes logarithmic, a point
//! per query. Text and axes have the colour of the page, so that they can be read on light and dark
//! pages.

use std::fmt::Write as _;

/// The side of a panel, and the space before each.
const SIDE: f64 = 300.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 40.0;
/// Powers of ten on both axes.
const POWERS: (i32, i32) = (2, 5);

/// A panel: its title, its colour, and the rows and the estimate of each query.
pub type Panel<'p> = (&'p str, &'p str, &'p [(f64, f64)]);

/// The figure.
pub fn svg(caption: &str, panels: &[Panel<'_>]) -> String {
    let width = panels.len() as f64 * (LEFT + SIDE) + 28.0;
    let height = TOP + SIDE + 52.0;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         style=\"max-width:100%;height:auto\" role=\"img\" aria-label=\"{caption}\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"currentColor\">\n<title>{caption}</title>\n"
    );
    for (at, panel) in panels.iter().enumerate() {
        draw(&mut text, LEFT + at as f64 * (LEFT + SIDE), *panel);
    }
    text.push_str("</svg>\n");
    text
}

/// The position of a number of rows on an axis.
fn along(rows: f64) -> f64 {
    let (first, last) = POWERS;
    let far = (rows.max(1.0).log10() - f64::from(first)) / f64::from(last - first);
    SIDE * far.clamp(0.0, 1.0)
}

fn draw(text: &mut String, left: f64, (title, colour, points): Panel<'_>) {
    let bottom = TOP + SIDE;
    let middle = left + SIDE / 2.0;
    let _ = writeln!(
        text,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"14\">{title}</text>\n\
         <rect x=\"{left}\" y=\"{TOP}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"currentColor\"/>\n\
         <path d=\"M{left} {bottom}L{} {TOP}\" stroke=\"currentColor\" stroke-dasharray=\"4 3\"/>\n\
         <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">published rows of the query</text>",
        TOP - 14.0,
        left + SIDE,
        bottom + 40.0,
    );
    let (x, y) = (left - 48.0, TOP + SIDE / 2.0);
    let _ = writeln!(
        text,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\">estimate</text>"
    );
    for power in POWERS.0..=POWERS.1 {
        let (far, label) = (along(10f64.powi(power)), 10u64.pow(power as u32));
        let (x, y) = (left + far, bottom - far);
        let _ = writeln!(
            text,
            "<path d=\"M{x} {bottom}v5M{left} {y}h-5\" stroke=\"currentColor\"/>\n\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{label}</text>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>",
            bottom + 19.0,
            left - 8.0,
            y + 4.0,
        );
    }
    text.push_str("<path d=\"");
    for (rows, estimate) in points {
        let _ = write!(
            text,
            "M{:.1} {:.1}h0",
            left + along(*rows),
            bottom - along(*estimate)
        );
    }
    let _ = writeln!(
        text,
        "\" stroke=\"{colour}\" stroke-width=\"3\" stroke-linecap=\"round\" stroke-opacity=\".6\"/>"
    );
}
