"""Measures the sources and their builds: measure.py [TARGET…] prints how large the yard is, the public declarations
of each target and how much their files say of them, and the seconds of a debug build of everything from nothing, and of
one after a line was changed in each target, or in those that are named. Where other programs run beside it, the seconds
of the processor are what to compare. `--yard` stops before the builds, and `--album` measures the first start of the
album alone, by step: packages, the program and its page, the first answer.

It works on a copy of the last commit in .build/measure, and leaves the sources alone.
"""

import argparse
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "measure"
TREE = FOLDER / "reunion"
# What is shipped, and not its tests, guides and tools.
SHIPPED = ("Sources/", "Commands/", "C/", "Web/", "Apps/", "Changelog/")
NOT_SHIPPED = re.compile(r"/[Tt]ests/|^Apps/Guides/|^Changelog/Yardstick/")
CODE = re.compile(r"\.(swift|js|ts|c|cpp|h|css|html|modulemap|sh|py)$")
PUBLIC = re.compile(r"(@\w+(\([^)]*\))?\s+)*public\s+(?!import)")


def build():
    """The seconds of a build of all libraries and programs, and those of the processor."""
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


def lines_of_code(text):
    """The lines of a file that are neither blank nor a comment."""
    text = re.sub(r"(?ms)^\s*/\*.*?\*/\s*?$", "", text)
    return sum(bool(line.strip()) and not line.strip().startswith("//") for line in text.splitlines())


def yard():
    """How many targets, products and folders the library has, and how many lines of code are shipped."""
    told = json.loads(subprocess.run(["swift", "package", "describe", "--type", "json"], cwd=ROOT, check=True,
                                     capture_output=True, text=True).stdout)
    manifest = (ROOT / "Package.swift").read_text()
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [ROOT / path for path in listed.splitlines()
             if path.startswith(SHIPPED) and CODE.search(path) and not NOT_SHIPPED.search(path)]
    return {"targets": len(told["targets"]),
            "products": manifest.split("  products: [")[1].split("  ],")[0].count("(name:"),
            "folders of Sources": sum(path.is_dir() for path in (ROOT / "Sources").iterdir()),
            "lines of code that are shipped": sum(
                lines_of_code(file.read_text()) for file in files if file.exists() and not file.is_symlink())}


def album():
    """The seconds of each step from a copy of the sources to the first answer of an album."""
    seconds = {}

    def step(name, act):
        began = time.monotonic()
        act()
        seconds[name] = round(time.monotonic() - began, 1)
        print(f"{name}: {seconds[name]} s", file=sys.stderr, flush=True)

    def make(*goals):
        subprocess.run(["make", *goals], cwd=TREE, check=True, capture_output=True)

    def answer():
        while program.poll() is None:
            try:
                return urllib.request.urlopen("http://127.0.0.1:8739/", timeout=5).read()
            except OSError:
                time.sleep(0.02)
        raise SystemExit(f"The album ended with {program.returncode}.")
    step("packages", lambda: make("packages"))
    step("the program, and its page beside it", lambda: make("build-albums"))
    program = subprocess.Popen(
        [".build/apps/release/Albums", "--port", "8739", "--data", "data", "--page", ".build/web/page",
         "--library", ".build/web/reunion"], cwd=TREE, stdout=subprocess.DEVNULL)
    try:
        step("first answer", answer)
    finally:
        program.terminate()
        program.wait()
    return seconds


def documentation(target):
    """The lines of documentation and of code in the files of a target that say something to others, and how many
    public declarations these have."""
    said = code = public = 0
    for file in (ROOT / "Sources" / target).rglob("*.swift"):
        lines = [line.strip() for line in file.read_text().splitlines()]
        if count := sum(bool(PUBLIC.match(line)) for line in lines):
            public += count
            said += sum(line.startswith("///") for line in lines)
            code += sum(bool(line) and not line.startswith("//") for line in lines)
    return said, code, public


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--json", action="store_true", help="one object, for programs")
    parser.add_argument("--yard", action="store_true", help="how large the yard is, alone")
    parser.add_argument("--album", action="store_true", help="the first start of the album, alone")
    options = parser.parse_args()
    known = sorted(folder.name for folder in (ROOT / "Sources").glob("Reunion*"))
    for target in options.targets:
        if target not in known:
            parser.error(f"{target} is no target. They are: {', '.join(known)}.")
    counts = yard()
    if not options.json:
        print(", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    if options.album:
        copy()
        seconds = album()
        return print(json.dumps(seconds)) if options.json else None
    documented = {target: documentation(target) for target in options.targets or known}
    if not options.json:
        for target, (said, code, public) in documented.items():
            ratio = said / code if code else 0
            print(f"{target}: {public} public declarations; in their files {said} lines of documentation beside "
                  f"{code} of code, {ratio:.2f}", flush=True)
    if options.yard:
        return print(json.dumps(counts | {"documentation": documented})) if options.json else None
    copy()
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
            "yard": counts,
            "seconds": {name: {"wall": round(wall, 1), "processor": round(used, 1)}
                        for name, (wall, used) in seconds.items()},
            "documentation": {
                name: {"lines": said, "code": code, "public": public}
                for name, (said, code, public) in documented.items()}}))
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()
