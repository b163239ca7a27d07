"""Writes the rows of a published table with DuckDB and with pyarrow, one thread each, and prints times and sizes.

    publish.py TABLE.parquet        a file that `cargo bench --bench publish -- TABLE.parquet` has kept

Both get the rows in their own form of memory first and use zstd and row groups as we do. pyarrow gets every column as a
dictionary, so it only encodes keys; we start from classes and groups. Times are medians; on a busy machine only the
processor's time says something.
"""

import pathlib
import statistics
import sys
import tempfile
import time

import duckdb
import pyarrow
import pyarrow.parquet

RUNS = 5
ROW_GROUP = 1 << 20


def main(path):
    pyarrow.set_cpu_count(1)
    names = pyarrow.parquet.read_schema(path).names
    table = pyarrow.parquet.read_table(path, read_dictionary=names)
    database = duckdb.connect()
    database.execute("SET threads = 1")
    database.execute(f"CREATE TABLE rows AS SELECT * FROM read_parquet('{path}')")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "peer.parquet"
        options = f"FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 3, ROW_GROUP_SIZE {ROW_GROUP}"
        writers = {
            "DuckDB": lambda: database.execute(f"COPY rows TO '{out}' ({options})"),
            "pyarrow": lambda: pyarrow.parquet.write_table(
                table, out, compression="zstd", compression_level=3, write_statistics=False, row_group_size=ROW_GROUP
            ),
        }
        for name, write in writers.items():
            taken = []
            for _ in range(RUNS):
                wall, processor = time.perf_counter(), time.process_time()
                write()
                taken.append((time.perf_counter() - wall, time.process_time() - processor))
            wall, processor = (statistics.median(column) for column in zip(*taken))
            rows, size = table.num_rows, out.stat().st_size
            print(
                f"{name}: {wall:.3f} s, {rows / wall / 1e6:.2f} million rows/s "
                f"({rows / processor / 1e6:.2f} by processor time), {size / rows:.2f} bytes/row"
            )


main(sys.argv[1])
