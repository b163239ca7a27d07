//! The report: well-formed, self-contained, limited in size for any taxonomy, and without sensitive
//! values. The pages are left in the target folder for a person to look at.

use std::path::Path;

use tidegate::engine::model::forms::{self, TaxonomyTable};
use tidegate::engine::model::{Cut, Kind, Node, Taxonomy, Tree, Value};
use tidegate::engine::policy::Guarantee;
use tidegate::engine::release::{
    CheckLine, FileLine, Language, Manifest, Overview, PastRelease, Presentation, ReleaseFacts,
    Sha256, Surroundings, report,
};

use super::manifest::{checks, facts, policy, small, terms};
use super::table::{Table, declared, random_table};
use crate::common::random::{self, Draw};
use crate::common::well_formed;

fn page(table: &Table, guarantee: Guarantee, checks: &[CheckLine]) -> String {
    let policy = policy(guarantee);
    let manifest = Manifest::of(
        &facts(),
        &terms(table, &policy, checks),
        &Overview::of(&table.release),
        Vec::new(),
    );
    let bytes = report(
        &manifest,
        &table.columns,
        &Overview::of(&table.release),
        Surroundings::default(),
    );
    String::from_utf8(bytes).expect("text")
}

/// Leaves a page in the target folder.
fn keep(name: &str, page: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join(name).with_extension("html"), page).expect("a file");
}

fn tree(form: &str) -> Taxonomy {
    let table: TaxonomyTable = toml::from_str(form).expect("a form");
    forms::build(&table, &[]).expect("a taxonomy").domain.tree
}

/// All nodes at this depth, and leaves above it.
fn at_depth(tree: &Taxonomy, depth: u32) -> Cut {
    let mut open: Vec<(Node, u32)> = vec![(0, 0)];
    let mut nodes = Vec::new();
    while let Some((node, at)) = open.pop() {
        if at == depth || tree.is_leaf(node) {
            nodes.push(node)
        } else {
            open.extend(tree.children(node).map(|c| (c, at + 1)))
        }
    }
    Cut::completed(tree, &nodes).expect("nodes of one depth")
}

/// A hospital's columns, each cut at some depth.
fn hospital(rows: usize, depths: [u32; 6]) -> Table {
    let zips: Vec<String> = (0..100_000).map(|code| format!("\"{code:05}\"")).collect();
    let trees = [
        tree("bands = [5, 10, 20, 40]\nmin = 0\nmax = 119"),
        tree("builtin = \"sex\""),
        tree("builtin = \"icd10\""),
        tree(&format!(
            "prefix = [4, 3, 2, 1]\nlength = 5\ndomain = [{}]",
            zips.join(",")
        )),
        tree(
            "date = [\"month\", \"quarter\", \"year\", \"decade\"]\nfrom = \"2015-01-01\"\nto = \"2026-12-31\"",
        ),
        tree("flat = [\"north wing\", \"south wing\", \"day clinic\"]"),
    ];
    let cuts = trees
        .iter()
        .zip(depths)
        .map(|(tree, depth)| at_depth(tree, depth))
        .collect();
    let mut draw = Draw::new(5, 5);
    let row = |draw: &mut Draw| {
        let leaf = |tree: &Taxonomy, draw: &mut Draw| {
            let most = tree.leaves() as u64 - 1;
            let upper = draw.between(0, most);
            draw.between(0, upper) as u32
        };
        let leaves = trees.iter().map(|tree| leaf(tree, draw)).collect();
        (
            leaves,
            vec![Value::Text(format!("secret {}", draw.between(0, 9)).into())],
        )
    };
    let raw = (0..rows).map(|_| row(&mut draw)).collect();
    Table::of(declared(trees.to_vec(), &[Kind::String]), cuts, raw)
}

#[test]
fn hospital_reports_are_bounded() {
    for (name, depths, most) in [
        ("coarse", [2, 1, 1, 1, 2, 1], 60_000),
        ("fine", [9, 9, 9, 9, 9, 9], 400_000),
        ("mixed", [1, 1, 2, 3, 3, 0], 200_000),
    ] {
        let table = hospital(20_000, depths);
        let page = page(&table, Guarantee::Blind, &checks());
        keep(name, &page);
        assert!(page.len() < most, "{name}: {} bytes", page.len());
        assert!(!page.contains("secret"));
    }
}

#[test]
fn pages_are_self_contained() {
    let page = page(&small(), Guarantee::Bcf, &checks());
    keep("small", &page);
    for word in [
        "<script", "http:", "https:", "url(", "@import", "src=", "<link", "onload",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(
        page.starts_with("<!DOCTYPE html><html lang=\"en\">")
            && page.contains("<title>admissions, release 3</title>")
    );
    assert!(
        page.contains("Never combine releases by adding or subtracting them; the newest replaces all earlier ones.")
    );
    assert!(page.contains("any &lt;age&gt;") && !page.contains("<age>"));
    for value in ["Flu", "HIV"] {
        assert!(!page.contains(value));
    }
    assert!(page.contains("<b>not made</b>") && page.contains("passed; the figure is private"));
}

/// A page with these facts around the release.
fn page_with(table: &Table, said: &ReleaseFacts<'_>, files: &[FileLine]) -> String {
    let (policy, checks) = (policy(Guarantee::Blind), checks());
    let manifest = Manifest::of(
        said,
        &terms(table, &policy, &checks),
        &Overview::of(&table.release),
        Vec::new(),
    );
    let Presentation {
        language, earlier, ..
    } = said.presentation;
    let around = Surroundings {
        language,
        earlier,
        files,
        kept: 2,
    };
    String::from_utf8(report(
        &manifest,
        &table.columns,
        &Overview::of(&table.release),
        around,
    ))
    .expect("text")
}

fn earlier(release: u32, rows: u64, loss: f64) -> PastRelease {
    let loss = tidegate::engine::release::Figure::real(loss).expect("finite");
    PastRelease {
        release,
        rows,
        classes: 1,
        smallest_class: 2,
        loss,
        refinement: None,
    }
}

/// Changes since the previous release, the course of all releases, purpose, contact, and hashes of
/// the files.
#[test]
fn the_page_shows_what_is_around_the_release() {
    let table = small();
    let before = [earlier(1, 2, 0.25), earlier(2, 3, 0.5)];
    let (purpose, contact) = (Some("Research on <wards>"), Some("data@example.org"));
    let presentation = Presentation {
        purpose,
        contact,
        earlier: &before,
        ..Presentation::default()
    };
    let said = ReleaseFacts {
        presentation,
        ..facts()
    };
    let file = FileLine {
        path: "3/data.parquet".to_owned(),
        sha256: Sha256::of(b"data"),
        rows: Some(4),
    };
    let page = page_with(&table, &said, std::slice::from_ref(&file));
    keep("around", &page);
    well_formed(&page);
    for text in [
        "Purpose: <bdi>Research on &lt;wards&gt;</bdi>",
        "Contact: <bdi>data@example.org</bdi>",
        "<th scope=\"row\">Rows</th><td class=\"number\">3</td><td class=\"number changed\">4</td>",
        "<th scope=\"row\">Smallest class</th><td class=\"number\">2</td><td class=\"number\">2</td>",
        "aria-label=\"Rows, release 1 to 3: from 2 to 4\"",
        &Sha256::of(b"data").to_string(),
        "2 with rows of earlier releases",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert_eq!(
        page.matches("<polyline").count(),
        4,
        "a figure without values has no plot"
    );
    let first = self::page(&table, Guarantee::Blind, &checks());
    assert!(first.contains("the first release of its chain") && !first.contains("<polyline"));
}

/// Pages in another language contain no text of the first one.
#[test]
fn pages_speak_the_language_that_is_asked_for() {
    let before = [earlier(1, 1_234, 0.25)];
    let presentation = Presentation {
        language: Language::German,
        earlier: &before,
        ..Presentation::default()
    };
    let page = page_with(
        &hospital(500, [0, 1, 1, 1, 2, 0]),
        &ReleaseFacts {
            presentation,
            ..facts()
        },
        &[],
    );
    keep("german", &page);
    well_formed(&page);
    assert!(
        page.starts_with("<!DOCTYPE html><html lang=\"de\">"),
        "{page}"
    );
    for text in [
        "1.234",
        "Seit dem vorigen Release",
        "Prüfungen",
        "Spalten ohne Detail",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let (_, text) = page.split_once("</style>").expect("a style");
    for word in [" the ", " of ", " and ", "Rows", "Check<"] {
        assert!(!text.contains(word), "{word}");
    }
}

/// With a guarded set the page states what readers can derive about masking, and not the number of
/// replaced values.
#[test]
fn masking_is_said_with_its_public_bound() {
    let table = small();
    let said = facts();
    let mut manifest = Manifest::of(
        &said,
        &terms(&table, &policy(Guarantee::Blind), &[]),
        &Overview::of(&table.release),
        Vec::new(),
    );
    let page = |manifest: &Manifest| {
        let bytes = report(
            manifest,
            &table.columns,
            &Overview::of(&table.release),
            Surroundings::default(),
        );
        String::from_utf8(bytes).expect("text")
    };
    assert!(!page(&manifest).contains("MASK"));
    manifest.policy["m"] = 1.into();
    // Two classes of two rows: at most one row of each.
    assert!(
        page(&manifest).contains("at most 2 of 4 rows show a value"),
        "{}",
        page(&manifest)
    );
    manifest.policy["mask"] = false.into();
    assert!(page(&manifest).contains("at most 1/1") && !page(&manifest).contains("MASK"));
}

/// The text above everything else: what was checked, what was not, and columns that show only their
/// root.
#[test]
fn the_verdict_comes_first() {
    let page = page(
        &hospital(500, [0, 1, 1, 1, 2, 0]),
        Guarantee::Blind,
        &checks(),
    );
    let end = page.find("aria-label=\"In short\"").expect("figures");
    let verdict = &page[page.find("aria-label=\"Verdict\"").expect("a verdict")..end];
    assert!(
        verdict.contains("The gate approved this release"),
        "{verdict}"
    );
    let of = |start: &str| {
        let from = verdict
            .find(start)
            .unwrap_or_else(|| panic!("{start}: {verdict}"));
        verdict[from..].split("</p>").next().expect("a paragraph")
    };
    let made = checks().iter().filter(|line| line.made).count();
    assert_eq!(of("<b>Checked:</b>").matches(';').count() + 1, made);
    // No check read sensitive values, and the manifest lists none.
    assert_eq!(
        of("<b>Not checked:</b>").matches(';').count() + 1,
        checks().len() - made + 1
    );
    assert!(of("<b>Not checked:</b>").contains("; Diversity."));
    let none = of("<p class=\"warning\">Columns without detail");
    assert_eq!(none.matches("<bdi>").count(), 2, "{none}");
    let none = self::page(&small(), Guarantee::Blind, &[]);
    assert!(none.contains("No check was made: nothing protects"));
}

#[test]
fn bcf_is_said_to_be_unsafe() {
    let page = page(&small(), Guarantee::Bcf, &[]);
    keep("bcf", &page);
    assert!(page.contains("Not safe against an attacker who knows the algorithm"));
    assert!(page.contains("No check was made."));
}

#[test]
fn a_limit_that_is_not_kept_is_said() {
    let mut line = checks();
    line[0].value = Some(tidegate::engine::release::Figure::Whole(1));
    assert!(page(&small(), Guarantee::Blind, &line).contains("<b>beyond its limit</b>"));
}

/// Names and labels that try to become part of the page.
#[test]
fn labels_stay_text() {
    let evil = [
        "</title><script>alert(1)</script>",
        "\"><img src=x>",
        "'&amp;<svg",
        "</style>",
        "\u{202e}\0\u{7f}",
    ];
    let mut tree = Tree::new("<!--");
    for label in evil {
        tree.add(0, label, 1);
    }
    let tree = tree.finish().expect("a tree");
    let raw = (0..10).map(|row| (vec![row % 5], vec![])).collect();
    let table = Table::of(
        declared(vec![tree.clone()], &[]),
        vec![Cut::leaves(&tree)],
        raw,
    );
    let policy = policy(Guarantee::Blind);
    let checks = checks();
    let presentation = Presentation {
        purpose: Some(evil[3]),
        contact: Some(evil[1]),
        ..Presentation::default()
    };
    let said = ReleaseFacts {
        feed: evil[0],
        time: evil[1],
        presentation,
        ..facts()
    };
    let manifest = Manifest::of(
        &said,
        &terms(&table, &policy, &checks),
        &Overview::of(&table.release),
        Vec::new(),
    );
    let page = String::from_utf8(report(
        &manifest,
        &table.columns,
        &Overview::of(&table.release),
        Surroundings::default(),
    ))
    .expect("text");
    keep("labels", &page);
    for word in ["<script", "<img", "<!--", "\0"] {
        assert!(!page.contains(word), "{word}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
    well_formed(&page);
}

#[test]
fn reports_are_functions_of_what_is_published() {
    random::run("release_report", 100, |draw| {
        let table = random_table(draw, 60);
        let policy = policy(Guarantee::Blind);
        let checks = checks();
        let manifest = Manifest::of(
            &facts(),
            &terms(&table, &policy, &checks),
            &Overview::of(&table.release),
            Vec::new(),
        );
        let bytes = report(
            &manifest,
            &table.columns,
            &Overview::of(&table.release),
            Surroundings::default(),
        );
        well_formed(std::str::from_utf8(&bytes).expect("text"));
        let again = table.built_otherwise(draw);
        // Files and the decision are added later and change nothing.
        let file = FileLine {
            path: "report.html".to_owned(),
            sha256: Sha256::of(&bytes),
            rows: None,
        };
        let later = Manifest {
            files: vec![file],
            decision: Some(Sha256::of(b"a decision")),
            ..manifest
        };
        assert_eq!(
            report(
                &later,
                &again.columns,
                &Overview::of(&again.release),
                Surroundings::default()
            ),
            bytes
        );
    });
    well_formed(&page(&small().without_rows(), Guarantee::Blind, &[]));
}
