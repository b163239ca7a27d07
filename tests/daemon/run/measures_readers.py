"""Reads the table of measures of a public root with the readers that people use, and prints the sum of its sums as each adds them."""

import json
import pathlib
import sys
from decimal import Decimal

import deltalake
import duckdb
import polars as pl
import pyarrow.parquet as pq

table = pathlib.Path(sys.argv[1]) / "measures" / "1"
delta = deltalake.DeltaTable(table)
files = [str(table / name) for name in delta.to_pyarrow_table().schema.names and [pathlib.Path(uri).name for uri in delta.file_uris()]]
arrow = delta.to_pyarrow_table()


def added(numbers):
    return str(sum((number for number in numbers if number is not None), Decimal(0)).quantize(Decimal("1e-6")))


duck = duckdb.sql(f"select sum(cost_sum) from read_parquet({files})").fetchall()[0][0]
pandas = [row for name in files for row in pq.read_table(name).to_pandas()["cost_sum"]]
print(
    json.dumps(
        {
            "deltalake": added(arrow["cost_sum"].to_pylist()),
            "duckdb": str(duck),
            "polars": added(pl.read_parquet(files)["cost_sum"].to_list()),
            "pandas": added(pandas),
        }
    )
)
