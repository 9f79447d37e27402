"""What Liquibase 4.6.2 leaves in databases, of the generated changelogs that run: applied.py SAMPLES RECORD

On each it goes to the middle, tags, goes to the end, goes back to the tag, and to the end again. RECORD gets the
history's comparable columns after each step, and a digest of schema and data.
"""
import hashlib
import json
import pathlib
import sys

import databases

STEPS = ["middle", "end", "back", "again"]


def changelog(folder):
    return "master.xml" if (folder / "master.xml").exists() else "changelog.sql"


def facts(folder):
    middle, total, is_restless = (folder / "facts").read_text().split()
    return int(middle), int(total), is_restless == "true"


def step(program, database, folder, name):
    """Takes one of the steps, and gives its exit codes."""
    log = changelog(folder)
    if name == "middle":
        codes = [program.run(database, folder, log, "update-count", str(facts(folder)[0]))]
        codes.append(program.run(database, folder, log, "tag", "middle"))
        database.keep_last_tag()
    elif name == "back":
        codes = [program.run(database, folder, log, "rollback", "middle")]
    else:
        codes = [program.run(database, folder, log, "update")]
    return codes


def seen(database):
    """What is in a database after a step."""
    lines = database.dump()
    return {"history": databases.history(database), "digest": hashlib.md5("\n".join(lines).encode()).hexdigest()}


def record(folder, engine):
    database = databases.ENGINES[engine]()
    steps = {}
    for name in STEPS:
        ended = step(databases.Theirs, database, folder, name)
        steps[name] = {"codes": [run.code for run in ended]} | seen(database)
        for run in ended:
            if run.code:
                print(engine, folder.name, name, run.code, run.reason())
    return steps


def main():
    samples, to = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    engines = sys.argv[3:] or list(databases.ENGINES)
    found = {}
    for engine in engines:
        for folder in sorted((samples / engine).iterdir(), key=lambda path: int(path.name)):
            found[f"{engine} {folder.name}"] = record(folder, engine)
    lines = [f"{json.dumps(name)}: {json.dumps(steps, ensure_ascii=True)}" for name, steps in found.items()]
    to.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")
    print(f"{len(found)} databases")


if __name__ == "__main__":
    main()
