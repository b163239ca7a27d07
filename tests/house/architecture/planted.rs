//! Each check of this folder on text that breaks it, and on text that only seems to.

use super::imports::{Source, edges, imports, rings};
use super::{gate_checks, rules, text};

fn source(place: &str, text: &str) -> Source {
    Source {
        place: place.to_string(),
        text: text.to_string(),
    }
}

/// The modules that one file imports; the others exist only to be imported.
fn named(place: &str, text: &str) -> Vec<String> {
    const OTHERS: &[(&str, &str)] = &[
        ("src/lib.rs", "//! Empty."),
        ("src/engine/model/lib.rs", "mod cut;"),
        ("src/engine/model/cut.rs", "//! Empty."),
        ("src/engine/gate/lib.rs", "use tidegate_model as model;"),
        ("src/engine/gate/chain.rs", "//! Empty."),
        ("src/engine/gate/crowd.rs", "//! Empty."),
    ];
    let others = OTHERS.iter().filter(|(other, _)| *other != place);
    let mut sources: Vec<Source> = others.map(|(other, text)| source(other, text)).collect();
    sources.push(source(place, text));
    let from = super::imports::module(place);
    imports(&sources)
        .into_iter()
        .filter(|import| import.from == from)
        .map(|import| import.to)
        .collect()
}

#[test]
fn a_type_in_many_files_is_found() {
    let files = |many: usize, text: &str| -> Vec<Source> {
        let place = |at: usize| format!("src/engine/model/part_{at}.rs");
        (0..many).map(|at| source(&place(at), text)).collect()
    };
    for text in [
        "impl Histogram {\n}",
        "impl<'a> Histogram<'a> {\n}",
        "impl fmt::Debug for Histogram {\n}",
        "impl super::Histogram {\n}",
    ] {
        assert_eq!(rules::scattered(&files(4, text)).len(), 0, "{text}");
        assert_eq!(rules::scattered(&files(5, text)).len(), 1, "{text}");
    }
    let text = "// impl Histogram {\nfn f() { \"impl Histogram\"; }";
    assert_eq!(rules::scattered(&files(9, text)).len(), 0);
}

#[test]
fn comments_and_literals_are_no_code() {
    let blank = |source: &str| {
        text::code(source)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(blank("a // HashMap\nb"), "a b");
    assert_eq!(blank("a /* x /* y */ HashMap */ b"), "a b");
    assert_eq!(blank(r##"a = "x\"HashMap"; b"##), "a = ; b");
    assert_eq!(
        blank("a(r#\"x\"HashMap\"#, br\"y\", c) ; b"),
        "a( , , c) ; b"
    );
    assert_eq!(
        blank(r"a = '\''; b = '{'; c = '\u{7b}'; d"),
        "a = ; b = ; c = ; d"
    );
    assert_eq!(
        blank("fn f<'a>(x: &'a str, r: u8) {}"),
        "fn f<'a>(x: &'a str, r: u8) {}"
    );
    assert_eq!(blank("bar\"HashMap\"x"), "bar x");
}

#[test]
fn test_modules_are_left_out() {
    let code = "use a;\n#[cfg(test)]\nmod tests { use b; fn f() { {} } }\nuse c;\n#[cfg(test)]\nmod more;\nuse d;";
    assert_eq!(
        text::without_tests(code)
            .split_whitespace()
            .collect::<String>(),
        "usea;usec;used;"
    );
}

#[test]
fn imports_are_found_however_they_are_written() {
    let gate = "src/engine/gate/verdict.rs";
    let cut = ["engine::model::cut"];
    assert_eq!(named(gate, "use crate::model::cut::Cut;"), cut);
    assert_eq!(named(gate, "use super::model::cut::{self, Cut as C};"), cut);
    assert_eq!(named(gate, "use tidegate_model::cut::Cut;"), cut);
    assert_eq!(named(gate, "pub use crate::{model::{cut::*}};"), cut);
    assert_eq!(
        named(gate, "fn f() -> crate::model::cut::Cut { todo() }"),
        cut
    );
    assert_eq!(
        named(gate, "use crate::model;\nfn f() { model::cut::f() }"),
        ["engine::model", "engine::model::cut"]
    );
    assert_eq!(
        named(gate, "use tidegate::engine::model::Cut;"),
        ["engine::model"]
    );
    assert_eq!(
        named(gate, "mod inner { use super::super::chain::f; }"),
        ["engine::gate::chain"]
    );
    assert_eq!(
        named("src/engine/gate/lib.rs", "mod chain;\nuse chain::judge;"),
        ["engine::gate::chain"]
    );
    assert_eq!(
        named(
            "src/engine/gate/lib.rs",
            "mod chain;\npub use chain::judge;"
        ),
        [""; 0]
    );
    assert_eq!(
        named(
            "src/engine/gate/lib.rs",
            "mod chain;\nfn f() { self::chain::judge() }"
        ),
        ["engine::gate::chain"]
    );
    assert_eq!(
        named(
            gate,
            "#[cfg(test)]\nmod tests { use crate::model::cut::Cut; }"
        ),
        [""; 0]
    );
    assert_eq!(
        named(
            gate,
            "// use crate::model;\nuse std::fmt;\npub(in crate::gate) fn f() {}"
        ),
        [""; 0]
    );
    assert_eq!(
        named(gate, "fn f<'a>(x: &'a u8) -> impl Sized + use<'a> { x }"),
        [""; 0]
    );
}

#[test]
fn whispers_are_found() {
    let pair = |text| {
        let check = |file: &str| format!("src/engine/gate/verdict/checks/{file}.rs");
        let sources = [
            source(&check("crowd"), ""),
            source(
                &check("utility"),
                "use super::super::comparison::PreparedCase;",
            ),
            source("src/engine/gate/verdict/comparison.rs", ""),
            source("src/engine/gate/lib.rs", ""),
            source("src/engine/gate/utility.rs", ""),
            source(&check("growth"), text),
        ];
        gate_checks::whispers(&imports(&sources)).len()
    };
    assert_eq!(pair("use super::crowd::smallest;"), 1);
    assert_eq!(pair("use crate::utility::loss;"), 1);
    assert_eq!(pair("use super::super::comparison::PreparedCase;"), 0);
}

#[test]
fn rings_are_found() {
    let file = |name: &str, text: &str| source(&format!("src/engine/model/{name}.rs"), text);
    let three = |last: &str| {
        let sources = [
            file("a", "use super::b::B;"),
            file("b", "use super::c::C;"),
            file("c", last),
        ];
        rings(&edges(&imports(&sources)))
            .iter()
            .map(|ring| ring.len())
            .collect::<Vec<_>>()
    };
    assert_eq!(three("use super::a::A;"), [3]);
    assert_eq!(three("use super::b::B;"), [2]);
    assert_eq!(three("use std::fmt;"), [0; 0]);
    let door = |own: &str| {
        let sources = [
            file("mod", own),
            file("a", "use super::{B, C};"),
            file("b", "//! B."),
            file("c", "use super::B;"),
        ];
        rings(&edges(&imports(&sources)))
            .iter()
            .map(|ring| ring.len())
            .collect::<Vec<_>>()
    };
    let exports = "pub use a::A;\npub use b::B;\npub(crate) use c::C as C;\n";
    assert_eq!(
        door(exports),
        [0; 0],
        "what a door passes on is not the door's"
    );
    assert_eq!(door(&format!("{exports}fn f() {{ c::f() }}")), [0; 0]);
    assert_eq!(
        door("pub use a::A;\nstruct B;\nuse c::C;"),
        [2],
        "a and c name what the door has itself"
    );
}

#[test]
fn a_private_name_is_not_passed_on() {
    let file = |name: &str, text: &str| source(&format!("src/engine/model/{name}.rs"), text);
    let sources = [
        file(
            "a",
            "use super::count::{self, Weigh};\nuse super::b;\npub(super) fn count() {}",
        ),
        file("b", "use super::a::count;"),
        file("count", "//! Counts."),
    ];
    assert_eq!(
        rings(&edges(&imports(&sources))).len(),
        1,
        "`count` of a is its own function"
    );
}

#[test]
fn headers_are_missed() {
    let bad = |text| rules::header(&source("src/a.rs", text)).is_some();
    assert!(bad("use std::fmt;\n//! Too late to be one."));
    assert!(bad("//! words without an end"));
    assert!(bad("//! Short."));
    assert!(bad("// An ordinary comment is no header."));
    assert!(!bad("//! One sentence that\n//! says what it is.\n"));
}

#[test]
fn a_gate_that_asks_for_the_search_is_found() {
    let asks = |place| {
        rules::asks_for_the_search(&source(
            place,
            "fn f(of: Search) -> bool { of == Search::Mdav }",
        ))
        .len()
    };
    assert_eq!(
        (asks("src/engine/gate/a.rs"), asks("src/engine/feed/a.rs")),
        (2, 0)
    );
    assert!(
        rules::asks_for_the_search(&source("src/engine/gate/a.rs", "use super::SpreadSearch;"))
            .is_empty()
    );
}

#[test]
fn words_are_found() {
    let found = |place, text| rules::words(&source(place, text)).len();
    let unsafe_code = |place| rules::unsafe_code(&source(place, "fn f() { unsafe { g() } }")).len();
    assert_eq!(
        (unsafe_code("src/daemon/a.rs"), unsafe_code(rules::UNSAFE)),
        (1, 0)
    );
    let engine = |text| found("src/engine/model/a.rs", text);
    for bad in [
        "use std::collections::HashMap;",
        "async fn f() {}",
        "fn f() { let t = Instant::now(); }",
        "use std::fs;",
        "use std::{fmt, fs};",
        "fn f() { std::env::args(); }",
        "use tokio::time;",
        "fn f() { println!(\"x\"); }",
        "fn f() { x.unwrap(); }",
        "fn f() { x\n.unwrap() }",
        "unsafe fn f() {}",
        "use std::fs::File;",
        "fn f() { File::open(p) }",
        "#[cfg(test)]\nmod tests { use std::collections::HashSet; }",
    ] {
        assert!(engine(bad) > 0, "{bad}");
        assert_eq!(
            found("src/daemon/a.rs", bad),
            0,
            "only the engine is held to this: {bad}"
        );
    }
    for good in [
        "// a HashMap in a comment, std::fs too",
        "fn f() -> &'static str { \"HashMap\" }",
        "fn f() { x.unwrap_or(0); x.expect(\"unwrap()\") }",
        "struct FileName;",
        "enum Form { File, Flat }",
        "#[cfg(test)]\nmod tests { fn f() { x.unwrap(); } }",
        "fn f() { page.print() }",
    ] {
        assert_eq!(engine(good), 0, "{good}");
    }
}

#[test]
fn lengths_are_measured() {
    let found = |text: &str| rules::lengths(&source("src/a.rs", text)).len();
    let function = |lines: usize| {
        format!(
            "fn f(a: [u8; 2])\nwhere u8: Copy {{\n{}}}\n",
            "    g();\n".repeat(lines - 3)
        )
    };
    assert_eq!(found(&function(rules::FUNCTION)), 0);
    assert_eq!(found(&function(rules::FUNCTION + 1)), 1);
    assert_eq!(found(&"\n".repeat(rules::FILE)), 0);
    assert_eq!(found(&"\n".repeat(rules::FILE + 1)), 1);
    assert_eq!(
        found(&format!(
            "trait T {{\n    fn f();\n{}}}\n",
            "\n".repeat(rules::FUNCTION)
        )),
        0
    );
    assert_eq!(
        rules::median(&["", "1\n2\n3", "1"].map(|text| source("src/a.rs", text))),
        1
    );
}

#[test]
fn words_of_outside_are_found() {
    let place = concat!("/wo", "rk/");
    assert_eq!(
        rules::outside("a.md", &format!("one\nsee {place}main\n")),
        [format!("a.md:2: `{place}`")]
    );
    assert_eq!(rules::outside("a.md", concat!("TO", "DO later")).len(), 1);
    assert!(rules::outside("a.md", "a working day").is_empty());
}

#[test]
fn citations_without_a_section_are_found() {
    let page = "# Page\n\n## 1. Words\n\n## 12. Late\n";
    let found = |text: &str| rules::citations(&source("src/a.rs", text), &[("LAW", page)]).len();
    assert_eq!(found("//! As LAW 1 says."), 0);
    assert_eq!(found("//! (LAW 12)"), 0);
    assert_eq!(found("//! (LAW 2)"), 1);
    assert_eq!(found("//! (LAW 1 and LAW 3)"), 1);
    assert_eq!(found("//! (LAW, as a whole)"), 0);
}

#[test]
fn mutants_of_functions_that_are_not_there_are_found() {
    let sources = [source("src/a.rs", "fn most(of: u8) {}\nfn any<T>() {}")];
    let list = "# file function\nsrc/a.rs most: + is - -- why\nsrc/a.rs any: returns () -- why\n\
        src/a.rs mo: + is - -- why\nsrc/b.rs most: + is - -- why";
    assert_eq!(
        rules::explained(list, &sources),
        ["there is no src/a.rs mo", "there is no src/b.rs most"]
    );
}

#[test]
fn names_of_modules_that_are_not_there_are_found() {
    let modules = ["engine", "engine::gate", "engine::gate::chain"]
        .map(str::to_owned)
        .into();
    let page = "`far` is no row\n| `engine::gate` | `chain`, `gate::chain`, `k = 2` |\n| `engine::gaol` | `rows`, `Release` |\n| `x` |";
    assert_eq!(
        rules::named_modules(page, &modules),
        ["engine::gaol", "rows"].map(|name| format!("the table of rooms names no module: {name}"))
    );
}

#[test]
fn names_of_files_that_are_not_there_are_found() {
    let files = ["src/engine/gate/chain.rs", "tests/run"]
        .map(str::to_owned)
        .into();
    let found = |text: &str| rules::named_files(&source("src/a.rs", text), &files);
    assert_eq!(
        found(
            "//! As `gate/chain.rs`, `chain.rs` and `src/engine/gate/` say; see `tests/run`, `a chain.rs`."
        ),
        Vec::<String>::new()
    );
    assert_eq!(
        found("//! `own/chain.rs`"),
        ["src/a.rs:1: there is no own/chain.rs"]
    );
    assert_eq!(found("\n`gate/{chain,ring}.rs` and `tests/ru`").len(), 2);
    assert_eq!(found("`ain.rs`").len(), 1);
}
