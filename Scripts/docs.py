"""Makes the reference: docs.py GRAPHS OUT, from the symbol graphs of a build.

The catalogue of a product is Sources/PRODUCT/PRODUCT.docc, which docc reads as it stands. The script adds
what docc does not do: links from page to page, and in `Reunion` the symbols of other targets that it hands
on. The pages of docs/ become one more catalogue. It writes nothing beside the sources. OUT/site is the whole,
for any server of files.
"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The catalogue of the pages of docs/, and its first page.
PAGES = "Pages"
# What `import Reunion` brings from targets that are no products. A catalogue knows one module.
PARTS = {"Reunion": ["ReunionStore", "ReunionSync", "ReunionDisk"]}
# Others refer to their symbols, so they come first.
FIRST = ["ReunionCore", "ReunionFlow", "Reunion"]


def catalogues():
    names = sorted(folder.stem for folder in ROOT.glob("Sources/*/*.docc"))
    return FIRST + [name for name in names if name not in FIRST] + [PAGES]


def homes():
    """The catalogue of each page and its name there."""
    found = {ROOT / "docs/index.md": (PAGES, PAGES), ROOT / "docs/decisions/index.md": (PAGES, "decisions")}
    for page in sorted(ROOT.glob("Sources/*/*.docc/*.md")):
        found[page] = (page.parent.stem, page.stem)
    for page in sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("docs/decisions/*.md")]):
        found.setdefault(page, (PAGES, page.stem))
    return found


def anchored(page, anchor):
    """The anchor as docc makes it: GitHub's has no capitals."""
    for heading in re.findall(r"^#+ (.+)$", page.read_text(), flags=re.M):
        if re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") == anchor:
            return "#" + re.sub(r"[^\w -]", "", heading).replace(" ", "-")
    raise SystemExit(f"{page} has no heading #{anchor}.")


def linked(page, where):
    """The text with links as docc writes them. A link to what is no page becomes plain words."""
    def link(match):
        target, words = match[1] or match[4], match[2] or match[3]
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            raise SystemExit(f"{page} links to {target}, which is not there.")
        if file not in where:
            return words
        home, name = where[file]
        anchor = anchored(file, anchor) if anchor else ""
        if home == where[page][0]:
            return f"[{words}](<doc:{name}{anchor}>)"
        address = home if name == home else f"{home}/{name}"
        return f"[{words}](/documentation/{address.lower()}{anchor})"

    code, words = r"```.*?```|`[^`\n]*`", r"((?:[^\[\]`]|`[^`]*`)*)"
    return re.sub(rf'{code}|<a href="([^"]+)">(.*?)</a>|(?<!!)\[{words}\]\(([^)\s]+)\)',
                  link, page.read_text(), flags=re.S)


def catalogue(name, out, where):
    """A catalogue with its links, in a folder of its own."""
    folder = out / f"{name}.docc"
    if name == PAGES:
        folder.mkdir(parents=True)
    else:
        shutil.copytree(ROOT / f"Sources/{name}/{name}.docc", folder)
    for page, (home, own) in where.items():
        if home == name:
            (folder / f"{own}.md").write_text(linked(page, where))
    for part in PARTS.get(name, []):
        # What the part's landing page lists of its symbols, the product's lists as well.
        for landing in ROOT.glob(f"Sources/{part}/{part}.docc/{part}.md"):
            groups = landing.read_text().split("## Topics\n")[1].split("\n### ")[1:]
            with (folder / f"{name}.md").open("a") as file:
                file.write("".join(f"\n### {group}" for group in groups if "<doc:" not in group))
    if name == PAGES:
        with (folder / f"{PAGES}.md").open("a") as file:
            file.write("\n@Metadata {\n  @TechnologyRoot\n}\n")
        with (folder / "decisions.md").open("a") as file:
            numbered = sorted(page.stem for page in folder.glob("[0-9]*.md"))
            file.write("\n## Topics\n\n### In order\n\n" + "".join(f"- <doc:{each}>\n" for each in numbered))
    return folder


def exported():
    """The types of ReunionDisk that the store exports by name."""
    text = (ROOT / "Sources/ReunionStore/Exports.swift").read_text()
    return set(re.findall(r"import \w+ ReunionDisk\.(\w+)", text))


def graphs(product, source, folder):
    """The symbol graphs of a product, with its parts as if they were one module."""
    folder.mkdir(parents=True)
    parts = PARTS.get(product, [])
    handed_on = exported()
    whole = {}
    for part in [product, *parts]:
        if not (source / f"{part}.symbols.json").exists():
            raise SystemExit(f"{part} has no symbol graph: see what the build says in .build/docs.log.")
        for file in [source / f"{part}.symbols.json", *source.glob(f"{part}@*.symbols.json")]:
            graph = json.loads(file.read_text())
            if part == "ReunionDisk":
                graph["symbols"] = [
                    symbol for symbol in graph["symbols"] if symbol["pathComponents"][0] in handed_on]
                kept = {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
                graph["relationships"] = [
                    relation for relation in graph["relationships"] if relation["source"] in kept]
            extended = file.name.removesuffix(".symbols.json").partition("@")[2]
            name = product if extended in ["", *parts] else f"{product}@{extended}"
            graph["module"]["name"] = product
            known = whole.setdefault(name, graph)
            if known is not graph:
                known["symbols"] += graph["symbols"]
                known["relationships"] += graph["relationships"]
    for name, graph in whole.items():
        (folder / f"{name}.symbols.json").write_text(json.dumps(graph))


def main():
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(out, ignore_errors=True)
    docc = Path(shutil.which("swift")).resolve().parent / "docc"
    where = homes()
    archives, warnings = [], 0
    for name in catalogues():
        folder = catalogue(name, out, where)
        symbols = []
        if name != PAGES:
            graphs(name, source, out / "graphs" / name)
            symbols = ["--additional-symbol-graph-dir", out / "graphs" / name]
        archive = out / f"{name}.doccarchive"
        before = [f"--dependency={a}" for a in archives]
        done = subprocess.run(
            [docc, "convert", folder, *symbols,
             "--output-dir", archive, "--fallback-display-name", name,
             "--fallback-bundle-identifier", f"reunion.{name}",
             "--fallback-default-module-kind", "Library",
             "--enable-experimental-external-link-support", *before],
            capture_output=True, text=True)
        said = done.stdout + done.stderr
        count = len(re.findall(r"^warning:", said, flags=re.M))
        warnings += count
        print(f"{name}: {len(list(folder.glob('*.md'))) - 1} articles, {count} warnings")
        if count or done.returncode:
            print(said)
        if done.returncode:
            raise SystemExit(1)
        archives.append(archive)
    archives.sort(key=lambda archive: archive.stem)
    subprocess.run([docc, "merge", *archives, "--output-path", out / "site",
                    "--synthesized-landing-page-name", "Reunion",
                    "--synthesized-landing-page-kind", "Package",
                    "--synthesized-landing-page-topics-style", "list"], check=True)
    print(f"{warnings} warnings. To read it: python3 -m http.server -d {out}/site, "
          "then http://localhost:8000/documentation")
    raise SystemExit(1 if warnings else 0)


if __name__ == "__main__":
    main()
