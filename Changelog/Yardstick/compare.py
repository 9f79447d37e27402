"""Ours beside Liquibase 4.6.2 on the generated changelogs that run: compare.py SAMPLES RECORD [ENGINE…]

alone     ours takes the steps, and leaves the recorded schema, data and history
together  one begins, the other goes on, and both say that there is nothing left; tags and rollbacks too
"""
import json
import pathlib
import sys

import applied
import databases
from databases import Ours, Theirs


def differences(told, wanted):
    """What is not as it was recorded, in words."""
    found = []
    if [code != 0 for code in told["codes"]] != [code != 0 for code in wanted["codes"]]:
        found.append(f"codes {told['codes']}, not {wanted['codes']}")
    if told["digest"] != wanted["digest"]:
        found.append("schema or data differ")
    for one, other in zip(told["history"], wanted["history"]):
        if one != other:
            found.append("row " + ", ".join(
                f"{name} {mine!r}, not {theirs!r}"
                for name, mine, theirs in zip(databases.COLUMNS, one, other) if mine != theirs) + f" of {other[0]}")
    if len(told["history"]) != len(wanted["history"]):
        found.append(f"{len(told['history'])} rows, not {len(wanted['history'])}")
    return found


def alone(folder, engine, recorded):
    """Ours takes all steps by itself."""
    database = databases.ENGINES[engine]()
    for name in applied.STEPS:
        ended = applied.step(Ours, database, folder, name)
        told = {"codes": [run.code for run in ended]} | applied.seen(database)
        found = differences(told, recorded[name])
        if found:
            return [f"{name}: {text}" for text in found] + [run.err[-300:] for run in ended if run.code]
    return []


def is_done(program, database, folder):
    """Whether a program says that there is nothing to do."""
    ended = program.run(database, folder, applied.changelog(folder), "status")
    return ended.code == 0 and "up to date" in ended.out.lower()


def together(folder, engine, recorded, first, second):
    """The first begins, the second goes on; then the first goes back, and the second to the end again."""
    database = databases.ENGINES[engine]()
    found = []
    for name, program in zip(applied.STEPS, [first, second, first, second]):
        ended = applied.step(program, database, folder, name)
        told = {"codes": [run.code for run in ended]} | applied.seen(database)
        found += [f"{name} by {program.name}: {text}" for text in differences(told, recorded[name])]
        found += [f"{name} by {program.name}: {run.reason()}" for run in ended if run.code]
        if found:
            return found
        if name in ("end", "again") and not applied.facts(folder)[2]:
            found += [f"{name}: {other.name} is not done" for other in (Ours, Theirs)
                      if not is_done(other, database, folder)]
    return found


def main():
    Theirs.is_fresh = False
    samples, record = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    ways = {"alone": lambda *case: alone(*case), "theirs, then ours": lambda *case: together(*case, Theirs, Ours),
            "ours, then theirs": lambda *case: together(*case, Ours, Theirs)}
    wanted = sys.argv[3:] or [*ways, *databases.ENGINES]
    is_bad = False
    for engine in [name for name in databases.ENGINES if name in wanted]:
        for way in [name for name in ways if name in wanted]:
            equal = 0
            folders = sorted((samples / engine).iterdir(), key=lambda path: int(path.name))
            for folder in folders:
                found = ways[way](folder, engine, record[f"{engine} {folder.name}"])
                equal += not found
                for text in found[:6]:
                    print(f"  {engine} {folder.name}: {text}")
            print(f"{engine}, {way}: {equal} of {len(folders)} databases equal", flush=True)
            is_bad = is_bad or equal < len(folders)
    sys.exit(is_bad)


if __name__ == "__main__":
    main()
