//! Raw files become rows (HOUSE 4, Decoding): the same rows from every format, faults with their place and never with a
//! value, whatever is wrong with a sensitive field is null.

use std::path::{Path, PathBuf};

use tidegate::daemon::config::Feed;
use tidegate::daemon::error::{Error, Result};
use tidegate::daemon::ingest::{Decoded, PersonHasher, decode};
use tidegate::engine::model::Columns;
use tidegate::engine::policy::Decimal;

const FEED: &str = "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
    [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10], min = 0, max = 119 }\n\
    [[column]]\nname = \"born\"\nrole = \"quasi\"\ntaxonomy = { date = [\"month\", \"year\"], from = \"1900-01-01\", to = \"2020-12-31\" }\n\
    [[column]]\nname = \"ward\"\nrole = \"quasi\"\noptional = true\nunknown = \"other\"\ntaxonomy = { flat = [\"A\", \"B\", \"other\", \"unknown\"] }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n\
    [[column]]\nname = \"stay\"\nrole = \"sensitive\"\ntype = \"int\"\n";

fn columns() -> Columns {
    Feed::parse(FEED, Path::new("feed.toml")).expect("a feed file").columns
}

fn hasher() -> PersonHasher {
    PersonHasher::new(&[7; 32])
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("a file");
        path
    }
}

fn strict(path: &Path) -> Result<Decoded> {
    decode(path, &columns(), &hasher(), None, &mut |_| {})
}

fn lenient(path: &Path, share: &str) -> Result<Decoded> {
    decode(path, &columns(), &hasher(), Decimal::parse(share), &mut |_| {})
}

fn place(error: &Error) -> String {
    format!("{:?} {:?} {}", error.line, error.field.as_deref().unwrap_or("-"), error.text)
}

#[test]
fn faults_of_text_have_their_place() {
    let folder = Folder::new();
    let header = "id,age,born,ward,diagnosis,stay\n";
    for (row, wanted) in [
        (",30,1990-01-02,A,x,1", "Some(3) \"id\" row 2: the value is missing"),
        ("2,,1990-01-02,A,x,1", "Some(3) \"age\" row 2: the value is missing"),
        ("2,120,1990-01-02,A,x,1", "Some(3) \"age\" row 2: the value is outside the taxonomy"),
        ("2,030,1990-01-02,A,x,1", "Some(3) \"age\" row 2: the value is outside the taxonomy"),
        ("2,30,1990-02-30,A,x,1", "Some(3) \"born\" row 2: the value is outside the taxonomy"),
        ("2,30,1990-01-02,A,x", "Some(3) \"-\" row 2: another number of fields than the header has"),
    ] {
        let path = folder.file("a.csv", format!("{header}1,30,1990-01-02,A,x,1\n{row}\n3,30,1990-01-02,A,x,1\n"));
        let error = strict(&path).expect_err(row);
        assert_eq!(place(&error), wanted);
        let decoded = lenient(&path, "0.34").expect("a third");
        assert_eq!((decoded.rows.len(), decoded.quarantined.len()), (2, 1));
        assert_eq!((decoded.quarantined[0].row, decoded.quarantined[0].line), (2, Some(3)));
        let error = lenient(&path, "0.3").expect_err("more than 0.3");
        assert!(error.text.starts_with("1 of 3 rows cannot be decoded"), "{}", error.text);
        assert_eq!(error.line, Some(3));
    }
}

#[test]
fn sensitive_faults_are_null() {
    let folder = Folder::new();
    let mut text = b"id,age,born,ward,diagnosis,stay\n1,30,1990-01-02,,,1\n2,30,1990-01-02,C,x,4.5\n".to_vec();
    text.extend(b"3,30,1990-01-02,B,\xff\xfe,12\n");
    let decoded = strict(&folder.file("a.csv", &text)).expect("rows");
    assert_eq!((decoded.rows.len(), decoded.nulled), (3, 3));
    assert_eq!(decoded.rows.people().map(<[_]>::len), Some(3));
}

#[test]
fn a_header_alone_is_an_empty_tick() {
    let folder = Folder::new();
    let decoded = strict(&folder.file("a.csv", "id,age,born,ward,diagnosis,stay,more\n")).expect("no rows");
    assert!(decoded.rows.is_empty() && decoded.undeclared == ["more"]);
    assert!(strict(&folder.file("b.csv", "")).is_err());
    let error = strict(&folder.file("c.csv", "age,born,ward,diagnosis,stay\n")).expect_err("no identifier");
    assert_eq!(place(&error), "None \"id\" the column is missing");
}
