"""Writes records of random schemas with fastavro: one JSON object per schema, with the schema, the records as hex digits and
what a reader should find in them. Arguments: a seed, and how many schemas."""

import datetime
import io
import json
import random
import sys

import fastavro

draw = random.Random(int(sys.argv[1]))
names = 0


def name():
    global names
    names += 1
    return f"N{names}"


def text():
    return "".join(draw.choice("abcäß日\U0001d4b3 \"\\") for _ in range(draw.randrange(8)))


def strange(depth=0):
    """A type that is not read, and what draws a value of it."""
    kinds = ["null", "boolean", "int", "long", "float", "double", "bytes", "string", "enum", "fixed", "time", "decimal"]
    kind = draw.choice(kinds + (["array", "map", "union", "record"] * 2 if depth < 4 else []))
    if kind == "null":
        return "null", lambda: None
    if kind == "boolean":
        return "boolean", lambda: draw.random() < 0.5
    if kind == "int":
        return "int", lambda: draw.randrange(-(2**31), 2**31) >> draw.randrange(32)
    if kind == "long":
        return "long", lambda: draw.randrange(-(2**63), 2**63) >> draw.randrange(64)
    if kind in ("float", "double"):
        return kind, lambda: draw.uniform(-1e9, 1e9)
    if kind == "bytes":
        return "bytes", lambda: draw.randbytes(draw.randrange(200))
    if kind == "string":
        return "string", text
    if kind == "enum":
        symbols = [name() for _ in range(draw.randrange(1, 80))]
        return {"type": "enum", "name": name(), "symbols": symbols}, lambda: draw.choice(symbols)
    if kind == "fixed":
        size = draw.randrange(20)
        return {"type": "fixed", "name": name(), "size": size}, lambda: draw.randbytes(size)
    if kind == "time":
        logical = draw.choice(["timestamp-millis", "timestamp-micros", "time-micros"])
        return {"type": "long", "logicalType": logical}, lambda: draw.randrange(2**36)
    if kind == "decimal":
        # As bytes: what it means is not read.
        return {"type": "bytes"}, lambda: draw.randbytes(4)
    if kind == "array":
        items, item = strange(depth + 1)
        return {"type": "array", "items": items}, lambda: [item() for _ in range(draw.randrange(4))]
    if kind == "map":
        values, value = strange(depth + 1)
        return {"type": "map", "values": values}, lambda: {text(): value() for _ in range(draw.randrange(4))}
    if kind == "union":
        inner, value = strange(depth + 1)
        if isinstance(inner, list) or inner == "null":
            return inner, value
        return ["null", inner], lambda: None if draw.random() < 0.3 else value()
    fields = [(name(), *strange(depth + 1)) for _ in range(draw.randrange(4))]
    schema = {"type": "record", "name": name(), "fields": [{"name": n, "type": t} for n, t, _ in fields]}
    return schema, lambda: {n: value() for n, _, value in fields}


def optional(kind, value):
    """A type that may be null, on either side of the union."""
    if draw.random() < 0.5:
        return kind, value
    return draw.choice([["null", kind], [kind, "null"]]), lambda: None if draw.random() < 0.3 else value()


def day(first, last):
    return lambda: first + datetime.timedelta(draw.randrange((last - first).days))


DATE = {"type": "int", "logicalType": "date"}
EPOCH = datetime.date(1970, 1, 1)


def wanted():
    number = draw.choice(["int", "long"])
    return [
        ("id", "string", lambda: "p" + text()),
        ("age", number, lambda: draw.randrange(120)),
        ("born", DATE, day(datetime.date(1900, 1, 1), datetime.date(2020, 12, 31))),
        ("ward", *optional({"type": "enum", "name": name(), "symbols": ["B", "A"]}, lambda: draw.choice("AB"))),
        ("diagnosis", *optional("string", lambda: "d" + text())),
        ("stay", *optional("long", lambda: draw.randrange(-(2**63), 2**63) >> draw.randrange(64))),
        ("dose", *optional("double", lambda: draw.randrange(-(2**20), 2**20) / 64)),
        ("smokes", *optional("boolean", lambda: draw.random() < 0.5)),
        ("seen", *optional(DATE, day(datetime.date(1, 1, 1), datetime.date(9999, 12, 31)))),
    ]


def shown(value):
    return value.isoformat() if isinstance(value, datetime.date) else value


for _ in range(int(sys.argv[2])):
    columns = wanted()
    fields = columns + [(name(), *strange()) for _ in range(draw.randrange(8))]
    draw.shuffle(fields)
    value = {"type": "record", "name": name(), "fields": [{"name": n, "type": t} for n, t, _ in fields]}
    space = draw.choice([{}, {"namespace": "a.b"}])
    before = {"name": "before", "type": ["null", value]}
    after = {"name": "after", "type": draw.choice([value["name"], ["null", value["name"]]])}
    op = {"name": "op", "type": "string"}
    schema = {"type": "record", "name": name(), **space, "fields": [before, after, op]}
    parsed = fastavro.parse_schema(json.loads(json.dumps(schema)))
    records, objects = [], []
    for _ in range(draw.randrange(1, 12)):
        one = {n: draw_value() for n, _, draw_value in fields}
        other = {n: draw_value() for n, _, draw_value in fields}
        out = io.BytesIO()
        change = {"before": draw.choice([None, other]), "after": one, "op": draw.choice("cru")}
        fastavro.schemaless_writer(out, parsed, change)
        records.append(out.getvalue().hex())
        objects.append(json.dumps({"after": {n: shown(one[n]) for n, _, _ in columns}}))
    print(json.dumps({"schema": json.dumps(schema), "records": records, "objects": objects}))
