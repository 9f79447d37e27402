"""Ours while a Liquibase 4.6.2 holds its lock, and how long both take for nothing: beside.py [ENGINE…]"""
import os
import pathlib
import resource
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
    assert theirs.returncode == 0 and ours.returncode == 0, (theirs.communicate()[0], ours.returncode, told)
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
    times, busy = {"ours": [], "theirs": []}, {"ours": [], "theirs": []}

    def measure(name, body):
        began, used = time.perf_counter(), processor()
        body()
        times[name].append((time.perf_counter() - began) * 1000)
        busy[name].append((processor() - used) * 1000)

    def ours():
        assert Ours.run(database, folder, "many.sql", "update").code == 0

    def theirs():
        run = liquibase.process(*database.jdbc, f"--classpath={folder}", "--changelog-file=many.sql", "update")
        run.communicate()
        assert run.returncode == 0

    for turn in range(11):
        measure("ours", ours)
        if turn < 3:
            measure("theirs", theirs)
    wall = {name: statistics.median(times[name]) for name in times}
    used = {name: statistics.median(busy[name]) for name in busy}
    print(f"{engine}: nothing to do of 500 changesets: ours {wall['ours']:.0f} ms, at best {min(times['ours']):.0f}, "
          f"of the processor {used['ours']:.0f}; Liquibase {wall['theirs']:,.0f} ms, of the processor "
          f"{used['theirs']:,.0f}; {wall['theirs'] / wall['ours']:.0f} and {used['theirs'] / used['ours']:.0f} times; "
          f"load {os.getloadavg()[0]:.0f}")


def processor():
    """Seconds of the processor that processes of this one took which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    with tempfile.TemporaryDirectory() as made:
        for engine in sys.argv[1:] or list(databases.ENGINES):
            waits(engine, pathlib.Path(made))
            nothing(engine, pathlib.Path(made))


if __name__ == "__main__":
    main()
