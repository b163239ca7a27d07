//! Tests `tidegate audit --sums` from outside: tables of sums as other programs write them, their
//! protection, and errors of files.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::{text, tidegate};

/// The table of the introduction of Fischetti and Salazar, with the largest contributions: II in C
/// is 22 = 20 + 1 + 1.
const TABLE: &str = "\
activity,region,freq,value,max1,max2
Total,Total,40,190,20,18
Total,A,12,45,10,9
Total,B,16,101,18,16
Total,C,12,44,20,8
I,Total,13,80,18,16
I,A,4,20,8,6
I,B,5,50,18,16
I,C,4,10,4,3
II,Total,11,49,20,6
II,A,4,8,3,2
II,B,4,19,6,6
II,C,3,22,20,1
III,Total,16,61,9,8
III,A,5,17,5,4
III,B,7,32,9,8
III,C,4,12,4,4
";

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("a file can be written");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

fn args(of: &[&str]) -> Vec<String> {
    ["audit", "--sums"]
        .iter()
        .chain(of)
        .map(|&text| text.to_owned())
        .collect()
}

/// Runs an audit that must not fail; checks exit code against verdict and the result against its
/// schema.
fn audit(of: &[&str]) -> Json {
    let mut args = args(of);
    args.push("--json".to_owned());
    let output = tidegate(&args);
    let found: Json = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let safe = found["safe"].as_bool().unwrap_or_else(|| panic!("{found}"));
    assert_eq!(
        (output.status.code(), text(&output.stderr)),
        (Some(i32::from(!safe)), String::new())
    );
    let schema = fs::read_to_string("schemas/v1/audit-sums.schema.json").expect("a shipped schema");
    let validator =
        jsonschema::validator_for(&serde_json::from_str(&schema).expect("JSON")).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(&found)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    found
}

/// Check and cell of each reason.
fn reasons(found: &Json) -> Vec<(String, String)> {
    let text = |value: &Json| value.as_str().expect("a text").to_owned();
    let cell = |cell: &Json| {
        cell.as_object()
            .expect("codes")
            .values()
            .map(text)
            .collect::<Vec<_>>()
            .join("/")
    };
    let reasons = found["reasons"].as_array().expect("reasons");
    reasons
        .iter()
        .map(|reason| (text(&reason["check"]), cell(&reason["cell"])))
        .collect()
}

fn reason(check: &str, cell: &str) -> (String, String) {
    (check.to_owned(), cell.to_owned())
}

/// The table with suppressed cells: `(line of the cell, status)`.
fn without(out: &[(&str, &str)], values: bool) -> String {
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let cell = format!("{}/{}", fields[0], fields[1]);
        let status = out.iter().find(|of| of.0 == cell).map_or("s", |of| of.1);
        let value = if values || status == "s" {
            fields[3]
        } else {
            ""
        };
        format!("{},{},{value},{status}\n", fields[0], fields[1])
    };
    let rows: String = TABLE.lines().skip(1).map(line).collect();
    format!("activity,region,value,status\n{rows}")
}

const PAPER: [(&str, &str); 4] = [("II/C", "u"), ("II/A", "x"), ("III/A", "x"), ("III/C", "x")];

#[test]
fn published_sums_are_checked_by_the_rules() {
    let folder = Folder::new();
    let table = folder.file("table.csv", TABLE);
    // Of 22, all but the two largest contributions are 1, and p of the largest is 2.
    let found = audit(&[&table, "--p", "0.1"]);
    assert_eq!(reasons(&found), [reason("p", "II/C")]);
    assert_eq!(
        (&found["reasons"][0]["line"], &found["cells"]["published"]),
        (&json!(13), &json!(16))
    );
    let both = audit(&[&table, "--p", "0.1", "--dominance", "n=1,share=0.45"]);
    let wanted = [
        reason("dominance", "Total/C"),
        reason("p", "II/C"),
        reason("dominance", "II/C"),
    ];
    assert_eq!(reasons(&both), wanted);
    let safe = audit(&[&table, "--dominance", "n=1,share=0.95"]);
    assert_eq!(
        (&safe["safe"], &safe["left_out"]),
        (&json!(true), &json!([]))
    );
    let unruled = audit(&[&table]);
    assert_eq!(
        (&unruled["verdict"], &unruled["cells"]["not_judged"]),
        (&json!("undecided"), &json!(16)),
        "no rule"
    );
    assert!(reasons(&unruled).is_empty());
}

/// A sum of one or two people is sensitive under every rule; a cell that no rule could judge is not
/// safe.
#[test]
fn few_contributors_are_unsafe_and_unknown_ones_undecided() {
    let folder = Folder::new();
    let one = folder.file(
        "one.csv",
        "ward,freq,value\nTotal,41,190\na,1,90\nb,40,100\n",
    );
    let found = audit(&[&one, "--p", "0.1"]);
    assert_eq!(
        (reasons(&found), &found["verdict"]),
        (vec![reason("few", "a")], &json!("unsafe"))
    );
    // The same without a rule, and with values of 0, which say that the one person contributed
    // nothing.
    assert_eq!(reasons(&audit(&[&one])), [reason("few", "a")]);
    let zero = folder.file(
        "zero.csv",
        "ward,freq,value,max1,max2\nTotal,42,100,9,9\na,2,0,0,0\nb,40,100,9,9\n",
    );
    assert_eq!(
        reasons(&audit(&[&zero, "--p", "0.1"])),
        [reason("few", "a")]
    );
    // Of two people neither rule finds the sum sensitive by its shares: each of them can compute
    // the other's.
    let two = folder.file(
        "two.csv",
        "ward,freq,value,max1\nTotal,6,60,10\na,2,20,10\nb,4,40,10\n",
    );
    assert_eq!(
        reasons(&audit(&[&two, "--dominance", "n=1,share=0.9"])),
        [reason("few", "a")]
    );
    let protected = folder.path("out.csv");
    let found = audit(&[
        &two,
        "--dominance",
        "n=1,share=0.9",
        "--protect",
        &protected,
    ]);
    assert_eq!(
        (&found["safe"], &found["cells"]["primary"]),
        (&json!(true), &json!(1)),
        "{found}"
    );
    // A cell to which nobody contributed is safe.
    let empty = folder.file(
        "empty.csv",
        "ward,freq,value,max1,max2\nTotal,4,40,10,10\na,0,0,0,0\nb,4,40,10,10\n",
    );
    assert_eq!(audit(&[&empty, "--p", "0.1"])["verdict"], "safe");
    // Nothing is known of the contributions.
    let bare = folder.file("bare.csv", "ward,value\nTotal,60\na,20\nb,40\n");
    let found = audit(&[&bare, "--p", "0.1"]);
    assert_eq!(
        (&found["verdict"], &found["cells"]["not_judged"]),
        (&json!("undecided"), &json!(3)),
        "{found}"
    );
    let said = text(&tidegate(&args(&[&bare, "--p", "0.1"])).stdout);
    assert!(
        said.contains("UNDECIDED: ") && !said.contains("SAFE"),
        "{said}"
    );
    // The largest contributions alone say how many there are at least: 6 + 5 leave 9, which needs
    // two more people.
    let largest = folder.file(
        "largest.csv",
        "ward,value,max1,max2\nTotal,40,6,6\na,20,6,5\nb,20,6,5\n",
    );
    assert_eq!(audit(&[&largest, "--p", "0.1"])["verdict"], "safe");
}

#[test]
fn cells_that_are_left_out_are_computed_as_readers_do() {
    let folder = Folder::new();
    let table = folder.file("table.csv", &without(&PAPER, false));
    let found = audit(&[&table, "--p", "0.1", "--intervals"]);
    assert_eq!(
        found["cells"],
        json!({"all": 16, "published": 12, "not_judged": 12, "primary": 1, "secondary": 3, "unknown": 0})
    );
    let of_paper = found["left_out"]
        .as_array()
        .expect("cells")
        .iter()
        .find(|of| of["status"] == "u")
        .expect("one");
    assert_eq!(
        [&of_paper["low"], &of_paper["high"]],
        [&json!("5"), &json!("30")]
    );
    assert_eq!(of_paper["relative_error"], 0.714285);
    // Without --intervals the table may not be public, and no interval is shown.
    assert_eq!(audit(&[&table])["left_out"][0]["low"], Json::Null);
    let said = text(&tidegate(&args(&[&table])).stdout);
    assert!(
        said.contains("71.4 %  (activity = II, region = C)\n") && said.contains("\nUNDECIDED"),
        "{said}"
    );
    // One cell fewer: everything can be computed, and the sensitive cell is a reason.
    let table = folder.file("open.csv", &without(&PAPER[..3], false));
    let found = audit(&[&table]);
    assert_eq!(reasons(&found), [reason("recovered", "II/C")]);
    assert!(
        found["left_out"]
            .as_array()
            .expect("cells")
            .iter()
            .all(|of| of["exact"] == true && of["derivable"] == true)
    );
    // If the table does not say which cells are sensitive, each may be.
    let blank = fs::read_to_string(&table)
        .expect("a table")
        .replace(",u", ",")
        .replace(",x", ",");
    assert_eq!(
        reasons(&audit(&[&folder.file("blank.csv", &blank)])).len(),
        3
    );
    // An interval from 5 to 30 is wide enough for any share up to 5/7.
    let table = folder.file("paper.csv", &without(&PAPER, false));
    assert_eq!(
        reasons(&audit(&[&table, "--p", "0.72"])),
        [reason("narrow", "II/C")]
    );
}

#[test]
fn who_is_alone_in_a_cell_can_compute_another_one() {
    let folder = Folder::new();
    let alone = |counts: [u32; 2], value: &str| {
        let rows = "code,freq,value,max1,max2,status\nTotal,9,100,9,9,s\na,F,VALUE,,,u\nb,G,VALUE,,,x\nc,5,30,8,8,s\n";
        let rows = rows
            .replace('F', &counts[0].to_string())
            .replace('G', &counts[1].to_string());
        folder.file(
            &format!("{}-{value}.csv", counts[1]),
            &rows.replacen("VALUE", value, 2),
        )
    };
    // Readers know a + b = 70; the only contributor to b knows a. The same without the values, on
    // which this does not depend.
    for value in ["35", ""] {
        let found = audit(&[&alone([3, 1], value), "--p", "0.1"]);
        assert_eq!(reasons(&found), [reason("contributor", "a")]);
        assert_eq!(found["reasons"][0]["by"], json!({"code": "b"}));
        assert_eq!(audit(&[&alone([3, 2], value), "--p", "0.1"])["safe"], true);
        // Both cells have few contributors, so both must be protected, and the one in a knows b.
        let found = audit(&[&alone([1, 2], value), "--p", "0.1"]);
        assert_eq!(reasons(&found), [reason("contributor", "b")]);
    }
    // --protect suppresses a third cell.
    let target = folder.path("out.csv");
    let found = audit(&[&alone([3, 1], "35"), "--p", "0.2", "--protect", &target]);
    assert_eq!(
        (&found["cells"]["secondary"], &found["protected"]["cost"]),
        (&json!(1), &json!("30"))
    );
    assert!(
        fs::read_to_string(&target)
            .expect("a table")
            .contains("c,,,x")
    );
}

#[test]
fn a_protected_table_is_safe_and_says_no_more() {
    let folder = Folder::new();
    let table = folder.file("table.csv", TABLE);
    let target = folder.path("out.csv");
    let found = audit(&[&table, "--p", "0.1", "--protect", &target]);
    assert_eq!(found["safe"], true);
    assert_eq!(
        found["protected"],
        json!({"file": target, "cost": "37", "least": true})
    );
    let written = fs::read_to_string(&target).expect("a table");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(
        (lines[0], lines.len()),
        ("activity,region,freq,value,status", 17)
    );
    let left_out: Vec<&str> = lines
        .iter()
        .filter(|line| line.contains(",,,"))
        .copied()
        .collect();
    assert_eq!(left_out, ["II,A,,,x", "II,C,,,u", "III,A,,,x", "III,C,,,x"]);
    assert!(lines.contains(&"II,B,4,19,s"));
    // The written table can be audited.
    assert_eq!(audit(&[&target, "--p", "0.1"])["cells"]["primary"], 1);
    // As few cells as possible: three as well. The file is not overwritten.
    let output = tidegate(&args(&[&table, "--p", "0.1", "--protect", &target]));
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let fewest = audit(&[
        &table,
        "--p",
        "0.1",
        "--protect",
        &folder.path("one.csv"),
        "--cost",
        "one",
    ]);
    assert_eq!(fewest["protected"]["cost"], "3");
}

/// Wards in districts, as sdcTable and τ-ARGUS list them.
const WARDS: &str = "@Total\n@@North\n@@@n1\n@@@n2\n@@South\n@@@s1\n@@@s2\n";

#[test]
fn contributions_are_added_up_by_person_and_hierarchy() {
    let folder = Folder::new();
    // Two rows of one person in n1 are one contribution of 90.
    let people = "ward,person,value\nn1,p1,45.5\nn1,p1,44.5\nn1,p2,6\nn1,p3,4\nn2,p4,30\nn2,p5,30\nn2,p6,30\ns1,p7,50\ns1,p8,40\ns1,p9,30\n\
                  s2,p1,20\ns2,p8,20\ns2,p9,20\n";
    let table = "ward;value\nTotal;370\nNorth;190\nn1;100\nn2;90\nSouth;180\ns1;120\ns2;60\n";
    let (table, people) = (
        folder.file("table.csv", table),
        folder.file("people.csv", people),
    );
    let wards = format!("ward={}", folder.file("wards.hrc", WARDS));
    let given = [
        table.as_str(),
        "--contributions",
        &people,
        "--hierarchy",
        &wards,
        "--p",
        "0.1",
    ];
    let found = audit(&given);
    assert_eq!(reasons(&found), [reason("p", "n1")]);
    assert_eq!(found["cells"]["not_judged"], 0);
    let target = folder.path("out.csv");
    let found = audit(&[&given[..], &["--protect", &target]].concat());
    assert_eq!(
        (&found["safe"], &found["protected"]["least"]),
        (&json!(true), &json!(true))
    );
    let written = fs::read_to_string(&target).expect("a table");
    assert!(
        written.contains("\nn1,,u\nn2,,x\n") && written.contains("\ns1,120.0,s\n"),
        "{written}"
    );
    // τ-ARGUS does not list the total.
    let argus = format!(
        "ward={}",
        folder.file("argus.hrc", "North\n@n1\n@n2\nSouth\n@s1\n@s2\n")
    );
    let again = audit(&[
        &table,
        "--contributions",
        &people,
        "--hierarchy",
        &argus,
        "--p",
        "0.1",
    ]);
    assert_eq!(again["reasons"], audit(&given)["reasons"]);
    // Districts that the table does not have are not published; the wards still add up to the
    // total.
    let few = folder.file(
        "few.csv",
        "ward,value\nTotal,370\nn1,100\nn2,90\ns1,120\ns2,60\n",
    );
    let found = audit(&[
        &few,
        "--contributions",
        &people,
        "--hierarchy",
        &wards,
        "--p",
        "0.1",
    ]);
    assert_eq!(
        (&found["cells"]["all"], reasons(&found)),
        (&json!(5), vec![reason("p", "n1")])
    );
}

#[test]
fn faults_name_file_line_and_column_and_no_value() {
    let folder = Folder::new();
    let good = "code,value,status\nTotal,4321,s\na,1234,s\nb,3087,s\n";
    let wards = format!("code={}", folder.file("bad.hrc", "@Total\n@@a\n@@@@b\n"));
    let cases: [(&str, &str, &[&str], u64, &str); 12] = [
        (
            "sum",
            &good.replace("3087", "3088"),
            &[],
            2,
            "(code = Total) is not the sum of its parts over `code`: write",
        ),
        (
            "number",
            &good.replace("1234", "1234x"),
            &[],
            3,
            "not a number",
        ),
        ("below", &good.replace("1234", "-1234"), &[], 3, "--signed"),
        (
            "twice",
            &format!("{good}b,3087,s\n"),
            &[],
            5,
            "(code = b) already occurs in line 4",
        ),
        (
            "status",
            &good.replace("1234,s", "1234,q"),
            &[],
            3,
            "an unknown status",
        ),
        (
            "none",
            &good.replace("1234,s", ",s"),
            &[],
            3,
            "has no value",
        ),
        (
            "fields",
            &good.replace("1234,s", "1234"),
            &[],
            3,
            "a row has 2 fields",
        ),
        ("column", &good.replace("value", "sum"), &[], 1, "--value"),
        (
            "large",
            &good.replace("1234", "1234567890123456789"),
            &[],
            3,
            "18 digits",
        ),
        (
            "impossible",
            &good.replace("1234,s", ",x").replace("3087", "5000"),
            &[],
            2,
            "is not the sum of its parts",
        ),
        (
            "hierarchy",
            good,
            &["--hierarchy", &wards],
            3,
            "one level below",
        ),
        (
            "max",
            &good
                .replace("value,", "max1,max2,value,")
                .replace(",4321", ",9,9,4321")
                .replace(",1234", ",1234,8,1234")
                .replace(",3087", ",9,9,3087"),
            &["--p", "0.1"],
            3,
            "more than the value",
        ),
    ];
    for (name, table, options, line, wanted) in cases {
        let file = folder.file(&format!("{name}.csv"), table);
        let mut args = args(&[&[file.as_str()], options].concat());
        args.push("--json".to_owned());
        let output = tidegate(&args);
        let found: Json = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{name}: {}", text(&output.stderr)));
        let error = &found["error"];
        let said = error["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{name}: {found}"));
        assert_eq!(
            (output.status.code(), &error["line"]),
            (Some(2), &json!(line)),
            "{name}: {error}"
        );
        assert!(
            said.contains(wanted) && !said.contains("1234") && !said.contains("4321"),
            "{name}: {said}"
        );
        let of = if name == "hierarchy" {
            "bad.hrc".to_owned()
        } else {
            format!("{name}.csv")
        };
        assert!(
            error["file"]
                .as_str()
                .is_some_and(|file| Path::new(file).ends_with(&of)),
            "{name}: {error}"
        );
    }
}

#[test]
fn inputs_that_cannot_be_queried_are_named() {
    let folder = Folder::new();
    let table = folder.file("table.csv", TABLE);
    let missing: String = TABLE
        .lines()
        .filter(|line| !line.starts_with("II,B"))
        .map(|line| format!("{line}\n"))
        .collect();
    let missing = folder.file("missing.csv", &missing);
    let kept = TABLE
        .replace("max2\n", "max2,status\n")
        .replace(",20,1\n", ",20,1,\n");
    let kept: String = kept
        .lines()
        .map(|line| {
            if line.matches(',').count() == 5 {
                format!("{line},z\n")
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let kept = folder.file("kept.csv", &kept);
    let out = folder.path("out.csv");
    let all = folder.file("all.csv", &TABLE.replace("Total,", "All,"));
    let empty = folder.file("empty.csv", "region,value\n");
    let cases: [(&[&str], &str); 10] = [
        (
            &[&all],
            "no code `Total`: name the code of its total with --total",
        ),
        (&[&empty], "the table has no rows"),
        (&[&table, "--p", "2"], "above 0 and at most 1"),
        (&[&table, "--dominance", "1,0.6"], "n=1,share=0.6"),
        (
            &[&table, "--hierarchy", "region"],
            "--hierarchy region=region.hrc",
        ),
        (
            &[&table, "--hierarchy", "ward=wards.hrc"],
            "has no dimension `ward`",
        ),
        (
            &[&table, "--dominance", "n=3,share=0.6"],
            "only max1 to max2",
        ),
        (&[&table, "--protect", &out], "name a rule with --p"),
        (
            &[&missing],
            "the cell (activity = II, region = B) has no row",
        ),
        (
            &[&kept, "--p", "0.1", "--protect", &out],
            "cannot be protected",
        ),
    ];
    for (of, wanted) in cases {
        let output = tidegate(&args(of));
        let said = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains(wanted),
            "{of:?}: {said}"
        );
    }
    assert!(!Path::new(&out).exists());
    assert_eq!(
        audit(&[&all, "--total", "All", "--p", "0.1"])["cells"]["all"],
        16
    );
}
