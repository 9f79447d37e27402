#!/usr/bin/env python3
"""Runs Swift's tests, built before: swift-tests.py COUNTS FAILURES BUNDLE…

Suites run in processes of their own, a few at a time and the longest first, as Tests/Budget.txt tells them: one that
breaks off or hangs takes nobody with it, and nobody waits for its threads. What fails runs once more, alone: a busy
machine lets down what is sound. What fails then too counts as failed; what does not is named as unsteady. A suite that
needs more than twice the processor time of its line fails. Writes "PASSED FAILED SKIPPED" into COUNTS, and what failed
into FAILURES. --budget runs one suite after the other and writes the lines anew.
"""

import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from turns import Turn

ROOT = Path(__file__).resolve().parent.parent
BUDGET = ROOT / "Tests/Budget.txt"
# More than there are cores on a small machine: what is tested often waits.
LANES = 3
# What hangs is named and not waited for.
SECONDS = 900
# Below this a suite shares a process with others of its target: to start one costs more.
SMALL = 1.0
# Two runs of one suite differ by this much, whatever it does.
NOISE = 2.0
TOLD = re.compile(
    r"^(✘|seed [0-9]+, |replay: |(faults|fuzz|forgery|world|versions|browsers|small histories|every [a-z ]+): "
    r"|transitions of |seeded bugs: )|error:|recorded an issue|^[^ ]+ Test .* skipped")
BEGUN = re.compile(r'^\S+ Test ("(.*)"|\S+\(\)) started\.$')
ENDED = re.compile(r'^\S+ Test ("(.*?)"|\S+\(\))( with \d+ test cases?)? (passed|failed) after ')
SKIPPED = re.compile(r'^\S+ Test .* skipped')
TOTAL = re.compile(r"Test run with ([0-9]+) tests?")


@dataclass
class Part:
    """Suites that run in one process."""
    bundle: str
    suites: list
    seconds: float

    @property
    def name(self):
        first = self.suites[0]
        return first if len(self.suites) == 1 else f"{len(self.suites)} small suites of {target(first)}"

    def run(self):
        return Run(self.bundle, ["--filter", "|".join(f"^{re.escape(each)}/" for each in self.suites)])


@dataclass
class Outcome:
    """What came of all parts, and of what ran once more."""
    passed: int = 0
    skipped: int = 0
    failed: list = field(default_factory=list)
    cost: dict = field(default_factory=dict)


# The processes that run now: what stops this program stops them, whatever they have begun.
RUNNING = set()


def stop(*_):
    for process in list(RUNNING):
        os.killpg(process, signal.SIGKILL)
    os._exit(1)


class Run:
    """What a run of some tests said, how it ended, and its processor time with that of all that it started."""

    def __init__(self, bundle, options):
        # Not by `swift test`, which takes the tests of the package that was planned last in the same folder.
        command = [bundle, "--testing-library", "swift-testing", *options]
        began = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            RUNNING.add(process.pid)
            alarm = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
            alarm.start()
            _, status, usage = os.wait4(process.pid, 0)
            RUNNING.discard(process.pid)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.hung = not alarm.is_alive()
            alarm.cancel()
            output.seek(0)
            self.lines = output.read().splitlines()
        self.status, self.cost = process.returncode, usage.ru_utime + usage.ru_stime
        self.seconds = time.monotonic() - began
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

    def reasons(self):
        """The issues of the run, and its last line."""
        found = []
        for at, line in enumerate(self.lines):
            if "recorded an issue" in line:
                found += [each for each in self.lines[at:at + 3] if re.match("✘|↳", each.strip())]
        hung = [f"✘ It hung: {name}" for name in sorted(self.open)] if self.hung else []
        return list(dict.fromkeys(found))[:60] + hung + self.lines[-1:]


def target(suite):
    return suite.split(".")[0]


def suites(bundle):
    """The suites of a bundle. A test that stands in none is named by its target alone."""
    told = subprocess.run([bundle, "--testing-library", "swift-testing", "--list-tests"],
                          capture_output=True, text=True, check=True).stdout
    return sorted({line.split("/")[0] for line in told.splitlines() if "/" in line})


def budget():
    """The processor seconds of each suite."""
    lines = BUDGET.read_text().splitlines() if BUDGET.exists() else []
    return {name: float(seconds) for seconds, name in (line.split(None, 1) for line in lines if line[:1] != "#")}


def gone(names):
    """What is wrong with lines of the budget: those of suites that no target has any more."""
    targets = {target(name) for name in names}
    return [f"Tests/Budget.txt has a line for {name}, which is no suite: take it out."
            for name in budget() if target(name) in targets and name not in names]


def parts(bundles):
    """All suites of some bundles, by bundle, in processes, the longest first."""
    seconds, found = budget(), []
    for bundle, names in bundles.items():
        small = {}
        for suite in names:
            if seconds.get(suite, SMALL) < SMALL:
                small.setdefault(target(suite), []).append(suite)
            else:
                found.append(Part(bundle, [suite], seconds.get(suite, SMALL)))
        found += [Part(bundle, each, sum(seconds[suite] for suite in each)) for each in small.values()]
    return sorted(found, key=lambda part: -part.seconds)


def run_all(waiting, lanes, told):
    """Runs parts a few at a time, and hands each run on as it ends."""
    waiting, lock = list(waiting), threading.Lock()

    def lane():
        while True:
            with lock:
                if not waiting:
                    return
                part = waiting.pop(0)
            run = part.run()
            with lock:
                told(part, run)

    running = [threading.Thread(target=lane) for _ in range(lanes)]
    for each in running:
        each.start()
    for each in running:
        each.join()


def test(bundles, outcome):
    """Runs all suites of some bundles, and once more what failed."""
    again, turn = [], Turn()

    def told(part, run):
        run.tell()
        outcome.cost[part.name] = (run.cost, run.seconds, part.seconds)
        outcome.skipped += len(run.skipped)
        if run.holds:
            outcome.passed += run.total
        else:
            again.append(part)

    run_all(parts(bundles), LANES, told)
    if again:
        print(f"== {len(again)} failed: once more, and alone", flush=True)
        turn.alone()
    for part in again:
        print(f"== {part.name}", flush=True)
        run = part.run()
        run.tell()
        if run.holds:
            outcome.passed += run.total
            print(f"unsteady: {part.name}")
        else:
            outcome.passed += max((run.total or 0) - len(run.failed), 0)
            outcome.failed += [(part.name, run.reasons())] * max(len(run.failed | run.open), 1)


def too_dear(cost):
    """The parts that needed more than twice what their lines say. Another machine is slower in all of them."""
    ratios = [cpu / line for cpu, _, line in cost.values() if line >= 2 * SMALL]
    pace = max(statistics.median(ratios) if ratios else 1, 1)
    return [f"{name} needed {cpu:.1f} s of a processor, and its lines in Tests/Budget.txt say {line:.1f}. "
            f"Make it cheaper, or write a new line with Scripts/swift-tests.py --budget."
            for name, (cpu, _, line) in cost.items() if cpu > 2 * line * pace + NOISE]


def write_budget(bundles):
    lines = []
    for bundle in bundles:
        for suite in suites(bundle):
            run = Part(bundle, [suite], 0).run()
            print(f"{run.cost:7.1f} {run.seconds:7.1f} {'' if run.holds else '✘ '}{suite}", flush=True)
            lines.append((suite, run.cost))
    BUDGET.write_text("# Processor seconds of each suite alone: Scripts/swift-tests.py --budget writes them.\n"
                      + "".join(f"{cost:.1f} {suite}\n" for suite, cost in sorted(lines)))


def main(counts, failures, bundles):
    signal.signal(signal.SIGTERM, stop)
    outcome = Outcome()
    by_bundle = {bundle: suites(bundle) for bundle in bundles}
    test(by_bundle, outcome)
    wrong = too_dear(outcome.cost) + gone({name for names in by_bundle.values() for name in names})
    for sentence in wrong:
        print(f"✘ {sentence}")
    print("== The twenty slowest of them: seconds, of which of a processor")
    for name, (cpu, seconds, _) in sorted(outcome.cost.items(), key=lambda pair: -pair[1][1])[:20]:
        print(f"{seconds:6.1f} {cpu:6.1f}  {name}")
    failed = len(outcome.failed) + len(wrong)
    if failed:
        reasons = dict(outcome.failed)
        Path(failures).write_text("".join(
            f"{line[:400]}\n" for line in [each for lines in reasons.values() for each in lines] + wrong))
    Path(counts).write_text(f"{outcome.passed} {failed} {outcome.skipped}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--budget"] and len(sys.argv) > 2:
        sys.exit(write_budget(sys.argv[2:]))
    if len(sys.argv) < 4:
        print(__doc__)
        sys.exit(2)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
