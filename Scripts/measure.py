"""Measures the sources and their builds: measure.py [TARGET…] prints the lines of documentation beside a line
of code and the public declarations, and the seconds of a debug build of everything from nothing, and of one
after a line was changed in each target, or in those that are named. Where other programs run beside it, the
seconds of the processor are what to compare.

It works on a copy of the last commit in .build/measure, and leaves the sources alone.
"""

import argparse
import json
import pathlib
import re
import resource
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "measure"
TREE = FOLDER / "reunion"
PUBLIC = re.compile(r"(@\w+(\([^)]*\))?\s+)*public\s+(?!import)")


def build():
    """The seconds of a build of all libraries, programs and examples, and those of the processor."""
    began, worked = time.monotonic(), processor()
    run = subprocess.run(
        ["swift", "build", "--package-path", str(TREE), "--scratch-path", str(FOLDER / "build")],
        capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"The build failed:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return time.monotonic() - began, processor() - worked


def processor():
    """The processor's seconds of all programs that this one has started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def copy():
    """Puts the files of the last commit into a folder of their own."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    TREE.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(TREE)], input=archive.stdout, check=True)


def change(target):
    """Adds a line to a source of a target."""
    file = sorted((TREE / "Sources" / target).rglob("*.swift"))[0]
    with file.open("a") as text:
        text.write(f"\nprivate func measured{time.time_ns()}() {{}}\n")


def documentation(target):
    """The lines of documentation and of code of a target, and its public declarations."""
    lines = [line.strip() for file in (TREE / "Sources" / target).rglob("*.swift")
             for line in file.read_text().splitlines()]
    return (sum(line.startswith("///") for line in lines),
            sum(bool(line) and not line.startswith("//") for line in lines),
            sum(bool(PUBLIC.match(line)) for line in lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--json", action="store_true", help="one object, for programs")
    options = parser.parse_args()
    known = sorted(folder.name for folder in (ROOT / "Sources").glob("Reunion*"))
    for target in options.targets:
        if target not in known:
            parser.error(f"{target} is no target. They are: {', '.join(known)}.")
    copy()
    documented = {target: documentation(target) for target in options.targets or known}
    if not options.json:
        for target, (said, code, public) in documented.items():
            print(f"{target}: {said} lines of documentation beside {code} of code, {said / code:.2f}; "
                  f"{public} public declarations", flush=True)
    seconds = {"from nothing": build()}
    if not options.json:
        print("from nothing: {:.0f} s, the processor {:.0f} s".format(*seconds["from nothing"]), flush=True)
    build()
    for target in options.targets or known:
        change(target)
        seconds[target] = build()
        if not options.json:
            print("a line in {}: {:.1f} s, the processor {:.1f} s".format(target, *seconds[target]), flush=True)
    if options.json:
        print(json.dumps({
            "seconds": {name: {"wall": round(wall, 1), "processor": round(used, 1)}
                        for name, (wall, used) in seconds.items()},
            "documentation": {
                name: {"lines": said, "code": code, "public": public}
                for name, (said, code, public) in documented.items()}}))
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()
