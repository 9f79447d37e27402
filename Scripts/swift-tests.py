#!/usr/bin/env python3
"""Runs Swift's tests, built before: swift-tests.py COUNTS FAILURES BUNDLE [options…]

What fails runs once more, alone, and all where a run hung or broke off: a busy machine lets down what is
sound. What fails then too counts as failed; what does not is named as unsteady. Writes "PASSED FAILED SKIPPED"
into COUNTS, and what failed into FAILURES.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

# Twice the 20 minutes that they take beside other tests: what hangs is named and not waited for.
SECONDS = 2400
TOLD = re.compile(
    r"^(✘|seed [0-9]+, |replay: |(faults|fuzz|forgery|world|versions|browsers|small histories|every [a-z ]+): "
    r"|transitions of |seeded bugs: )|error:|recorded an issue|Test run with|^[^ ]+ Test .* skipped")
BEGUN = re.compile(r'^\S+ Test ("(.*)"|\S+\(\)) started\.$')
ENDED = re.compile(r'^\S+ Test ("(.*?)"|\S+\(\))( with \d+ test cases?)? (passed|failed) after ')
SKIPPED = re.compile(r'^\S+ Test .* skipped')
TOTAL = re.compile(r"Test run with ([0-9]+) tests?")


class Run:
    """What a run of the tests said, and how it ended."""

    def __init__(self, options):
        bundle, *rest = options
        # Not by `swift test`, which takes the tests of the package that was planned last in the same folder.
        command = ["stdbuf", "-oL", bundle, "--testing-library", "swift-testing", *rest]
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                self.status, self.hung = process.wait(SECONDS), False
            except subprocess.TimeoutExpired:
                self.status, self.hung = 124, True
            finally:
                # What it started ends with it.
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            output.seek(0)
            self.lines = output.read().splitlines()
        begun, self.passed, self.failed = set(), set(), set()
        for line in self.lines:
            if match := BEGUN.match(line):
                begun.add(match[2] or match[1])
            elif match := ENDED.match(line):
                (self.passed if match[4] == "passed" else self.failed).add(match[2] or match[1])
        self.open = begun - self.passed - self.failed
        self.skipped = [line for line in self.lines if SKIPPED.match(line)]
        totals = [int(match[1]) for line in self.lines if (match := TOTAL.search(line))]
        self.total = totals[-1] if totals else None

    @property
    def holds(self):
        return self.status == 0 and bool(self.total)

    def tell(self):
        """Prints what a reader of the whole run looks for."""
        failures = 0
        for line in self.lines:
            failures += line.startswith("✘")
            if TOLD.search(line) and (failures <= 60 or not line.startswith("✘")):
                print(line[:400])
        if self.hung:
            print("The tests hung. What had begun and not ended:")
            for name in sorted(self.open):
                print(f"✘ {name}")
        elif self.total is None:
            print("The tests broke off:", *self.lines[-20:], sep="\n")
        sys.stdout.flush()

    def suspects(self):
        """Options that choose what failed; none where all has to run: what a run that hung or broke off had not
        begun is not known, nor whose an issue is that names no test."""
        is_whole = self.total is not None and not any(
            "recorded an issue" in line and '✘ Test ' not in line for line in self.lines)
        if not is_whole or not self.failed:
            return []
        return ["--filter", "|".join(re.escape(name).replace("\\ ", " ") for name in sorted(self.failed))]


def reasons(run):
    """The issues of a run, and its last line."""
    found = []
    for at, line in enumerate(run.lines):
        if "recorded an issue" in line:
            found += [each for each in run.lines[at:at + 3] if re.match("✘|↳", each.strip())]
    hung = [f"✘ It hung: {name}" for name in sorted(run.open)] if run.hung else []
    return list(dict.fromkeys(found))[:60] + hung + run.lines[-1:]


def main(counts, failures, options):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    run = Run(options)
    run.tell()
    passed, failed = (run.total or 0) - len(run.failed), 0
    if not run.holds:
        suspects = run.suspects()
        print(f"== {'What failed' if suspects else 'All'} once more", flush=True)
        again = Run([*options, *suspects])
        again.tell()
        passed = passed + len(again.passed) if suspects else (again.total or len(again.passed)) - len(again.failed)
        if again.holds:
            for name in sorted((run.failed | run.open) & again.passed) or ["the run, which named no test"]:
                print(f"unsteady: {name}")
        else:
            failed = max(len(again.failed | again.open), 1)
            Path(failures).write_text("".join(f"{line[:400]}\n" for line in reasons(again)))
    Path(counts).write_text(f"{passed} {failed} {len(run.skipped)}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        print(__doc__)
        sys.exit(2)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
