"""Ours beside Liquibase 4.6.2 on roots of others: roots.py FOLDER [ENGINE…]

FOLDER has a folder for each project, with its files as they lie there; no file of it is kept here. A root is a
changelog that no other of its project names. Each is run twice on a new database by 4.6.2, and on another by ours;
where its rows have contexts or labels, once more with the first of them as an option. Exit codes, history, schema and
data must be equal after both runs. What ours does otherwise and says so is counted apart, by what it says.
"""
import collections
import pathlib
import re
import sys

import databases
from databases import Ours, Theirs
from public import TIME, natural

# What ours says where it differs and means it: Changelog/README.md has the table.
# The refusals count also where 4.6.2 fails for a reason of its own.
REFUSED = {
    "a change that is no SQL": r"is not supported: changes are written in SQL",
    "a precondition that is not known": r"There is no precondition",
    "a class of Java": r"names a class of Java",
    "another program or another order": r"(?:runWith|runOrder) (?:is not supported|asks for another)",
    "a file that is no changelog": r"is neither SQL nor XML, YAML or JSON",
    "a changeset without author and id": r"has no author and id|has no id and author",
}
TOLD = {
    "only the first statement": r"Liquibase runs only the first statement",
    "comments alone": r"on which Liquibase fails",
    "capital letters of an ending": r"because of the capital letters of its ending",
    "a first line in other letters": r"Liquibase 4.6.2 does not know this first line",
    "BEGIN and COMMIT": r"is left out: all of a changeset",
}
# What a database draws at random for a row.
UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b")
# The path of an `include`, an `includeAll` or an `sqlFile`.
PATH = re.compile(r"""\b(?:file|path)["']?\s*[:=]\s*["']?([^"'\s,}]+)""")


def is_changelog(path, text):
    ending = path.suffix.lower()
    return ending == ".sql" or ending in (".yaml", ".yml", ".json", ".xml") and "databaseChangeLog" in text


def roots(project):
    """The changelogs that stand in no other."""
    texts = {path: path.read_text("utf-8", "replace") for path in sorted(project.rglob("*"), key=natural)
             if path.is_file() and path.suffix.lower() in (".sql", ".yaml", ".yml", ".json", ".xml")}
    texts = {path: text for path, text in texts.items() if is_changelog(path, text)}
    masters = {path: text for path, text in texts.items() if path.suffix.lower() != ".sql"}
    for path in texts:
        if not any(path.name in text for other, text in masters.items() if other != path):
            yield path


def base(project, path):
    """The folder in which the paths of a root begin: where the first file that it names is, else that of resources."""
    folders = [folder for folder in path.parents if folder.name == "resources"][:1] + [project, path.parent]
    for name in PATH.findall(path.read_text("utf-8", "replace")):
        for folder in folders:
            if (folder / name.removeprefix("classpath:").lstrip("/")).exists():
                return folder
    return folders[0]


def take(program, engine, folder, root, options):
    """Runs a root, and once more where that ends well; gives what there is after each run, and what is told."""
    database, seen, told = databases.ENGINES[engine](), [], ""
    for _ in range(2):
        ended = program.run(database, folder, root, "update", *options)
        told = told or ended.out + ended.err
        reason = ended.reason() if ended.code else ""
        # What a row says of the moment at which it was written differs from run to run.
        dump = [TIME.sub("TIME", line) for line in database.dump()]
        seen.append({"code": int(ended.code != 0), "history": databases.history(database), "dump": dump,
                     "reason": reason})
        if ended.code:
            break
    return seen, told


def difference(ours, theirs):
    """What differs first, and how; nothing where all is equal."""
    for number, (one, other) in enumerate(zip(ours, theirs), 1):
        if one["code"] != other["code"]:
            return f"only {'4.6.2' if one['code'] else 'ours'} ends well", one["reason"] or other["reason"]
        for row, wanted in zip(one["history"], other["history"]):
            for name, is_, was in zip(databases.COLUMNS, row, wanted):
                if is_ != was:
                    return f"{name} of a row", f"{row[:3]}: {is_!r}, not {was!r}"
        if len(one["history"]) != len(other["history"]):
            rows = f"{len(one['history'])}, not {len(other['history'])}, in run {number}"
            return "number of rows", f"{rows}: {one['reason']}"
        lines = collections.Counter(UUID.sub("UUID", line) for line in one["dump"])
        lines.subtract(UUID.sub("UUID", line) for line in other["dump"])
        if any(lines.values()):
            return "schema or data", "; ".join(f"{n:+} {line[:120]}" for line, n in lines.items() if n)[:400]
    return None


def options(history):
    """None, and what leaves a part of the changesets out."""
    yield []
    for column in ("CONTEXTS", "LABELS"):
        words = re.findall(r"\w[\w.-]*", " ".join(row[databases.COLUMNS.index(column)] or "" for row in history))
        if words:
            yield [f"--{column.lower()}", words[0]]


def compare(engine, project, path, count):
    folder = base(project, path)
    root = str(path.relative_to(folder))
    wanted, _ = take(Theirs, engine, folder, root, [])
    for words in options(wanted[0]["history"]):
        theirs = wanted if not words else take(Theirs, engine, folder, root, words)[0]
        ours, told = take(Ours, engine, folder, root, words)
        found = difference(ours, theirs)
        known = REFUSED | (TOLD if found else {})
        named = next((name for name, text in known.items() if re.search(text, told)), None)
        count["runs"] += 1
        if not named and "Failed to read schema document" in theirs[0]["reason"]:
            named = "a schema of XML that 4.6.2 has only from the network"
        if named:
            count[f"apart: {named}"] += 1
            continue
        count["with rows"] += bool(theirs[0]["history"])
        count["equal"] += not found
        count["with rows equal"] += bool(theirs[0]["history"]) and not found
        if found:
            count[f"differs: {found[0]}"] += 1
            print(f"  {engine} {project.name} {path.relative_to(project)} {' '.join(words)}\n"
                  f"    {found[0]}: {found[1]}", flush=True)


def main():
    Theirs.is_fresh = False
    is_bad = False
    for engine in sys.argv[2:] or list(databases.ENGINES):
        count = collections.Counter()
        for project in sorted(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir()):
            for path in roots(project):
                compare(engine, project, path, count)
        apart = sum(number for name, number in count.items() if name.startswith("apart"))
        rest = count["runs"] - apart
        print(f"{engine}: {count['equal']} of {rest} runs of roots equal, {count['with rows equal']} of "
              f"{count['with rows']} that leave rows; {apart} more are counted apart, by what the program says")
        for name, number in sorted(count.items()):
            if ": " in name:
                print(f"  {number} {name}")
        is_bad = is_bad or count["equal"] < 0.99 * rest
    sys.exit(is_bad)


if __name__ == "__main__":
    main()
