"""What Liquibase 4.6.2 makes of small changelogs that were written for it: masters.py RECORD

Each is a root, the files beside it, and options; RECORD gets them with the exit code, the rows of the history and the
schema that an update on a new file of SQLite leaves. The tests run ours on the same files.
"""

import json
import pathlib
import sys
import tempfile

import databases
from databases import Theirs

SQL = "--liquibase formatted sql\n"
YAML = "databaseChangeLog:\n"
XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.liquibase.org/xml/ns'
    '/dbchangelog '
    'http://www.liquibase.org/xml/ns/dbchangelog/dbchangelog-4.6.xsd">{}</databaseChangeLog>\n'
)
ONE = "- changeSet:\n    id: 1\n    author: a\n    changes:\n    - sql: create table t1(id int)\n"
BESIDE = {
    "a.sql": SQL
    + "--changeset a:1 context:own labels:Ol\ncreate table t1(id int);\n--changeset a:2\ncreate table ${t}(i int);\n",
    "db/b.sql": SQL + "--changeset b:1\ncreate table b1(id int);\n",
    "db/c.yaml": YAML
    + ONE.replace("author: a", "author: c").replace("t1", "c1")
    + "- include: {file: sub/d.sql, relativeToChangelogFile: true}\n",
    "db/sub/d.sql": SQL + "--changeset d:1\ncreate table d1(id int);\n",
    "db/raw.sql": "create table raw1(id int);",
    "l/l.yaml": YAML + "- logicalFilePath: l.yaml\n" + ONE,
    "p.properties": "# none\nt = fromfile\nu: two \\\n  lines\n",
    "opts.sql": "-- c\ncreate table s1(i int);\ncreate table s2(i int);\n",
}
PROPERTY = "- property: {name: t, value: tt}\n"


def changeset(body, number=1):
    """A changeset of YAML with what stands under it."""
    return f"- changeSet:\n    id: {number}\n    author: a\n" + "".join(f"    {line}\n" for line in body.splitlines())


def cases():
    """Name, root, its text, and options."""
    yaml = {
        "basic": ONE,
        "no list": "  changeSet:\n    id: 1\n",
        "duplicate keys": ONE.replace("id: 1", "id: 1\n    id: 2"),
        "duplicate changeSet": ONE
        + "  changeSet:\n    id: 2\n    author: a\n    changes:\n    - sql: create table t2(id int)\n",
        "changes as a map": ONE.replace("    - sql", "      sql"),
        "change in the set": ONE.replace("    changes:\n    - sql", "    sql"),
        "all lists": "- changeSet:\n  - id: 2\n  - author: a\n  - changes:\n    - sql:\n      - sql: create "
        "table t2(id int)\n",
        "unknown value": ONE.replace("author: a", "author: a\n    foo: bar"),
        "unknown entry": "- foo: bar\n" + ONE,
        "no root list": None,
        "alias": ONE.replace("changes:", "changes: &c") + "- changeSet: {id: 2, author: a, changes: *c}\n",
        "merge": "- changeSet:\n    <<: {author: m, labels: Q}\n    id: 1\n    changes:\n    - sql: select 1\n",
        "tagged": ONE.replace("id: 1", "id: !!str 01"),
        "own tag": ONE.replace("id: 1", "id: !foo 01"),
        "tab": ONE.replace("    author", "\tauthor"),
        "logical path": "- logicalFilePath: x/y.yaml\n" + ONE,
        "logical path behind": ONE + "- logicalFilePath: x/y.yaml\n",
        "own logical path": ONE.replace("author: a", "author: a\n    logicalFilePath: q.sql"),
        "comment": changeset(
            "comment: 1.10\nlabels: B, a,B ,\ncontext: \"A, b\"\nrunAlways: yes\nchanges:\n- sql: {sql: select "
            "1, comment: x, splitStatements: no}\n- tagDatabase: {tag: v1}"
        ),
        "empty": changeset("changes:\n- empty: {}") + changeset("changes: []", 2) + changeset("author: a", 3),
        "sqlFile": changeset("changes:\n- sqlFile: {path: db/raw.sql}"),
        "sqlFile without a path": changeset("changes:\n- sqlFile: db/raw.sql"),
        "sqlFile options": changeset(
            "changes:\n- sqlFile: {path: opts.sql, relativeToChangelogFile: true, stripComments: true, encoding: utf8}"
        ),
        "delimiter": changeset(
            "changes:\n- sql: {endDelimiter: \"@@\", sql: \"create table x1(id int)@@\\ncreate table x2(i int)\"}"
        ),
        "dbms of changes": changeset(
            "changes:\n- sql: {dbms: h2, sql: create table x1(i int)}\n- sql: {dbms: \"sqlite, h2\", sql: "
            "create table x2(i int)}"
        ),
        "dbms": changeset("dbms: h2\nchanges:\n- sql: create table x1(i int)"),
        "include": PROPERTY + "- include: {file: a.sql, context: x or y, labels: L2}\n",
        "include scalar": "- include: a.sql\n",
        "include flow": PROPERTY + "- include: {file: ./a.sql, relativeToChangelogFile: yes}\n",
        "include slash": PROPERTY + "- include: {file: /a.sql}\n",
        "include dots": PROPERTY + "- include: {file: db/../a.sql}\n",
        "include unindented": "- include:\n  file: a.sql\n",
        "include twice": "- include:\n    file: a.sql\n    file: db/b.sql\n",
        "include missing": "- include: {file: none.sql}\n",
        "includeAll": "- includeAll: {path: db}\n",
        "includeAll slash": "- includeAll: {path: /db/}\n",
        "includeAll dot": "- includeAll: {path: ./db/sub}\n",
        "includeAll relative": "- includeAll: {path: db/sub/, relativeToChangelogFile: true}\n",
        "includeAll missing": "- includeAll: {path: /none}\n",
        "includeAll may miss": "- includeAll: {path: none/, errorIfMissingOrEmpty: false}\n",
        "property behind": "- include: {file: a.sql}\n" + PROPERTY,
        "property twice": PROPERTY + PROPERTY.replace("tt", "uu") + "- include: {file: a.sql}\n",
        "property for others": PROPERTY.replace("tt", "tt, dbms: postgresql")
        + PROPERTY.replace("tt", "uu, dbms: \"sqlite,h2\"")
        + "- include: {file: a.sql}\n",
        "property of numbers": "- property: {name: t, value: 1.10}\n- property: {name: v, value: 010}\n"
        + changeset("comment: ${v}\nchanges:\n- sql: create table x${v}(i text default '${t}')"),
        "property in property": "- property: {name: u, value: \"${t}2\"}\n"
        + PROPERTY
        + changeset("changes:\n- sql: create table ${u}(i int)"),
        "property file": "- property: {file: p.properties}\n- include: {file: a.sql}\n",
        "root condition": "- preConditions:\n  - dbms: {type: sqlite}\n" + ONE,
        "root condition fails": "- preConditions:\n  - dbms: {type: h2}\n" + ONE,
        "root condition warns": "- preConditions:\n  - onFail: WARN\n  - dbms: {type: h2}\n" + ONE,
    }
    backslashes = {
        "include": "- include: {file: db\\b.sql}\n",
        "include relative": "- include: {file: db\\c.yaml, relativeToChangelogFile: true}\n",
        "includeAll": "- includeAll: {path: db\\sub}\n",
        "includeAll relative": "- includeAll: {path: db\\sub\\, relativeToChangelogFile: true}\n",
        "sqlFile": changeset("changes:\n- sqlFile: {path: db\\raw.sql}"),
        "property": "- property: {file: .\\p.properties}\n" + ONE.replace("t1", "${t}"),
    }
    yaml |= {f"backslashes {name}": text for name, text in backslashes.items()}
    yaml |= {
        "sql without SQL": changeset("changes:\n- sql: {comment: nothing}"),
        "sql of a map": changeset("changes:\n- sql: {sql: {a: b}}"),
        "slash and raw": "- include: {file: /db/raw.sql}\n",
        "classpath, slash and raw": "- include: {file: 'classpath:/db/raw.sql'}\n",
        "slash and YAML": "- include: {file: /db/c.yaml}\n",
        "slash and a logical path": "- include: {file: /l/l.yaml}\n",
        "two slashes": "- include: {file: db//b.sql}\n",
        "a changeset twice": ONE + ONE,
        "another changeset of the same name": ONE + ONE.replace("t1", "t2"),
    }
    lists = {
        "context": "[a, b]",
        "labels": "[B, a]",
        "dbms": "[sqlite, h2]",
        "id": "[1, 2]",
    }
    for name, value in lists.items():
        yaml[f"list {name}"] = ONE.replace("id: 1", f"{name}: {value}" + ("" if name == "id" else "\n    id: 1"))
    yaml["lists of one"] = ONE.replace("id: 1", "id: [1]\n    context: [a]\n    labels: [Bb]\n    dbms: [sqlite]")
    conditions = {
        "sqlCheck": "- onFail: MARK_RAN\n- sqlCheck: {expectedResult: 1, sql: select 0}",
        "as a map": "  onFail: MARK_RAN\n  sqlCheck: {expectedResult: 1, sql: select 0}",
        "in one map": "- onFail: MARK_RAN\n  sqlCheck: {expectedResult: 1, sql: select 0}",
        "not": "- onFail: MARK_RAN\n- not:\n    tableExists: {tableName: none}",
        "not holds": "- onFail: MARK_RAN\n- not:\n  - tableExists: {tableName: q}",
        "or": "- onFail: MARK_RAN\n- or:\n  - tableExists: {tableName: q}\n  - dbms: {type: h2}",
        "misspelt": "- onFial: MARK_RAN\n- dbms: {type: h2}",
        "continue": "- onFail: CONTINUE\n- dbms: {type: h2}",
        "unknown reaction": "- onFail: BLAH\n- dbms: {type: h2}",
        "none": "[]",
        "number": "- onFail: MARK_RAN\n- sqlCheck: {expectedResult: 1.10, sql: \"select '1.10'\"}",
        "column": "- onFail: MARK_RAN\n- columnExists: {tableName: q, columnName: I}\n- not:\n  - columnExists: "
        "{tableName: q, columnName: none}",
        "index": "- onFail: MARK_RAN\n- indexExists: {indexName: q_i}\n- not:\n  - indexExists: {indexName: "
        "none, tableName: q}",
        "rows": "- onFail: MARK_RAN\n- rowCount: {tableName: q, expectedRows: 0}",
        "executed": "- onFail: MARK_RAN\n- changeSetExecuted: {id: 0, author: a, changeLogFile: m.yaml}",
        "not executed": "- onFail: MARK_RAN\n- changeSetExecuted: {id: 9, author: a, changeLogFile: m.yaml}",
    }
    first = changeset("changes:\n- sql: create table q(i int)\n- sql: create index q_i on q(i)", 0)
    for name, text in conditions.items():
        lines = (
            "preConditions: []"
            if text == "[]"
            else "preConditions:\n" + "".join(f"  {line}\n" for line in text.splitlines())
        )
        yaml[f"condition {name}"] = first + changeset(lines + "\nchanges:\n- sql: create table t1(id int)")
    numbers = [
        "01",
        "1.0",
        "1.10",
        "1_000",
        "0x1F",
        "1e3",
        "12e45",
        "1:30",
        "yes",
        "No",
        "'1.10'",
        "1.",
        ".5",
        "+1",
        "-0",
        "0b11",
        "0o7",
        "123456789012345678901234567890",
        "1e400",
        ".inf",
        ".nan",
        "20200101120000",
        "1.0.0",
        "2020-1-1",
        "100000000.5",
        "0.0001",
        "y",
        "08",
        "0.1_0",
        "1234567.0",
        "12345678.0",
        "1:30.5",
        "0777777777777777777777777",
        "-012",
        "1e-5",
        "123456789.123456789",
        "2020-01-01",
        "2020-01-01T10:00:00Z",
        "2021-03-04 10:11:12",
    ]
    yaml["ids"] = "".join(
        changeset("changes:\n- sql: select 1").replace("id: 1", f"id: {id}").replace("author: a", f"author: a{n}")
        for n, id in enumerate(numbers)
    )
    for name, text in yaml.items():
        yield name, "m.yaml", YAML + text if text else "foo:\n" + ONE, []
    yield "empty file", "m.yaml", "", []
    yield "two documents", "m.yaml", YAML + ONE + "---\n" + YAML + ONE, []
    yield "mark and CRLF", "m.yml", ("\ufeff" + YAML + ONE.replace("sql: create", "sql: |\n        create")).replace(
        "\n", "\r\n"
    ), []
    json_text = (
        '{"databaseChangeLog": [{"property": {"name": "t", "value": "tt"}}, {"include": {"file": "a.sql"}}, '
        '{"changeSet": {"id": "1\\ud83d\\ude00",'
        ' "author": true, "changes": [{"sql": {"sql": "create table ${t}2(i int)"}}], "rollback": "drop table tt2"}}]}'
    )
    yield "JSON", "m.json", json_text, []
    yield "JSON mark and CRLF", "m.json", "\ufeff" + json_text.replace("}, ", "},\r\n"), []
    yield "JSON without its end", "m.json", json_text[:-2], []
    for name, text in {
        "slash": '<includeAll path="/db/"/>',
        "include slash": '<include file="/db/b.sql"/>',
        "classpath": '<include file="classpath:/db/b.sql"/>',
        "labels": '<changeSet id="1" author="a" labels="Aa, bB" context="Cc"><sql>select 1</sql></changeSet>',
        "nothing": '<changeSet id="1" author="a"/><changeSet id="2" author="a"><empty/></changeSet>',
        "parameters": '<property name="t" value="tt"/><changeSet id="1${t}" author="a${t}" labels="l${t}'
        '"><comment>c ${t}</comment>'
        '<sql>create table ${t}(i int)</sql></changeSet>',
    }.items():
        yield f"XML {name}", "m.xml", XML.format(text), []
    heads = {
        "raw": "create table x(i int);\n",
        "header on line 2": "-- hello\n--liquibase formatted sql\n--changeset a:1\ncreate table x(i int);\n",
        "blank lines first": "\n\n--liquibase formatted sql\n--changeset a:1\ncreate table x(i int);\n",
        "no header": "--changeset a:1\ncreate table x(i int);\n",
        "no word sql": "--liquibase formatted\n--changeset a:1\ncreate table x(i int);\n",
        "only a header": SQL,
        "nothing": "\n",
        "ids": SQL
        + "".join(
            f"--changeset {name}\nselect {n};\n"
            for n, name in enumerate(["a:1::2", "a: 2::x::y labels:z", "a::3", "a:b:4", 'a:"5::6"', '"a:x":7'])
        ),
        "include": SQL
        + "--changeset a:1\ncreate table x(i int);\n--include file:db/b.sql\n-- includeAll path:db\ncreate "
        "table y(i int);\n",
        "labels": SQL + "--changeset a:1 labels:B,a,B,\nselect 1;\n",
        "a changeset twice": SQL + 2 * "--changeset a:1\ncreate table x(i int);\n",
        "another changeset of the same name": SQL
        + "--changeset a:1\ncreate table x(i int);\n--changeset a:1\ncreate table y(i int);\n",
    }
    for name, line in {
        "misspelt": "--preconditions onFial:MARK_RAN",
        "one word": "--precondition onFail:MARK_RAN",
        "equals": "--preconditions onFail=MARK_RAN",
        "blank": "--preconditions onFail: MARK_RAN",
        "comma": "--preconditions onFail:MARK_RAN,onError:HALT",
        "quoted": '--preconditions onFail:"MARK_RAN"',
        "small": "--preConditions onfail:mark_ran",
    }.items():
        for expected in (0, 1):
            heads[f"preconditions {name} {expected}"] = (
                SQL
                + f"--changeset a:1\n{line}\n--precondition-sql-check expectedResult:{expected} select "
                f"0\ncreate table x(i int);\n"
            )
    heads["condition with a line below"] = (
        SQL + "--changeset a:1\n--precondition-sql_check expectedResult:1 select 0\ncreate table x(i int);\n"
    )
    for name, text in heads.items():
        yield f"SQL {name}", "c.sql", text, []
    labelled = SQL + "".join(
        f"--changeset a:{n}{words}\ncreate table x{n}(i int);\n"
        for n, words in enumerate([" labels:Aa,bB", "", " labels:cc", " context:XyZ", ' context:"Ab or cD"'])
    )
    for words in ["aa", "!aa", "aa and bb", "BB", "aa or cc", "not aa", "zz", "!aa and !cc", "aa,cc"]:
        yield f"labels {words}", "c.sql", labelled, [f"--labels={words}"]
    yield "contexts", "c.sql", labelled, ["--contexts=xyz"]
    for words in ["--contexts=a", "--labels=a"]:
        text = YAML + ONE.replace("id: 1", "context: [a, b]\n    labels: [a, b]\n    id: 1")
        yield f"list with {words}", "m.yaml", text, [words]
    for words in [
        "--labels=l2",
        "--labels=ol",
        "--labels=l2 or ol",
        "--labels=!l2",
        "--contexts=own",
        "--contexts=x,own",
    ]:
        text = YAML + PROPERTY + "- include: {file: a.sql, context: x or y, labels: L2}\n"
        yield f"include with {words}", "m.yaml", text, [
            words
        ]


def record(root, text, options):
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        for name, content in (BESIDE | {root: text}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content.encode())
        database = databases.SQLite()
        ended = Theirs.run(database, folder, root, "update", *options)
        history = databases.history(database)
        return {"code": ended.code, "history": history, "dump": [line for line in database.dump() if ": " in line]}


def main():
    Theirs.is_fresh = False
    lines = [
        json.dumps({"name": name, "root": root, "text": text, "options": options} | record(root, text, options))
        for name, root, text, options in cases()
    ]
    pathlib.Path(sys.argv[1]).write_text(
        '{"beside": ' + json.dumps(BESIDE) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n", encoding="ascii"
    )
    print(f"{len(lines)} changelogs")


if __name__ == "__main__":
    main()
