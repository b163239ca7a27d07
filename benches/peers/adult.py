"""The figures of one release, by `tidegate audit` and by pycanon, on the same file.

Two releases of Adult: as it is (every class a leaf tuple), and generalised by the levels below, so that the figures are
not all at their worst. Times are wall-clock medians; ours is the whole process, file reading included, pycanon's only
the call, so the ratio is on the cautious side. Exits 1 if a figure differs.
"""

import csv
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import pandas
from pycanon import anonymity

SENSITIVE = "occupation"
# Quasi column -> how many levels of its hierarchy the generalised release goes up.
LEVELS = {
    "sex": 0,
    "age": 4,
    "race": 1,
    "marital-status": 1,
    "education": 2,
    "native-country": 2,
    "workclass": 2,
    "salary-class": 1,
}


def hierarchy(data, column):
    with open(data / f"hierarchy_{column}.csv", newline="") as file:
        return {row[0]: row for row in csv.reader(file, delimiter=";")}


def generalised(data, table):
    table = table.copy()
    for column, level in LEVELS.items():
        paths = hierarchy(data, column)
        table[column] = table[column].map(lambda value: paths[value][min(level, len(paths[value]) - 1)])
    return table


def feed(data, folder):
    text = '[feed]\nname = "adult"\n\n[policy]\nk = 2\n'
    for column in LEVELS:
        file = f"hierarchy_{column}.csv"
        shutil.copy(data / file, folder / file)
        text += f'\n[[column]]\nname = "{column}"\nrole = "quasi"\ntaxonomy = {{ file = "{file}" }}\n'
    text += f'\n[[column]]\nname = "{SENSITIVE}"\nrole = "sensitive"\n'
    path = folder / "adult.toml"
    path.write_text(text)
    return path


def timed(runs, call):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return result, statistics.median(times)


def audit(binary, feed_file, release):
    command = [binary, "audit", "--json", "--feed", feed_file, "--release", release]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"tidegate audit failed ({done.returncode}): {done.stdout}{done.stderr}")
    one = json.loads(done.stdout)["releases"][0]
    return {"k": one["k"]} | one["diversity"]["before"]


def peer(table, runs):
    quasi = list(LEVELS)
    calls = {
        "k": lambda: anonymity.k_anonymity(table, quasi),
        "distinct_l": lambda: anonymity.l_diversity(table, quasi, [SENSITIVE]),
        "entropy_l": lambda: anonymity.entropy_l_diversity(table, quasi, [SENSITIVE]),
        "t_equal": lambda: anonymity.t_closeness(table, quasi, [SENSITIVE]),
        "alpha": lambda: anonymity.alpha_k_anonymity(table, quasi, [SENSITIVE])[0],
    }
    return {name: timed(runs, call) for name, call in calls.items()}


def agree(name, ours, theirs):
    if name == "entropy_l":
        # pycanon cuts exp(entropy) to a whole number; ours is the figure itself.
        return theirs in (math.floor(ours - 1e-9), math.floor(ours + 1e-9))
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)


def main():
    binary, data, runs = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    table = pandas.read_csv(data / "adult.csv", sep=";", dtype=str)
    wrong = 0
    for title, release in [("as it is", table), ("generalised", generalised(data, table))]:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            release.to_csv(folder / "release.csv", sep=";", index=False)
            feed_file = feed(data, folder)
            ours, our_time = timed(max(runs, 5), lambda: audit(binary, feed_file, folder / "release.csv"))
        theirs = peer(release, runs)
        classes = release.groupby(list(LEVELS)).ngroups
        print(f"Adult {title}: {len(release)} rows, {classes} classes")
        print(f"  {'figure':<12}{'tidegate':>14}{'pycanon':>14}{'pycanon s':>12}")
        for name, (figure, seconds) in theirs.items():
            same = agree(name, ours[name], figure)
            wrong += not same
            print(f"  {name:<12}{ours[name]:>14.6g}{figure:>14.6g}{seconds:>12.3f}{'' if same else '   DIFFERS'}")
        total = sum(seconds for _, seconds in theirs.values())
        print(f"  all of them: tidegate {our_time:.3f} s, pycanon {total:.3f} s, ratio {total / our_time:.0f}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
