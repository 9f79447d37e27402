"""Ours beside Liquibase 4.6.2 on changelogs of others: public.py FOLDER [ENGINE…]

FOLDER has a folder for each project, with its files of formatted SQL as they lie there. On one database a project all
files run in the order of their paths, and those that failed once more, first by 4.6.2 and then, on another database, by
ours. Exit codes, schema, data and history must be equal. No file of it is kept here.
"""
import collections
import pathlib
import re
import sys

import databases
from databases import Ours, Theirs


TIME = re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?([+-]\d\d)?")


def natural(path):
    """Numbers in a path by their size."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", str(path))]


def take(program, database, project, files):
    """Runs the files, each as a changelog of its own; gives the exit codes, and why the last of each failed."""
    codes, reasons = {}, {}
    todo = files
    for _ in range(2):
        for name in todo:
            ended = program.run(database, project, name, "update")
            codes[name] = ended.code
            reasons[name] = ended.reason()
        todo = [name for name in todo if codes[name]]
    return codes, reasons


def compare(engine, project, count):
    files = [str(path.relative_to(project)) for path in sorted(project.rglob("*.sql"), key=natural)]
    theirs, ours = databases.ENGINES[engine](), databases.ENGINES[engine]()
    wanted, why_theirs = take(Theirs, theirs, project, files)
    told, why = take(Ours, ours, project, files)
    rows_of_theirs = databases.history(theirs)
    for name in files:
        count["files"] += 1
        count["4.6.2 runs"] += wanted[name] == 0
        count["with rows"] += wanted[name] == 0 and any(row[2] == name for row in rows_of_theirs)
        if wanted[name] == 0 and told[name]:
            count["ours does not"] += 1
            print(f"  {engine} {project.name} {name}: only 4.6.2 runs it: {why[name]}")
        elif wanted[name] and told[name] == 0:
            count["ours alone"] += 1
            print(f"  {engine} {project.name} {name}: only ours runs it: {why_theirs[name][:160]}")
    # Rows and objects of files that one alone runs are that file's difference, told above, and the others' numbers too.
    alone = {name for name in files if (wanted[name] == 0) != (told[name] == 0)}
    rows = [{tuple(row[:3]): row[4:] if alone else row[3:] for row in databases.history(one) if row[2] not in alone}
            for one in (theirs, ours)]
    for key in rows[0].keys() | rows[1].keys():
        count["rows"] += 1
        one, other = rows[0].get(key), rows[1].get(key)
        if one == other:
            count["rows equal"] += 1
        else:
            print(f"  {engine} {project.name} row {key}: {other}, not {one}")
    # What a row says of the moment at which it was written differs from run to run.
    dumps = [[TIME.sub("TIME", line) for line in one.dump()] for one in (theirs, ours)]
    count["lines"] += len(dumps[0])
    missing = collections.Counter(dumps[0]) - collections.Counter(dumps[1])
    more = collections.Counter(dumps[1]) - collections.Counter(dumps[0])
    count["lines equal"] += len(dumps[0]) - missing.total()
    for sign, lines in (("-", missing), ("+", more)):
        for line in list(lines)[:3]:
            print(f"  {engine} {project.name} {sign} {line[:200]}")


def main():
    Theirs.is_fresh = False
    for engine in sys.argv[2:] or list(databases.ENGINES):
        count = collections.Counter()
        for project in sorted(pathlib.Path(sys.argv[1]).iterdir()):
            compare(engine, project, count)
            print(f"{engine} {project.name}: {dict(count)}", flush=True)
        print(f"{engine}: of {count['files']} files 4.6.2 runs {count['4.6.2 runs']}, {count['with rows']} of them "
              f"with changesets for it, of which ours does not run "
              f"{count['ours does not']}; ours alone runs {count['ours alone']}; {count['rows equal']} of "
              f"{count['rows']} rows and {count['lines equal']} of {count['lines']} lines of schema and data equal")


if __name__ == "__main__":
    main()
