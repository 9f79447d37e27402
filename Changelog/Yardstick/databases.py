"""Databases to run changelogs on: what they hold after it, and how each program is told of them."""
import atexit
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile

import liquibase

ROOT = liquibase.ROOT
OURS = pathlib.Path(os.environ.get("REUNION_CHANGELOG", ROOT / ".build/release/reunion-changelog"))
COLUMNS = ["ID", "AUTHOR", "FILENAME", "ORDEREXECUTED", "EXECTYPE", "MD5SUM", "DESCRIPTION", "COMMENTS", "TAG",
           "CONTEXTS", "LABELS"]
HISTORY = f"SELECT {', '.join(COLUMNS)} FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED, ID"
OWN = ("databasechangelog", "reunion_changelog")


class SQLite:
    """Files in a folder that goes with this process."""
    name = "sqlite"
    folder = None

    def __init__(self):
        if not SQLite.folder:
            SQLite.folder = tempfile.mkdtemp(prefix="changelog-")
            atexit.register(shutil.rmtree, SQLite.folder, True)
        self.file = tempfile.mktemp(suffix=".db", dir=SQLite.folder)
        self.jdbc = [f"--url=jdbc:sqlite:{self.file}"]
        self.url = f"sqlite:{self.file}"
        self.environment = {}

    def query(self, text):
        with sqlite3.connect(self.file) as connection:
            return [list(row) for row in connection.execute(text).fetchall()]

    def has_history(self):
        return bool(self.query("SELECT 1 FROM sqlite_schema WHERE name = 'DATABASECHANGELOG'"))

    def keep_last_tag(self):
        """4.6.2 tags every row of the last second here, and a rollback to that tag stops too early."""
        self.query("UPDATE DATABASECHANGELOG SET TAG = NULL "
                   "WHERE ORDEREXECUTED < (SELECT max(ORDEREXECUTED) FROM DATABASECHANGELOG)")

    def dump(self):
        """Schema and rows as lines: what was made first does not show, nor do numbers of rows."""
        lines = []
        tables = []
        for kind, name, table, text in self.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2"):
            if table.lower().startswith(OWN) or name.startswith("sqlite_"):
                continue
            lines.append(f"{kind} {name} on {table}: {text}")
            if kind == "table":
                tables.append(name)
        for table in tables:
            columns = [row[1] for row in self.query(f'PRAGMA table_info("{table}")')]
            told = " || ',' || ".join(f'quote("{column}")' for column in columns)
            lines += sorted(f"{table}: {row[0]}" for row in self.query(f'SELECT {told} FROM "{table}"'))
        return lines


class PostgreSQL:
    """Databases of one server, which ends with this process."""
    name = "postgresql"
    version = 15
    server = None

    def __init__(self):
        if not PostgreSQL.server:
            url = subprocess.run([ROOT / "Scripts/postgres.sh", str(PostgreSQL.version), str(os.getpid())], check=True,
                                 capture_output=True, text=True).stdout.strip()
            host, port, file = re.fullmatch(r"postgresql://reunion@(.*):(\d+)/postgres\?passfile=(.*)", url).groups()
            PostgreSQL.server = (host, port, file, pathlib.Path(file).read_text().strip().split(":")[-1])
            PostgreSQL.made = 0
        host, port, file, password = PostgreSQL.server
        PostgreSQL.made += 1
        self.database = f"d{PostgreSQL.made}"
        self.environment = {"PGPASSFILE": file}
        self.words = ["-h", host, "-p", port, "-U", "reunion"]
        self.tool("psql", "-X", "-q", "-d", "postgres", "-c", f"CREATE DATABASE {self.database}")
        self.jdbc = [f"--url=jdbc:postgresql://{host}:{port}/{self.database}", "--username=reunion",
                     f"--password={password}"]
        self.url = f"postgresql://reunion@{host}:{port}/{self.database}"

    def tool(self, program, *words):
        ended = subprocess.run([program, *self.words, *words], env=os.environ | self.environment, capture_output=True,
                               text=True)
        if ended.returncode:
            raise RuntimeError(ended.stderr)
        return ended.stdout

    def query(self, text):
        told = self.tool("psql", "-X", "-q", "-t", "-d", self.database, "-c",
                         f"SELECT coalesce(json_agg(to_json(row)), '[]') FROM ({text}) AS row")
        return [list(row.values()) for row in json.loads(told)]

    def has_history(self):
        return bool(self.query("SELECT 1 AS one FROM pg_class WHERE relname = 'databasechangelog'"))

    def keep_last_tag(self):
        """Its times are finer than a second, so that one row is tagged."""

    def dump(self):
        """`pg_dump`, without its remarks and settings, rows in the order of their text."""
        told = self.tool("pg_dump", "--no-owner", "--inserts", "--rows-per-insert=1",
                         "--exclude-table=databasechangelog*", "--exclude-table=reunion_changelog*", self.database)
        lines = [line for line in told.splitlines()
                 if line and not line.startswith(("--", "SET ", "SELECT pg_catalog.set_config", "\\"))]
        rows = [line for line in lines if line.startswith("INSERT ")]
        return [line for line in lines if not line.startswith("INSERT ")] + sorted(rows)


ENGINES = {"sqlite": SQLite, "postgresql": PostgreSQL}


def history(database):
    """The rows of the history, with the columns that two programs can share."""
    return database.query(HISTORY) if database.has_history() else []


class Theirs:
    """Liquibase, on a database."""
    name = "liquibase"
    # Whether each command has a memory of its own.
    is_fresh = True

    @staticmethod
    def run(database, folder, changelog, name, *arguments):
        words = liquibase.QUIET + database.jdbc + [f"--classpath={folder}"]
        if changelog:
            words.append(f"--changelog-file={changelog}")
        return liquibase.run(words + [name, *arguments], Theirs.is_fresh)


class Ours:
    """`reunion-changelog`, on a database, with checksums as 4.6.2 makes them."""
    name = "ours"
    options = ["--checksum", "8"]

    @staticmethod
    def run(database, folder, changelog, name, *arguments):
        words = [str(OURS), name, *arguments, "--url", database.url]
        if changelog:
            words += ["--changelog", changelog]
        ended = subprocess.run(words + Ours.options, cwd=folder, env=os.environ | database.environment,
                               capture_output=True, text=True, errors="replace")
        return liquibase.Run(ended.returncode, ended.stdout, ended.stderr)
