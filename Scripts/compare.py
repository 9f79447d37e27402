#!/usr/bin/env python3
"""Compares the benches of two commits: compare.py BEFORE flow|store|album [rows…] [--after COMMIT] [--rounds N]

Builds both commits, each in a copy of its own, and runs the bench of the one before, of this one (or of --after) and of
the one before again, in turns. Prints for each row the medians of what one operation costs, how much that and the ratio
to the peer changed, and by how much the earlier commit differs from itself. A row is worse if both its cost and its
ratio grew by more than 3 %, or by more than the earlier commit's own difference where that is larger. Exits with 1 if
a row is worse.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "compare"
WORSE = 0.03
PROGRAMS = {"flow": "FlowBenchmarks", "store": "StoreBenchmarks"}


class Commit:
    """A commit that is built in a folder of its own, and whose bench runs there."""

    def __init__(self, name, bench):
        found = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", f"{name}^{{commit}}"],
                               capture_output=True, text=True)
        if found.returncode:
            raise SystemExit(f"There is no commit {name} here. Name one that git log shows.")
        self.name, self.bench = found.stdout.strip(), bench
        # SwiftPM calls a package by its folder, and the apps and benches ask for one of this name.
        self.tree = FOLDER / self.name / "reunion"

    def build(self):
        if not self.tree.exists():
            self.tree.mkdir(parents=True)
            archive = subprocess.run(["git", "-C", str(ROOT), "archive", self.name], capture_output=True, check=True)
            subprocess.run(["tar", "-x", "-C", str(self.tree)], input=archive.stdout, check=True)
        print(f"Building {self.name}…", flush=True)
        if self.bench == "album":
            self._do("make", "build-albums")
            self._do("Scripts/venv.sh")
        else:
            if self.bench == "store":
                self._do("Scripts/venv.sh", "bench")
            self._do("swift", "build", "-c", "release", "--package-path", "Benchmarks", "--product",
                     PROGRAMS[self.bench])

    def run(self, rows):
        """What one operation costs and its ratio, by the row."""
        if self.bench == "album":
            self._do(self.tree / ".build/venv/bin/python", "Tests/Journeys/bench.py", *rows)
        else:
            self._do(self.tree / "Benchmarks/.build/release" / PROGRAMS[self.bench], *rows)
        told = json.loads((self.tree / ".build/bench" / f"{self.bench}.json").read_text())
        return {row["name"]: (1 / row["ours"] if row["unit"] == "per second" else row["ours"], row.get("ratio"))
                for row in told if row["ours"]}

    def _do(self, *command):
        ran = subprocess.run([str(word) for word in command], cwd=self.tree, capture_output=True, text=True)
        if ran.returncode:
            raise SystemExit(f"{command[0]} of {self.name} failed:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")


def change(pairs):
    """How much more the second is than the first, as a part of the first: the median over rounds, or None."""
    found = [second / first - 1 for first, second in pairs if first and second]
    return statistics.median(found) if found else None


def percent(value):
    return "–" if value is None else f"{100 * value:+.1f} %"


def judged(name, rounds):
    """The line of a row, and whether it is worse."""
    before, after, again = ([each[index][name] for each in rounds if all(name in run for run in each)]
                            for index in range(3))
    cost, ratio = (change([(first[at], second[at]) for first, second in zip(before, after)]) for at in (0, 1))
    itself = max(abs(change([(first[at], second[at]) for first, second in zip(before, again)]) or 0) for at in (0, 1))
    grown = [each for each in (cost, ratio) if each is not None]
    is_worse = min(grown) > max(WORSE, itself)
    medians = [statistics.median(cost for cost, _ in each) for each in (before, after)]
    told = [f"{median:.4g}" for median in medians] + [percent(each) for each in (cost, ratio, itself)]
    return f"| {name} | {' | '.join(told)} | {'✘ worse' if is_worse else '✓'} |", is_worse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE")
    parser.add_argument("bench", choices=["flow", "store", "album"])
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--after", default="HEAD", metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds is at least 1.")
    before, after = Commit(options.before, options.bench), Commit(options.after, options.bench)
    for commit in (before, after):
        commit.build()
    rounds = []
    for number in range(options.rounds):
        print(f"Round {number + 1} of {options.rounds}…", flush=True)
        rounds.append([commit.run(options.rows) for commit in (before, after, before)])
    names = [name for name in rounds[0][0] if any(all(name in run for run in each) for each in rounds)]
    print(f"| row | {before.name} | {after.name} | cost | ratio to the peer | {before.name} beside itself | |")
    print("|---|---|---|---|---|---|---|")
    lines = [judged(name, rounds) for name in names]
    for line, _ in lines:
        print(line)
    missing = sorted({name for name in rounds[0][0]} - {name for name in rounds[0][1]})
    if missing:
        print(f"Only {before.name} has: {', '.join(missing)}")
    sys.exit(any(is_worse for _, is_worse in lines) or bool(missing))


if __name__ == "__main__":
    main()
