"""Reads the Delta table of each public root that is named, version by version with `deltalake` and with `delta_kernel`, and compares it
with the manifests."""

import json
import os
import pathlib
import shutil
import sys
import tempfile

import delta_kernel_rust_sharing_wrapper as delta_kernel
import deltalake
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq


def in_order(rows):
    return sorted(json.dumps(row, sort_keys=True, default=str) for row in rows)


def by_kernel(table, version, folder):
    """The rows of a version as `delta_kernel` reads them: of a table whose log ends with it."""
    log = folder / "_delta_log"
    log.mkdir(exist_ok=True)
    for file in (table / "_delta_log").glob(f"{version:020}.*"):
        shutil.copy(file, log)
    for part in table.glob("*.parquet"):
        if not (folder / part.name).exists():
            (folder / part.name).symlink_to(part)
    place = f"{folder.as_uri()}/"
    engine = delta_kernel.PythonInterface(place)
    snapshot = delta_kernel.Table(place).snapshot(engine)
    assert snapshot.version() == version
    read = delta_kernel.ScanBuilder(snapshot).build().execute(engine)
    return pa.Table.from_batches(read, read.schema).to_pylist()

for root in map(pathlib.Path, sys.argv[1:]):
    table = root / "data" / "1"
    newest = deltalake.DeltaTable(table)
    releases, folder = {}, pathlib.Path(tempfile.mkdtemp())
    for path in root.glob("manifest/*.json"):
        manifest = json.loads(path.read_text())
        releases[manifest["release"]] = manifest
    for version in range(newest.version() + 1):
        read = deltalake.DeltaTable(table, version=version)
        kernel = by_kernel(table, version, folder)
        release = read.transaction_version(f"tidegate/{newest.metadata().name}/1")
        if release is None:
            assert read.to_pyarrow_table().num_rows == 0 and not kernel
            continue
        manifest = releases[release]
        parts = [file["path"] for file in manifest["files"] if file["rows"] is not None]
        meant = [row for part in parts for row in pq.read_table(root / part).to_pylist()]
        rows = read.to_pyarrow_table().to_pylist()
        assert in_order(rows) == in_order(meant), f"version {version} is not release {release}"
        assert in_order(kernel) == in_order(meant), f"version {version} is not release {release} for delta_kernel"
    rows = releases[max(releases)]["rows"]
    # polars reads no table whose columns are mapped.
    if newest.protocol().min_reader_version == 1:
        assert pl.read_delta(str(table)).height == rows
    assert newest.to_pandas().shape[0] == rows
    arrow = newest.to_pyarrow_table()
    assert duckdb.sql("SELECT count(*) FROM arrow").fetchall() == [(rows,)]
    shutil.rmtree(folder)
    print(newest.version() + 1, "versions")
sys.stdout.flush()
# Threads of the readers may end a process in disorder that has done its work.
os._exit(0)
