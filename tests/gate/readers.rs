//! Published tables opened by the readers that analysts use: pyarrow, pandas, polars, DuckDB.
//! `TIDEGATE_PYTHON` names a Python that has them (tests/run sets one up).

mod guide;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::release::table::{Table, declared, value};
use crate::common::needs;
use crate::common::random::Draw;
use tidegate::engine::model::{Cut, Kind, Tree, Value};
use tidegate::engine::release::{ROW_GROUP, data_in_groups, two_in_groups};

/// Labels that a reader could fail on, and one sensitive column of each type.
fn every_type(rows: usize, mut text: impl FnMut(&mut Draw) -> Value) -> Table {
    let mut tree = Tree::new("*");
    for label in ["[0, 30[", "a;b,\"c\"", "ä", "日本", "null", " ", "1", "𝒳"] {
        tree.add(0, label, 1);
    }
    let tree = tree.finish().expect("a tree");
    let kinds = [Kind::String, Kind::Int, Kind::Float, Kind::Bool, Kind::Date];
    let mut draw = Draw::new(1, 1);
    let mut row = || {
        let leaf = draw.between(0, 7) as u32;
        let mut tuple: Vec<Value> = kinds.iter().map(|&kind| value(&mut draw, kind)).collect();
        if tuple[0] != Value::Null {
            tuple[0] = text(&mut draw);
        }
        (vec![leaf, leaf / 2], tuple)
    };
    let raw = (0..rows).map(|_| row()).collect();
    Table::of(
        declared(vec![tree.clone(), tree.clone()], &kinds),
        vec![Cut::leaves(&tree), Cut::root(&tree)],
        raw,
    )
}

/// Writes a table and the content that readers should find in it.
fn write(folder: &Path, name: &str, table: &Table, group: usize) -> PathBuf {
    let path = folder.join(name).with_extension("parquet");
    std::fs::write(
        &path,
        data_in_groups(&table.release, &table.values, &table.columns, group),
    )
    .expect("a file");
    std::fs::write(path.with_extension("json"), table.json().to_string()).expect("a file");
    path
}

/// The same as two tables.
fn write_two(folder: &Path, name: &str, table: &Table, group: usize) -> [PathBuf; 2] {
    let written = two_in_groups(
        &table.release,
        &table.values,
        &table.people(),
        &table.columns,
        group,
    );
    let mut files = written
        .into_iter()
        .zip(table.two_as_json())
        .zip(["quasi", "sensitive"])
        .map(|((bytes, json), kind)| {
            let path = folder.join(format!("{name}-{kind}.parquet"));
            std::fs::write(&path, bytes).expect("a file");
            std::fs::write(path.with_extension("json"), json.to_string()).expect("a file");
            path
        });
    [(); 2].map(|()| files.next().expect("two tables"))
}

#[test]
fn analysts_read_what_was_published() {
    let Some(python) = needs::tool("TIDEGATE_PYTHON") else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readers");
    std::fs::create_dir_all(&folder).expect("a folder");
    let few = every_type(500, |draw| value(draw, Kind::String));
    // More text than a dictionary takes, so that it is written plain.
    let many = every_type(60_000, |draw| {
        Value::Text(format!("{:064}", draw.between(0, 1 << 40)).into())
    });
    let files = [
        write(&folder, "few", &few, ROW_GROUP),
        write(&folder, "groups", &few, 64),
        write(&folder, "empty", &few.without_rows(), ROW_GROUP),
        write(&folder, "many", &many, ROW_GROUP),
    ];
    let two = [
        ("two", &few, ROW_GROUP),
        ("two-groups", &few, 64),
        ("two-empty", &few.without_rows(), ROW_GROUP),
    ];
    let two = two.map(|(name, table, group)| write_two(&folder, name, table, group));
    let files: Vec<PathBuf> = files.into_iter().chain(two.into_iter().flatten()).collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gate/readers/compare.py");
    let run = Command::new(&python).arg(script).args(&files).output();
    let run = run.unwrap_or_else(|error| panic!("{} cannot be started: {error}", python.display()));
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        run.status.success(),
        "{}{}",
        said(&run.stdout),
        said(&run.stderr)
    );
    print!("{}", said(&run.stdout));
}
