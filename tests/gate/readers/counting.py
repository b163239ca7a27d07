"""The estimator of `tidegate query` (SCIENCE 11, counting) in numpy, written from its description and not from its code: the test
`what_pages_show_to_analysts_works` runs it behind the Python of the guide for analysts, which reads `table`, `trees` and `manifest`,
and compares its count with that of the program."""

import numpy as np

PROFILES, ROUNDS, FITS, LEAST = 16, 60, 4, 1e-9
quasi = list(trees)
keys = quasi + [name for name in ["tidegate_release"] if name in table]
sensitive = [name for name in table if name not in keys]
ratio = manifest["policy"].get("max_ratio", 100)
refusals = sum(4**n <= (100 if ratio == "off" else ratio) for n in range(1, 32)) if "layout" in manifest else 0


def nodes(name):
    """For each label its first leaf, its end, and the first leaf of its second part, if it has two."""
    below, known, leaves = {}, {}, [0]
    for node in trees[name]:
        below.setdefault(node["parent"], []).append(node["label"])

    def walk(label):
        first, parts = leaves[0], [walk(part) for part in below.get(label, [])]
        leaves[0] += not parts
        known[label] = (first, leaves[0], parts[0][1] if len(parts) == 2 else parts[0][2] if len(parts) == 1 else None)
        return known[label]

    walk(trees[name][0]["label"])
    return known


# Equal rows of a class, the class of each, and its sensitive value.
rows = table.groupby(keys + sensitive, observed=True, dropna=False).size().reset_index(name="rows")
of = rows.groupby(keys, observed=True).ngroup().to_numpy()
value = rows.groupby(sensitive, dropna=False).ngroup().to_numpy() if sensitive else 0 * of
many, classes = rows["rows"].to_numpy(), rows.assign(of=of).drop_duplicates("of").sort_values("of")
size, known = np.bincount(of, many), {name: nodes(name) for name in quasi}
# Halving has refused the splits of the columns that have lost most, as many as it may refuse.
width = {name: {node["label"]: node["values"] - 1 for node in trees[name]} for name in quasi}
start, middle, end, split = {}, {}, {}, {name: np.zeros(len(size), bool) for name in quasi}
for at, label in enumerate(classes[quasi].itertuples(index=False)):
    parted = [(name, known[name][one][2]) for name, one in zip(quasi, label) if known[name][one][2] is not None]
    lost = {name: width[name][one] / max(1, max(width[name].values())) for name, one in zip(quasi, label)}
    for name, _ in sorted(parted, key=lambda parts: -lost[parts[0]])[:refusals]:
        split[name][at] = True
for name in quasi:
    first, last, half = zip(*(known[name][one] for one in classes[name]))
    start[name], end[name] = np.array(first), np.array(last)
    middle[name] = np.where(split[name], [one or 0 for one in half], end[name])
leaves = {name: max(last for _, last, _ in known[name].values()) for name in quasi}
cells = {name: np.unique(np.concatenate([[0, leaves[name]], start[name], middle[name], end[name]])) for name in quasi}
place = {name: [np.searchsorted(cells[name], of[name]) for of in (start, middle, end)] for name in quasi}


def draws(seed, many):
    """Numbers of the exponential distribution, by SplitMix64."""
    steps = ((seed * 0xD1342543DE82EF95 + (at + 1) * 0x9E3779B97F4A7C15) % 2**64 for at in range(many))
    z = np.array(list(steps), dtype=np.uint64)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return -np.log((((z ^ z >> np.uint64(31)) >> np.uint64(11)) + np.uint64(1)) / 2.0**53)


def normal(part, beside):
    more = beside * part.sum(1) / part.sum()
    return np.maximum((part + more[:, None]) / (part.sum(0) + beside), LEAST)


def sums(part):
    return np.concatenate([np.zeros((1, PROFILES)), part.cumsum(0)])


def refused(size, share, fewest=manifest["k"]):
    """How likely a split was refused, if one person of a class is in a part, and each other one with this probability."""

    def at_most(most, yes):
        term, sum = (1 - yes) ** (size - 1), 0
        for one in range(most + 1):
            term, sum = term * (size - 1 - one) / (one + 1) * yes / (1 - yes), sum + term
        return sum

    alone = at_most(0, 1 - share)
    few = np.where(size < 2 * fewest, 1 - alone, at_most(fewest - 2, share) + at_most(fewest - 1, 1 - share) - alone)
    return np.where(size >= 1000, 1, 0.25 + 0.75 * few)[:, None]


def placed(profiles, parts):
    """Per class the weight of each profile, and per column the factors of its two parts and their share."""
    weights, inside = np.broadcast_to(profiles, (len(size), PROFILES)), {}
    for name in quasi:
        first, half, last = (sums(parts[name])[at] for at in place[name])
        inside[name] = (1.0, 1.0, last - first, half - first)
        weights = weights * (last - first)
        weights = weights / weights.max(1)[:, None]
    likely = weights / weights.sum(1)[:, None]
    for name in quasi if refusals else []:
        _, _, whole, part = inside[name]
        share = np.where(split[name], (likely * part / whole).sum(1), 0.5)
        factors = [np.where(split[name][:, None], refused(size, one), 1.0) for one in (share, 1 - share)]
        both = factors[0] * part + factors[1] * (whole - part)
        weights, inside[name] = weights * both / whole, (*factors, both, part)
    return weights, inside


def spread(weights, values):
    """The rows of each value of a class in each profile."""
    each = weights[of] * values[value]
    return each * (many / each.sum(1))[:, None]


def fit(seed):
    drawn, parts = draws(seed, PROFILES * sum(len(cells[name]) - 1 for name in quasi)).reshape(-1, PROFILES), {}
    for name in quasi:
        widths, drawn = drawn[: len(cells[name]) - 1], drawn[len(cells[name]) - 1 :]
        parts[name] = normal(np.diff(cells[name])[:, None] * widths, 0)
    profiles, values = np.full(PROFILES, 1 / PROFILES), np.ones((value.max() + 1, PROFILES))
    for _ in range(ROUNDS):
        weights, inside = placed(profiles, parts)
        each = spread(weights, values)
        all, classes, seen = each.sum(0), np.zeros_like(weights), np.zeros_like(values)
        np.add.at(classes, of, each)
        np.add.at(seen, value, each)
        for name in quasi:
            first, second, both, _ = inside[name]
            step, change = classes / both, np.zeros((len(cells[name]), PROFILES))
            for at, more in zip(place[name], (step * first, step * (second - first), -step * second)):
                np.add.at(change, at, more)
            parts[name] = normal(parts[name] * np.maximum(change.cumsum(0)[:-1], 0), 1)
        profiles = np.maximum(all / all.sum(), LEAST)
        if 1 < len(values) <= 4096:
            values = (seen + 20 * profiles) / ((seen.sum(1)[:, None] + 20) * profiles)
    return profiles, parts, values


def count(fitted, wanted):
    """The rows whose leaves are in the range that is wanted of each column."""
    profiles, parts, values = fitted
    weights, inside = placed(profiles, parts)
    shares = np.ones_like(weights)
    for name, (one, end) in wanted.items():
        kept = (np.clip(cells[name][1:], one, end) - np.clip(cells[name][:-1], one, end)) / np.diff(cells[name])
        first, half, last = (sums(parts[name] * kept[:, None])[at] for at in place[name])
        shares = shares * (inside[name][0] * (half - first) + inside[name][1] * (last - half)) / inside[name][2]
    return (spread(weights, values) * shares[of]).sum()


ages = known["age"]["25"][0], known["age"]["44"][1]
fits = [fit(seed) for seed in range(1, FITS + 1)]
print(np.mean([count(fitted, {"age": ages, "ward": known["ward"]["Surgery"][:2]}) for fitted in fits]))
