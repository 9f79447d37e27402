"""What Liquibase 4.6.2 makes of the generated changelogs: parsed.py SAMPLES RECORD

Each file is parsed, its checksums and statements are made, and all that it accepts goes through one
`changelog-sync`, whose rows must say the same. RECORD gets facts alone: checksums, columns and digests.
"""
import hashlib
import json
import pathlib
import sqlite3
import sys
import tempfile

import liquibase


def md5(texts):
    """One digest of several texts, each ended by a byte that is in none of them."""
    return hashlib.md5(b"".join(text.encode("utf-8", "surrogatepass") + b"\xff" for text in texts)).hexdigest()


def plain(value):
    return None if value is None else str(value)


class Parser:
    """4.6.2's parser and its splitter, on the files of a folder."""

    def __init__(self, folder):
        liquibase.start()
        from java.io import File
        self.classes = liquibase.loader()
        self.database = self.new("liquibase.database.core.SQLiteDatabase")
        accessor = self.classes.loadClass("liquibase.resource.FileSystemResourceAccessor")
        files = liquibase.jpype.JArray(File)([File(str(folder))])
        self.files = accessor.getConstructor(files.getClass()).newInstance(
            liquibase.jpype.JArray(liquibase.jpype.JObject)([files]))
        factory = self.classes.loadClass("liquibase.parser.ChangeLogParserFactory")
        self.factory = factory.getMethod("getInstance").invoke(None)

    def new(self, name):
        return self.classes.loadClass(name).getDeclaredConstructor().newInstance()

    def statements(self, changes):
        return [str(statement.getSql()) for change in changes for statement in change.generateStatements(self.database)]

    def changesets(self, name):
        """What is in a file, or why it is refused."""
        try:
            parser = self.factory.getParser(name, self.files)
            log = parser.parse(name, self.new("liquibase.changelog.ChangeLogParameters"), self.files)
            return [self.facts(changeset) for changeset in log.getChangeSets()]
        except liquibase.jpype.JException as error:
            return f"{error.getClass().getSimpleName()}: {str(error.getMessage()).splitlines()[0][:200]}"

    def facts(self, changeset):
        flags = {
            "runOnChange": changeset.isRunOnChange(), "runAlways": changeset.isAlwaysRun(),
            "notInTransaction": not changeset.isRunInTransaction(),
            "mayFail": str(changeset.getFailOnError()) == "false",
            "ignore": changeset.isIgnore(), "runWith": changeset.getRunWith() not in (None, "jdbc"),
        }
        try:
            split = self.statements(changeset.getChanges())
            statements = [len(split), md5(split)]
        except liquibase.jpype.JException as error:
            statements = [0, f"{error.getClass().getSimpleName()}"]
        try:
            undo = self.statements(changeset.getRollback().getChanges())
            rollback = [len(undo), md5(undo)] if undo else None
        except liquibase.jpype.JException as error:
            rollback = [0, f"{error.getClass().getSimpleName()}"]
        conditions = changeset.getPreconditions()
        faults = [str(text) for change in changeset.getChanges()
                  for text in change.validate(self.database).getErrorMessages()]
        facts = {
            "invalid": faults,
            "path": plain(changeset.getFilePath()), "id": plain(changeset.getId()),
            "author": plain(changeset.getAuthor()), "checksum": plain(changeset.generateCheckSum()),
            "dbms": sorted(str(name) for name in (changeset.getDbmsSet() or [])),
            "flags": sorted(name for name, is_set in flags.items() if is_set),
            "statements": statements, "rollback": rollback,
            "valid": sorted(str(sum) for sum in changeset.getValidCheckSums()),
            "checks": [] if conditions is None else [
                f"{str(check.getExpectedResult())}: {str(check.getSql())}"
                for check in conditions.getNestedPreconditions()],
            "onFail": None if conditions is None else str(conditions.getOnFail()),
            "onError": None if conditions is None else str(conditions.getOnError()),
        }
        return {key: value for key, value in facts.items() if value not in (None, [])}


def synced(folder, names):
    """The rows that `changelog-sync` writes of files."""
    with tempfile.TemporaryDirectory() as made:
        lines = "".join(f'<include file="{name}" relativeToChangelogFile="true"/>' for name in names)
        schema = ("http://www.liquibase.org/xml/ns/dbchangelog "
                  "http://www.liquibase.org/xml/ns/dbchangelog/dbchangelog-4.6.xsd")
        (folder / "all.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<databaseChangeLog '
            'xmlns="http://www.liquibase.org/xml/ns/dbchangelog" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            f'xsi:schemaLocation="{schema}">{lines}</databaseChangeLog>')
        ended = liquibase.command("changelog-sync", f"sqlite:{made}/synced.db", folder, "all.xml")
        assert ended.code == 0, ended.err[-3000:]
        rows = sqlite3.connect(f"{made}/synced.db").execute(
            "SELECT FILENAME, ID, AUTHOR, MD5SUM, CONTEXTS, LABELS, COMMENTS, DESCRIPTION FROM DATABASECHANGELOG")
        return {tuple(row[:3]): row for row in rows}


def record(folder):
    parser = Parser(folder)
    names = sorted((path.name for path in folder.glob("*.sql")), key=lambda name: (len(name), name))
    facts = {name: parser.changesets(name) for name in names}
    keys, whole = set(), []
    for name, found in facts.items():
        if isinstance(found, str) or any(
                "runWith" in change.get("flags", []) or "invalid" in change for change in found):
            continue
        own = [(change["path"], change["id"], change["author"]) for change in found]
        if len(set(own)) == len(own) and not keys & set(own):
            keys |= set(own)
            whole.append(name)
    rows = synced(folder, whole)
    for name in whole:
        for change in facts[name]:
            row = rows.pop((change["path"], change["id"], change["author"]), None)
            if row is None:
                continue
            assert row[3] == change["checksum"], (name, row, change)
            # As the history has them: contexts, labels, comments, description.
            change["row"] = row[4:]
    assert not rows, list(rows)[:3]
    return facts


def main():
    folder, to = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    facts = record(folder)
    files = {name: {"digest": hashlib.md5((folder / name).read_bytes()).hexdigest(),
                    **({"refused": found} if isinstance(found, str) else {"changesets": found})}
             for name, found in facts.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(said, sort_keys=True)}" for name, said in files.items()]
    to.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")
    accepted = [found for found in facts.values() if not isinstance(found, str)]
    print(f"{len(facts)} files, {len(facts) - len(accepted)} refused, {sum(map(len, accepted))} changesets, "
          f"{sum('row' in change for found in accepted for change in found)} of them in a history")


if __name__ == "__main__":
    main()
