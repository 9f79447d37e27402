"""What the games need, beside their goals: bench_apps.py [names…] → .build/bench/apps.json

Each app has a function that gives its rows. With names only these apps are measured, and the rows of the others stay.
"""

import json
import re
import subprocess
import sys

from album import APPS, ROOT
from bench import row
from bench_words import words

RESULT = ROOT / ".build" / "bench" / "apps.json"
SUDOKU = ROOT / ".build" / "sudoku"
TIMES = re.compile(r"^(?P<what>.+?): mean (?P<mean>[\d.]+), p95 (?P<p95>[\d.]+), most (?P<most>[\d.]+) ms of CPU$")
CPU = "ms of CPU"


def told(*arguments):
    """What SudokuBench prints, and the times in it by what they are of."""
    said = subprocess.run([APPS / "SudokuBench", *arguments], capture_output=True, text=True,
                          check=True).stdout
    found = [TIMES.match(line) for line in said.splitlines()]
    return said, {each["what"]: {name: float(each[name]) for name in ("mean", "p95", "most")} for each in found if each}


def sudoku():
    """The solver, the generator, and reading photographs (those that the Makefile has rendered)."""
    _, times = told()
    solved = {what: each for what, each in times.items() if what.startswith("solve, ") and "same" not in what}
    rows = [row("sudoku-solve-hardest-most", max(each["most"] for each in solved.values()), 10, "the goal", CPU)]
    for what, each in times.items():
        if made := re.match(r"make, \d+ (\w+),", what):
            rows.append(row(f"sudoku-make-{made[1]}-most", each["most"], 50, "the goal", CPU))
            rows.append(row(f"sudoku-make-{made[1]}-mean", each["mean"], 50, "the goal of each", CPU))
    said, times = told("grab", SUDOKU / "photographs")
    print(said, end="")
    for name in ("mean", "p95"):
        rows.append(row(f"sudoku-grab-{name}", times["a photograph of a Sudoku"][name], 300, "the goal", CPU))
    return rows


# By the beginning of their rows' names.
APPS = {"sudoku": sudoku, "words": words}


def main(wanted):
    unknown = wanted - APPS.keys()
    if unknown:
        sys.exit(f"There is no app {', '.join(sorted(unknown))}. Name some of {', '.join(APPS)}.")
    chosen = [name for name in APPS if not wanted or name in wanted]
    rows = [each for name in chosen for each in APPS[name]()]
    kept = json.loads(RESULT.read_text()) if wanted and RESULT.exists() else []
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(
        [each for each in kept if each["name"].split("-")[0] not in chosen] + rows, indent=1) + "\n")
    print(f"Rows are in {RESULT.relative_to(ROOT)}.")


if __name__ == "__main__":
    main(set(sys.argv[1:]))
