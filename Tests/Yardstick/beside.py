"""Ours while a Liquibase 4.6.2 holds its lock, and how long both take for nothing: beside.py [ENGINE…]"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import databases
import liquibase
from databases import Ours, Theirs

SLOW = {
    "sqlite": "create table slow as with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000000) "
              "select count(*) as n from c;",
    "postgresql": "create table slow as select 1 as n from pg_sleep(8);",
}


def is_locked(database):
    try:
        return bool(database.query("SELECT 1 AS one FROM DATABASECHANGELOGLOCK WHERE LOCKED"))
    except Exception:
        return False


def waits(engine, folder):
    """Theirs runs something slow; ours waits until it is done, and then goes on with the rest."""
    (folder / "slow.sql").write_text("--liquibase formatted sql\n--changeset ann:1\n" + SLOW[engine]
                                     + "\n--changeset ann:2\ncreate table fast (id int);\n")
    database = databases.ENGINES[engine]()
    theirs = liquibase.process(*database.jdbc, f"--classpath={folder}", "--changelog-file=slow.sql",
                               "update-count", "1")
    end = time.time() + 60
    while not is_locked(database) and time.time() < end:
        time.sleep(0.02)
    assert is_locked(database), "theirs took no lock"
    words = [str(databases.OURS), "update", "--url", database.url, "--changelog", "slow.sql", "--lock-wait", "120s"]
    ours = subprocess.Popen(words + Ours.options, cwd=folder, env=os.environ | database.environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    began, waited = time.time(), False
    while theirs.poll() is None:
        if is_locked(database):
            waited = True
            assert ours.poll() is None, f"ours did not wait: {ours.communicate()[0]}"
        time.sleep(0.05)
    took = time.time() - began
    told = ours.communicate()[0]
    assert theirs.returncode == 0 and ours.returncode == 0, (theirs.returncode, ours.returncode, told)
    assert waited and took > 0.5, took
    rows = [(row[0], row[4]) for row in databases.history(database)]
    assert rows == [("1", "EXECUTED"), ("2", "EXECUTED")], rows
    assert not is_locked(database)
    print(f"{engine}: ours waited {took:.1f} s while a real 4.6.2 had the lock, and then went on")


def nothing(engine, folder):
    """An update with 500 changesets that are all there, as a process of its own."""
    changesets = "".join(f"--changeset ann:{n}\ncreate table t{n} (id int);\n" for n in range(500))
    (folder / "many.sql").write_text("--liquibase formatted sql\n" + changesets)
    database = databases.ENGINES[engine]()
    assert Ours.run(database, folder, "many.sql", "update").code == 0
    assert Theirs.run(database, folder, "many.sql", "status").code == 0
    times = {"ours": [], "theirs": []}
    for _ in range(7):
        began = time.perf_counter()
        assert Ours.run(database, folder, "many.sql", "update").code == 0
        times["ours"].append(time.perf_counter() - began)
        if len(times["theirs"]) == 3:
            continue
        began = time.perf_counter()
        run = liquibase.process(*database.jdbc, f"--classpath={folder}", "--changelog-file=many.sql", "update")
        run.communicate()
        assert run.returncode == 0
        times["theirs"].append(time.perf_counter() - began)
    ours, theirs = (statistics.median(times[name]) * 1000 for name in ("ours", "theirs"))
    print(f"{engine}: nothing to do of 500 changesets: ours {ours:.0f} ms, Liquibase {theirs:,.0f} ms, "
          f"{theirs / ours:.0f} times as long; fastest of ours {min(times['ours']) * 1000:.0f} ms")


def main():
    with tempfile.TemporaryDirectory() as made:
        for engine in sys.argv[1:] or list(databases.ENGINES):
            waits(engine, pathlib.Path(made))
            nothing(engine, pathlib.Path(made))


if __name__ == "__main__":
    main()
