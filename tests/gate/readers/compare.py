"""Opens published tables with the readers that analysts use, and compares every cell and type with what was published.

    compare.py FILE.parquet…        beside each lies FILE.json: {"columns": [{"name", "type", "nullable"}], "rows": [[…]]}

Dates are days since 1970-01-01 there. Prints what differs and exits 1; without a difference, one line per file.
"""

import datetime
import json
import pathlib
import sys

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

# Type of a column -> what each reader calls it, and the Python type of a cell.
TYPES = {
    "string": (pyarrow.string(), polars.String, "VARCHAR", str),
    "int": (pyarrow.int64(), polars.Int64, "BIGINT", int),
    "float": (pyarrow.float64(), polars.Float64, "DOUBLE", float),
    "bool": (pyarrow.bool_(), polars.Boolean, "BOOLEAN", bool),
    "date": (pyarrow.date32(), polars.Date, "DATE", datetime.date),
}
FIRST_DAY = datetime.date(1970, 1, 1).toordinal()


def with_pyarrow(path):
    table = pyarrow.parquet.read_table(path)
    types = [(field.name, field.type, field.nullable) for field in table.schema]
    return types, list(zip(*(column.to_pylist() for column in table.columns)))


def with_pandas(path):
    table = pandas.read_parquet(path, dtype_backend="pyarrow")
    types = [(name, dtype.pyarrow_dtype) for name, dtype in table.dtypes.items()]
    cells = [[None if pandas.isna(cell) else cell for cell in table[name].tolist()] for name in table.columns]
    return types, list(zip(*cells))


def with_polars(path):
    table = polars.read_parquet(path)
    return list(table.schema.items()), table.rows()


def with_duckdb(path):
    found = duckdb.sql(f"SELECT * FROM read_parquet('{path}')")
    return list(zip(found.columns, map(str, found.types))), found.fetchall()


def expected_cell(cell, kind):
    if cell is None:
        return None
    if kind == "date":
        return datetime.date.fromordinal(FIRST_DAY + cell)
    return float(cell) if kind == "float" else cell


def differences(path):
    expected = json.loads(path.with_suffix(".json").read_text())
    columns = expected["columns"]
    kinds = [TYPES[column["type"]] for column in columns]
    rows = [tuple(expected_cell(cell, column["type"]) for cell, column in zip(row, columns)) for row in expected["rows"]]
    names = [column["name"] for column in columns]
    arrow = list(zip(names, (kind[0] for kind in kinds)))
    readers = [
        (with_pyarrow, [(name, kind, column["nullable"]) for (name, kind), column in zip(arrow, columns)]),
        (with_pandas, arrow),
        (with_polars, list(zip(names, (kind[1] for kind in kinds)))),
        (with_duckdb, list(zip(names, (kind[2] for kind in kinds)))),
    ]
    for reader, types in readers:
        name = reader.__name__.removeprefix("with_")
        found_types, found = reader(path)
        if found_types != types:
            yield f"{name}: types {found_types}, expected {types}"
        if len(found) != len(rows):
            yield f"{name}: {len(found)} rows, expected {len(rows)}"
        for number, (row, want) in enumerate(zip(found, rows)):
            fits = all(cell is None or type(cell) is kind[3] for cell, kind in zip(row, kinds))
            if tuple(row) != want or not fits:
                yield f"{name}: row {number} is {row}, expected {want}"
                break


def main():
    failed = False
    for path in map(pathlib.Path, sys.argv[1:]):
        found = list(differences(path))
        failed |= bool(found)
        print("\n".join(f"{path.name}: {text}" for text in found or ["all readers agree"]))
    return failed


if __name__ == "__main__":
    sys.exit(main())
