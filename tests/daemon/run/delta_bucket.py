"""Reads the newest version of a Delta table in a bucket with deltalake, polars and DuckDB: the rows that each finds."""

import os
import sys

import deltalake
import duckdb
import polars as pl

table, endpoint = sys.argv[1:]
options = {
    "AWS_ENDPOINT_URL": endpoint,
    "AWS_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": "something",
    "AWS_ALLOW_HTTP": "true",
}
os.environ["NO_PROXY"] = "127.0.0.1"
arrow = deltalake.DeltaTable(table, storage_options=options).to_pyarrow_table()
frame = pl.read_delta(table, storage_options=options)
[(counted,)] = duckdb.sql("SELECT count(*) FROM arrow").fetchall()
print(arrow.num_rows, frame.height, counted, flush=True)
# Threads of the readers may end a process in disorder that has done its work.
os._exit(0)
