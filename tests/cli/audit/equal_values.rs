//! Diversity of values that differ in spelling alone.

use std::fs;

use serde_json::json;

use super::{Folder, audit};

/// Spellings of one value are one value, and a missing value is none (SCIENCE 4, *Equal values*).
#[test]
fn diversity_does_not_count_spellings() {
    let folder =
        Folder::new("[policy]\nk = 2\ndiversity = { distinct_l = 2, c = 3, l = 2, alpha = 0.9 }");
    let figures = |values: &[&str]| {
        let rows: String = values
            .iter()
            .map(|value| format!("0-9,*,{value}\n"))
            .collect();
        folder.put("s.csv", format!("age,sex,disease\n{rows}").as_bytes());
        let found = audit(&folder.args(&[("release", "s.csv")]));
        let figures = found["releases"][0]["diversity"]["before"].clone();
        (
            figures["distinct_l"].as_u64(),
            figures["entropy_l"].clone(),
            figures["alpha"].clone(),
            found["safe"].clone(),
        )
    };
    let one = |alpha: f64, safe: bool| (Some(1), json!(1.0), json!(alpha), json!(safe));
    assert_eq!(
        figures(&["HIV", "HIV ", "hiv", "\u{200b}Hiv\u{a0}"]),
        one(1.0, false)
    );
    assert_eq!(
        figures(&["Ménière", "Me\u{301}nie\u{300}re", "MÉNIÈRE"]),
        one(1.0, false)
    );
    assert_eq!(figures(&["1", "1.0", "01", "1e0"]), one(1.0, false));
    // Empty cells count in the denominator of alpha, and as no value.
    assert_eq!(figures(&["HIV", "", "null", "hiv"]), one(0.5, false));
    let (distinct, _, alpha, safe) = figures(&["HIV", "hiv", "Flu", ""]);
    assert_eq!((distinct, alpha, safe), (Some(2), json!(0.5), json!(true)));
    // A guarded value in another spelling is that value: three of four rows.
    let text = fs::read_to_string(folder.dir.path().join("feed.toml")).expect("a feed file");
    let text = text
        .replace("alpha = 0.9", "confidence = 0.5")
        .replace("role = \"sensitive\"\n", GUARDED);
    folder.put("feed.toml", text.as_bytes());
    folder.put(
        "g.csv",
        "age,sex,disease\n0-9,*,HIV\n0-9,*,hiv\n0-9,*, HIV\n0-9,*,Flu\n".as_bytes(),
    );
    let found = audit(&folder.args(&[("release", "g.csv")]));
    assert_eq!(
        found["releases"][0]["diversity"]["before"]["confidence"],
        json!(0.75),
        "{found}"
    );
}

const GUARDED: &str = "role = \"sensitive\"\nguarded = [[\"HIV\"]]\n";
