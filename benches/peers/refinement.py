"""The assignments that a refinement attack leaves, counted by us and enumerated by CP-SAT, as the paper does (CRA 5).

    python3 -m venv .venv
    .venv/bin/pip install --requirement benches/peers/requirements.txt
    .venv/bin/python benches/peers/refinement.py [--quick] [--number N] [--limit SECONDS]

Run from the root of the repository. Builds `cargo bench --bench refinement` (or takes --program, one that has been
built) and lets it draw systems from the samples behind its tables, as many of each size. A system: a row count per
free cell, slabs of at most k − 1 rows, and all rows. CP-SAT gets just that, which is less than the paper's own form,
and only counts what it finds; as it comes, which is what the paper takes, and `tuned`, without presolve and linear
relaxation, the fastest of the settings that were tried.

Comparisons are on the cautious side: CP-SAT's time is that of the search alone, ours is that of the whole attack (free
cells, solutions, supports, ratio) and of a share of what the targets of a release have in common. One thread each.
Whole processes read the same file, attack or enumerate each system once, and print the numbers.

Exits 1 if a number differs. Where CP-SAT has not finished within the limit, its number may only be smaller, and the
ratio is what it is by then, which is too little.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

GOAL = 1_000
# Settings of CP-SAT beyond those that enumerating needs.
SETTINGS = {"default": {}, "tuned": {"cp_model_presolve": False, "linearization_level": 0}}
# A search below so many seconds is repeated, and the time in the middle counts.
SHORT, TIMES = 0.1, 5
# Systems of up to so many assignments are enumerated once more, for their solutions.
WEIGHED = 1_000


def program():
    command = ["cargo", "bench", "--locked", "--bench", "refinement", "--no-run", "--message-format", "json"]
    built = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    messages = [json.loads(line) for line in built.splitlines() if line.startswith("{")]
    benches = [message for message in messages if message.get("target", {}).get("name") == "refinement"]
    return [message["executable"] for message in benches if message.get("executable")][-1]


def enumerate_all(system, settings, limit, weighed=False):
    """How many assignments, and solutions if asked; whether these are all; and the seconds of the search."""
    from ortools.sat.python import cp_model

    class Seen(cp_model.CpSolverSolutionCallback):
        def __init__(self, counts):
            super().__init__()
            self.counts, self.number, self.solutions = counts, 0, 0

        def on_solution_callback(self):
            self.number += 1
            if weighed:
                held = zip(system["cells"], self.counts)
                self.solutions += math.prod(math.comb(volume, self.value(count)) for volume, count in held)

    model = cp_model.CpModel()
    most = min(system["rows"], system["cap"]) if system["slabs"] else system["rows"]
    counts = [model.new_int_var(0, most, "") for _ in system["cells"]]
    model.add(sum(counts) == system["rows"])
    for slab in system["slabs"]:
        model.add(sum(counts[cell] for cell in slab) <= system["cap"])
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    for name, value in SETTINGS[settings].items():
        setattr(solver.parameters, name, value)
    seen = Seen(counts)
    start = time.perf_counter()
    status = solver.solve(model, seen)
    seconds = time.perf_counter() - start
    done = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return seen.number, seen.solutions, done, seconds


def peer(file, settings, limit):
    """The whole other process: reads the systems, enumerates each and prints what it found; repeats are told apart."""
    for system in json.loads(pathlib.Path(file).read_text())["systems"]:
        number, _, done, seconds = enumerate_all(system, settings, limit)
        start = time.perf_counter()
        again = [enumerate_all(system, settings, limit)[3] for _ in range(1, TIMES) if seconds < SHORT]
        again_seconds = time.perf_counter() - start
        middle = statistics.median([seconds, *again])
        print(json.dumps({"number": number, "done": done, "seconds": middle, "again": again_seconds}))


def whole(command):
    """What a process prints, line by line, and its seconds from start to end."""
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{command} failed ({done.returncode})")
    return [json.loads(line) for line in done.stdout.splitlines()], seconds


def differs(system, again, found):
    """What does not agree about a system; None if all does."""
    ours = int(system["assignments"])
    if ours != again:
        return f"ours {ours}, and then {again}"
    for settings, theirs in found.items():
        if theirs["number"] > ours or (theirs["done"] and theirs["number"] != ours):
            return f"ours {ours}, CP-SAT ({settings}) {theirs['number']}"
    if ours <= WEIGHED:
        _, solutions, _, _ = enumerate_all(system, "tuned", math.inf, weighed=True)
        if solutions != int(system["solutions"]):
            return f"solutions: ours {system['solutions']}, CP-SAT {solutions}"
    return None


def median_of(weighted):
    """The median of values that stand for so many each."""
    half = sum(weight for _, weight in weighted) / 2
    for value, weight in sorted(weighted):
        half -= weight
        if half <= 0:
            return value
    return math.nan


def size_name(size):
    below = 10 ** (size - 1) if size else 0
    return f"{below + 1:,} to {10 ** size:,}" if size else "1"


def table(data, found):
    """Times and ratios by size, for one kind of settings; per system both times and how many targets it stands for."""
    print(f"{'assignments':<18}{'targets':>8}{'taken':>6}{'done':>5}{'ours µs':>9}{'CP-SAT µs':>12}", end="")
    print(f"{'ratio':>9}{'least':>8}{'most':>11}")
    weighted = []
    for size in sorted({system["size"] for system in data["systems"]}):
        pairs = [pair for pair in zip(data["systems"], found) if pair[0]["size"] == size]
        ours = statistics.median(system["seconds"] * 1e6 for system, _ in pairs)
        peers = statistics.median(theirs["seconds"] * 1e6 for _, theirs in pairs)
        ratios = [theirs["seconds"] / system["seconds"] for system, theirs in pairs]
        done, targets = sum(theirs["done"] for _, theirs in pairs), data["targets"][str(size)]
        weighted += [(theirs["seconds"], system["seconds"], targets / len(pairs)) for system, theirs in pairs]
        print(f"{size_name(size):<18}{targets:>8}{len(pairs):>6}{done:>5}{ours:>9.1f}{peers:>12,.0f}", end="")
        print(f"{statistics.median(ratios):>9,.0f}{min(ratios):>8,.0f}{max(ratios):>11,.0f}")
    return weighted


def report(settings, data, found, seconds):
    print(f"CP-SAT, {settings} {SETTINGS[settings] or ''}")
    times = table(data, found)
    ours, theirs = seconds["ours"], seconds[settings] - sum(each["again"] for each in found)
    middle = statistics.median(peer / our for peer, our, _ in times)
    many = [peer / our for (peer, our, _), system in zip(times, data["systems"]) if system["size"] > 2]
    peers, all_ours = (sum(each[at] * each[2] for each in times) for at in (0, 1))
    print(f"median ratio, as many systems of each size   {middle:,.0f}")
    print(f"median ratio, above 100 assignments          {statistics.median(many):,.0f}")
    print(f"median ratio, sizes as often as they come    {median_of([(p / o, weight) for p, o, weight in times]):,.0f}")
    print(f"ratio of sums, sizes as often as they come   {peers / all_ours:,.0f}")
    print(f"whole processes: ours {ours:.3f} s, CP-SAT {theirs:.1f} s, ratio {theirs / ours:,.0f}")
    print(f"goal, {GOAL:,} in the median, as many systems of each size: {'reached' if middle >= GOAL else 'missed'}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="3 systems of each size, 2 seconds for each")
    parser.add_argument("--number", type=int, help="systems of each size (12)")
    parser.add_argument("--limit", type=float, help="seconds for CP-SAT per system (60)")
    parser.add_argument("--program", help="the bench, already built")
    parser.add_argument("--enumerate", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--settings", choices=SETTINGS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    limit = asked.limit or (2 if asked.quick else 60)
    if asked.enumerate:
        return peer(asked.enumerate, asked.settings, limit)
    number = asked.number or (3 if asked.quick else 12)
    ours = asked.program or program()
    found, seconds = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "systems.json")
        subprocess.run([ours, "--systems", file, str(number)], check=True)
        data = json.loads(pathlib.Path(file).read_text())
        runs = [whole([ours, "--count", file]) for _ in range(TIMES)]
        again, seconds["ours"] = runs[0][0], statistics.median(run[1] for run in runs)
        for settings in SETTINGS:
            command = [sys.executable, __file__, "--enumerate", file, "--settings", settings, "--limit", str(limit)]
            found[settings], seconds[settings] = whole(command)
    beyond = sum(targets for size, targets in data["targets"].items() if int(size) > data["systems"][-1]["size"])
    print(f"{len(data['systems'])} systems, {number} of each size, {limit:g} s for each; {beyond} targets have more")
    print("assignments, on which CP-SAT is not tried\n")
    for settings in SETTINGS:
        report(settings, data, found[settings], seconds)
    each = [dict(zip(found, both)) for both in zip(*found.values(), strict=True)]
    wrong = [differs(*case) for case in zip(data["systems"], again, each, strict=True)]
    for at, why in enumerate(wrong):
        if why:
            print(f"system {at} DIFFERS: {why}")
    full = sum(any(theirs["done"] for theirs in case.values()) for case in each)
    print(f"{len(each)} numbers of assignments compared, {full} of them in full: {sum(map(bool, wrong))} differ")
    sys.exit(1 if any(wrong) else 0)


if __name__ == "__main__":
    main()
