"""Runs every suite of Swift's tests and every group of journeys again and again: steady.py [--rounds 20] [words…]

Every other round is beside a load of 8 busy programs. What was done is kept in .build/steady.json, so that it goes on
where it was stopped; --anew begins again. With words, only what has one of them in its name. The tests and programs
are those that are built (make test, or Scripts/test.sh). It ends with what failed or passed at a second try alone, and
with 1 if there is any.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import time

import run
from album import ROOT

STATE = ROOT / ".build" / "steady.json"
LOAD = 8
PACKAGES = (".", "Apps", "Changelog")
OPTIONS = ["-c", "release", "--scratch-path", ".build", "-Xswiftc", "-enable-testing", "-Xswiftc", "-DSEEDED_BUGS"]
UNSTEADY = re.compile(r"^(✘|unsteady:)", re.M)
RAN = re.compile(r"Test run with [1-9]|^[1-9][0-9]* passed", re.M)
SECONDS_MAX = 3600


def suites():
    """The suites of all packages: what names each, and the command that runs it."""
    found = {}
    for package in PACKAGES:
        # All are built in one folder, and SwiftPM would take the last one's plan for the next one's.
        (ROOT / ".build/release.yaml").unlink(missing_ok=True)
        told = subprocess.run(["swift", "test", "list", "--skip-build", "--package-path", package, *OPTIONS],
                              cwd=ROOT, capture_output=True, text=True, check=True).stdout
        heads = {line.split("/")[0] for line in told.splitlines() if "/" in line}
        names = sorted(head for head in heads if " " not in head)
        name_of_package = "reunion" if package == "." else package.lower()
        bundle = ROOT / f".build/release/{name_of_package}PackageTests.xctest"
        for name in names:
            found[name] = [str(bundle), "--testing-library", "swift-testing", "--filter", f"^{re.escape(name)}/"]
    return found


def journeys():
    """The groups of journeys."""
    program = [sys.executable, str(ROOT / "Tests/Journeys/run.py"), "/dev/null"]
    return {group.name: program + [sentence for sentence, _ in group.journeys] for group in run.GROUPS}


@contextlib.contextmanager
def load(count):
    """Programs that compute for as long as the block lasts."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in busy:
            each.kill()
            each.wait()


def is_steady(command):
    environment = os.environ | {"REUNION_APPS": ".build/release", "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "4"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return False, "It did not end within an hour."
    said = done.stdout + done.stderr
    # What runs nothing proves nothing.
    return done.returncode == 0 and bool(RAN.search(said)) and not UNSTEADY.search(said), said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--anew", action="store_true")
    options = parser.parse_args()
    state = json.loads(STATE.read_text()) if STATE.exists() and not options.anew else {}
    everything = suites() | journeys()
    chosen = {name: command for name, command in everything.items()
              if not options.words or any(word in name for word in options.words)}
    print(f"{len(chosen)} suites and groups of journeys, {options.rounds} rounds, every other beside a load of {LOAD}")
    for number in range(options.rounds):
        for name, command in chosen.items():
            rounds = state.setdefault(name, [])
            if len(rounds) > number:
                continue
            began = time.monotonic()
            with load(LOAD if number % 2 else 0):
                steady, said = is_steady(command)
            rounds.append(steady)
            STATE.write_text(json.dumps(state, indent=1) + "\n")
            if not steady:
                print(f"✘ round {number + 1}: {name} ({time.monotonic() - began:.0f} s)")
                print("\n".join([line for line in said.splitlines() if UNSTEADY.match(line) or "↳" in line][:12]
                                or said.splitlines()[-5:]), flush=True)
        print(f"round {number + 1} is done", flush=True)
    bad = {name: rounds[:options.rounds].count(False) for name, rounds in state.items()
           if name in chosen and False in rounds[:options.rounds]}
    for name, count in bad.items():
        print(f"✘ {count} of {options.rounds}: {name}")
    print(f"{len(chosen) - len(bad)} steady, {len(bad)} not, in {options.rounds} rounds")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
