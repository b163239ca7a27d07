"""The optimal full-domain recoding of Adult, answering the COUNT queries that `cargo bench --bench counts` puts to our releases.

    python3 -m venv .venv
    .venv/bin/pip install numpy
    .venv/bin/python benches/peers/counts.py DATA/adult

The recoding is what ARX 3.9.2 finds for k = 5 with up to 5 % of the rows suppressed, all nine columns, least Loss (geometric
mean): a level of its hierarchy per column. Suppressed rows are `*` in every column, and count as Loss 1. The queries are those
of the case of one tick: the same numbers are drawn in the same order, so both print the same mean share of the people. `even` estimates
as the bench does; `EM` learns from the columns of a query alone, thirty rounds, without profiles. Labels of one recoding for all do not
overlap, so that the two agree.
"""

import csv
import pathlib
import sys

import numpy

K = 5
# Column -> how many levels of its hierarchy the release goes up, in the order of the file.
LEVELS = {
    "sex": 0,
    "age": 3,
    "race": 0,
    "marital-status": 0,
    "education": 2,
    "native-country": 1,
    "workclass": 1,
    "occupation": 2,
    "salary-class": 0,
}
# As in benches/counts/queries.rs, but for the rounds.
SETS, QUERIES, FEWEST, ROUNDS, SEED = 40, 25, 200, 30, 11
MASK = (1 << 64) - 1


class Draw:
    """SplitMix64, as tests/common/random.rs has it."""

    def __init__(self, seed):
        self.state = seed
        self.next()

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def between(self, first, last):
        return first + self.next() % (last - first + 1)

    def some(self, below, many):
        numbers = list(range(below))
        for at in range(many):
            other = self.between(at, below - 1)
            numbers[at], numbers[other] = numbers[other], numbers[at]
        return numbers[:many]

    def leaves(self, number):
        wanted = numpy.zeros(number, bool)
        if self.next() % 2 == 0:
            ends = self.between(0, number - 1), self.between(0, number - 1)
            wanted[min(ends) : max(ends) + 1] = True
        else:
            wanted[self.some(number, self.between(1, number - 1))] = True
        return wanted


class Column:
    """Leaves of a hierarchy in the order of the tree, and the label that each has on the level of the release."""

    def __init__(self, path, level):
        with open(path, newline="") as file:
            rows = list(csv.reader(file, delimiter=";"))
        first = {}
        for at, row in enumerate(rows):
            for up, label in enumerate(row):
                first.setdefault((up, label), at)
        rows.sort(key=lambda row: [first[up, row[up]] for up in reversed(range(len(row)))])
        self.leaf = {row[0]: at for at, row in enumerate(rows)}
        labels = [row[level] for row in rows]
        # Leaves under one label are neighbours.
        self.starts = [at for at, label in enumerate(labels) if at == 0 or labels[at - 1] != label]
        self.group = numpy.searchsorted(self.starts, range(len(rows)), side="right") - 1
        self.values = numpy.bincount(self.group)


def counted(sides, codes):
    """How many people have each combination of these codes."""
    flat = numpy.ravel_multi_index(tuple(codes.T), sides)
    return numpy.bincount(flat, minlength=int(numpy.prod(sides))).reshape(sides)


def picked(cells, wanted):
    return cells[numpy.ix_(*wanted)].sum()


def drawn(columns, people):
    """Sets of columns with their queries: which leaves are wanted, and how many people have them."""
    draw = Draw(SEED)
    for _ in range(SETS):
        chosen = draw.some(len(columns), draw.between(2, 3))
        sides = [len(columns[at].leaf) for at in chosen]
        cells = counted(sides, people[:, chosen])
        queries = []
        while len(queries) < QUERIES:
            wanted = [draw.leaves(side) for side in sides]
            number = picked(cells, wanted)
            if number * FEWEST >= len(people):
                queries.append((wanted, number))
        yield chosen, queries


def spread(columns, rows, suppressed, rounds):
    """People per cell: the rows under each label, and those without one, spread over the cells as the round before has them."""
    cells = numpy.ones([len(column.leaf) for column in columns])
    spreads = numpy.ix_(*(column.group for column in columns))
    for _ in range(rounds):
        labels = cells
        for axis, column in enumerate(columns):
            labels = numpy.add.reduceat(labels, column.starts, axis=axis)
        # A label that lost its last cell to rounding has no rows.
        factor = numpy.divide(rows, labels, out=numpy.zeros_like(labels), where=labels > 0)
        cells = cells * (factor[spreads] + suppressed / cells.sum())
    return cells


def main(folder):
    columns = [Column(folder / f"hierarchy_{name}.csv", level) for name, level in LEVELS.items()]
    with open(folder / "adult.csv", newline="") as file:
        rows = csv.DictReader(file, delimiter=";")
        people = numpy.array([[column.leaf[row[name]] for name, column in zip(LEVELS, columns)] for row in rows])
    labels = numpy.stack([column.group[people[:, at]] for at, column in enumerate(columns)], axis=1)
    _, which, sizes = numpy.unique(labels, axis=0, return_inverse=True, return_counts=True)
    kept = sizes[which.ravel()] >= K
    suppressed = len(people) - kept.sum()
    lost = [
        ((column.values[labels[kept, at]] - 1).sum() / (len(column.leaf) - 1) + suppressed) / len(people)
        for at, column in enumerate(columns)
    ]
    loss = numpy.prod([1 + one for one in lost]) ** (1 / len(lost)) - 1
    print(f"Adult, {len(people)} rows, {len(columns)} columns, k = {K}: {100 * suppressed / len(people):.1f} % suppressed")
    print(f"  Loss {loss:.4f}")
    errors, shares = {1: [], ROUNDS: []}, []
    for chosen, queries in drawn(columns, people):
        asked = [columns[at] for at in chosen]
        rows = counted([len(column.starts) for column in asked], labels[kept][:, chosen])
        shares += [number / len(people) for _, number in queries]
        for rounds, off in errors.items():
            cells = spread(asked, rows, suppressed, rounds)
            off += [abs(picked(cells, wanted) - number) / number for wanted, number in queries]
    print(f"  mean relative error: even {numpy.mean(errors[1]):.3f}, EM {numpy.mean(errors[ROUNDS]):.3f}")
    print(f"  (queries count {100 * numpy.mean(shares):.1f} %)")


main(pathlib.Path(sys.argv[1]))
