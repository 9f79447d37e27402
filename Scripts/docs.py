"""Makes the reference: docs.py GRAPHS OUT, from the symbol graphs of a build.

Each product has a catalogue. Its landing page is docs/catalogues/PRODUCT.md, and its articles are the
pages of docs/ that the landing page names. The script assembles OUT/PRODUCT.docc anew each time and
writes nothing beside the sources. OUT/site is the whole, for any server of files.
"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
# What `import Reunion` brings from targets that are no products. A catalogue knows one module.
PARTS = {"Reunion": ["ReunionStore", "ReunionSync", "ReunionDisk"]}
# Others refer to their symbols, so they come first.
FIRST = ["ReunionCore", "ReunionFlow", "Reunion"]


def articles(product):
    """The pages of docs/ that are articles of a product's catalogue."""
    named = re.findall(r"<doc:([\w-]+)>", (DOCS / f"catalogues/{product}.md").read_text())
    return named + (["decisions"] if product == "Reunion" else [])


def products():
    names = sorted(page.stem for page in (DOCS / "catalogues").glob("*.md"))
    return [name for name in FIRST if name in names] + [n for n in names if n not in FIRST]


def homes():
    """The product and the article's name for each page, by its path in docs/."""
    found = {}
    for product in products():
        for name in articles(product):
            found[f"{name}.md"] = (product, name)
    for page in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        found[f"decisions/{page.name}"] = ("Reunion", page.stem)
    return found


def anchored(page, anchor):
    """The anchor as docc makes it: GitHub's has no capitals."""
    for heading in re.findall(r"^#+ (.+)$", (DOCS / page).read_text(), flags=re.M):
        if re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") == anchor:
            return "#" + heading.replace(" ", "-")
    raise SystemExit(f"docs/{page} has no heading #{anchor}.")


def linked(text, page, product, where):
    """The text with links as docc writes them. A link to any other file becomes plain words."""
    def link(match):
        words, target = match.group(1), match.group(2)
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path, _, anchor = target.partition("#")
        file = (DOCS / page).parent / path if path else DOCS / page
        if not file.exists():
            raise SystemExit(f"docs/{page} links to {target}, which is not there.")
        key = str(file.resolve().relative_to(DOCS)) if DOCS in file.resolve().parents else ""
        if key not in where:
            return words
        home, name = where[key]
        anchor = anchored(key, anchor) if anchor else ""
        if home == product:
            return f"[{words}](<doc:{name}{anchor}>)"
        return f"[{words}](/documentation/{home.lower()}/{name}{anchor})"

    pieces = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.S)
    return "".join(piece if piece.startswith("`") else
                   re.sub(r"(?<!!)\[((?:[^\[\]]|`[^`]*`)*)\]\(([^)\s]+)\)", link, piece)
                   for piece in pieces)


def catalogue(product, out, where):
    folder = out / f"{product}.docc"
    folder.mkdir(parents=True)
    landing = (DOCS / f"catalogues/{product}.md").read_text()
    if product == "Reunion":
        landing += "\n### Why\n\n- <doc:decisions>\n"
        pages = sorted((DOCS / "decisions").glob("[0-9]*.md"))
        list_ = "\n".join(f"- <doc:{page.stem}>" for page in pages)
        (folder / "decisions.md").write_text(
            "# Decisions\n\nWhy Reunion is as it is: one page for each decision.\n\n"
            f"## Topics\n\n### In order\n\n{list_}\n")
    (folder / f"{product}.md").write_text(landing)
    for page, (home, name) in where.items():
        if home == product and (DOCS / page).exists():
            (folder / f"{name}.md").write_text(
                linked((DOCS / page).read_text(), page, product, where))
    for name in re.findall(r"!\[[^\]]*\]\((\S+\.png)\)",
                           "".join((DOCS / p).read_text() for p, (h, _) in where.items()
                                   if h == product and (DOCS / p).exists())):
        shutil.copy(DOCS / name, folder / name)
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
    for product in products():
        folder = catalogue(product, out, where)
        graphs(product, source, out / "graphs" / product)
        archive = out / f"{product}.doccarchive"
        before = [f"--dependency={a}" for a in archives]
        done = subprocess.run(
            [docc, "convert", folder, "--additional-symbol-graph-dir", out / "graphs" / product,
             "--output-dir", archive, "--fallback-display-name", product,
             "--fallback-bundle-identifier", f"reunion.{product}",
             "--fallback-default-module-kind", "Library",
             "--enable-experimental-external-link-support", *before],
            capture_output=True, text=True)
        said = done.stdout + done.stderr
        count = len(re.findall(r"^warning:", said, flags=re.M))
        warnings += count
        print(f"{product}: {len(articles(product))} articles, {count} warnings")
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
