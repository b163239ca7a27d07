"""Reads every version of the Delta table of each public root that is named with Spark, and compares it with the manifest of its
release. The first argument is a folder with the jars of Delta Lake."""

import json
import pathlib
import sys

from pyspark.sql import SparkSession

jars, *roots = map(pathlib.Path, sys.argv[1:])
settings = {
    "spark.jars": ",".join(str(jar) for jar in sorted(jars.glob("*.jar"))),
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
}
builder = SparkSession.builder.master("local[1]")
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
for root in roots:
    table = root / "data" / "1"
    rows = {}
    for path in root.glob("manifest/*.json"):
        manifest = json.loads(path.read_text())
        rows[manifest["release"]] = manifest["rows"]
    release = None
    commits = sorted((table / "_delta_log").glob("*.json"))
    for version, commit in enumerate(commits):
        for action in map(json.loads, commit.read_text().splitlines()):
            release = action.get("txn", {}).get("version", release)
        read = spark.read.format("delta").option("versionAsOf", version).load(str(table))
        assert read.count() == rows.get(release, 0), f"version {version} is not release {release}"
    newest = spark.read.format("delta").load(str(table))
    assert newest.groupBy("tidegate_release").count().count() == len(rows)
    print(len(commits), "versions", flush=True)
spark.stop()
