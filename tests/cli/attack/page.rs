//! The page: well-formed, self-contained, limited in size, and clear about what is left out.

use std::fs;

use super::{Folder, feed};
use crate::common::well_formed;

/// The page of an attack.
fn page(folder: &Folder) -> String {
    folder.attack(&[("release", "r.csv"), ("html", "page.html")], &[]);
    let page = fs::read_to_string(folder.path("page.html")).expect("a page");
    well_formed(&page);
    for word in [
        "<script", "http:", "https:", "url(", "@import", "src=", "<link", "onload",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    page
}

fn rows(lines: &[(&str, usize)]) -> String {
    lines
        .iter()
        .map(|(line, rows)| format!("{line}\n").repeat(*rows))
        .collect()
}

#[test]
fn parts_are_drawn_by_what_is_known_of_them() {
    let folder = Folder::new();
    let edges: Vec<u64> = (0..=4).map(|edge| edge * 100).collect();
    folder.put(
        "feed.toml",
        &feed(&[edges.clone(), edges.clone(), edges], "k = 3"),
    );
    let classes = [
        ("[0, 100[;[0, 100[;[0, 100[", 3),
        ("[0, 200[;[0, 100[;[300, 400[", 4),
        ("*;*;*", 2),
    ];
    folder.put("r.csv", &("q0;q1;q2\n".to_owned() + &rows(&classes)));
    let page = page(&folder);
    assert!(page.contains("<title>Refinement attack on r.csv</title>"));
    // Outliers: two rows anywhere in eight boxes, in two drawings; the class: two rows in each of
    // two boxes.
    assert_eq!(page.matches("<figure>").count(), 3);
    assert!(
        page.contains("<p>q0 from top to bottom, q1 from left to right:</p>"),
        "{page}"
    );
    assert!(
        page.contains("<figcaption>q2 = [0, 200[</figcaption>"),
        "{page}"
    );
    assert!(
        page.contains("aria-label=\"[0, 100[: certainly 2 rows; [100, 200[: certainly 2 rows\""),
        "{page}"
    );
    assert!(page.contains("<p class=\"warning\">UNSAFE</p>"));
    assert!(
        page.contains("Of 1 other class the attacker learns nothing"),
        "{page}"
    );
    assert!(page.contains("certainly contains 2 rows, fewer than k = 3"));
}

#[test]
fn labels_stay_text() {
    let folder = Folder::new();
    let feed = feed(&[vec![0, 1, 2]], "k = 2");
    let (head, rest) = feed.split_once("taxonomy").expect("a taxonomy");
    let (_, rest) = rest.split_once('\n').expect("a line");
    folder.put(
        "feed.toml",
        &format!("{head}taxonomy = {{ file = \"tree.csv\" }}\n{rest}"),
    );
    folder.put(
        "tree.csv",
        "<script>;</title>;*\n\"\"\"><img src=x>\";</title>;*\n'&;</style>;*\nd;</style>;*\n",
    );
    folder.put(
        "r.csv",
        &("q0\n".to_owned() + &rows(&[("<script>", 2), ("</style>", 2), ("*", 1)])),
    );
    let page = page(&folder);
    assert!(
        page.contains("(q0 = &lt;script&gt;)") && page.contains("&lt;/style&gt;"),
        "{page}"
    );
}

#[test]
fn pages_are_bounded() {
    let folder = Folder::new();
    let edges: Vec<u64> = (0..=128).map(|edge| edge * 10).collect();
    folder.put("feed.toml", &feed(&[edges], "k = 2"));
    let class = |at: u64| format!("\"[{}, {}[\"\n", at * 20, at * 20 + 20).repeat(2);
    folder.put(
        "r.csv",
        &("q0\n".to_owned() + &(0..60).map(class).collect::<String>()),
    );
    let page = page(&folder);
    assert!(page.contains("The 50 worst of 60."));
    assert_eq!(page.matches("<h3>").count(), 50);
}

#[test]
fn a_flat_column_of_many_values_is_not_drawn() {
    let folder = Folder::new();
    let feed = feed(&[vec![0, 1, 2]], "k = 2");
    let labels: Vec<String> = (0..100).map(|at| format!("\"v{at}\"")).collect();
    let (head, rest) = feed.split_once("taxonomy").expect("a taxonomy");
    let (_, rest) = rest.split_once('\n').expect("a line");
    folder.put(
        "feed.toml",
        &format!(
            "{head}taxonomy = {{ flat = [{}] }}\n{rest}",
            labels.join(", ")
        ),
    );
    folder.put(
        "r.csv",
        &("q0\n".to_owned() + &rows(&[("v1", 2), ("*", 9)])),
    );
    assert!(page(&folder).contains("Too many parts to show: 99 with something free"));
}
