"""Your own server: `reunion serve` for apps of any model, whatever happens to it."""

import contextlib
import json
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from album import ROOT
from journey import Group, Skipped, ensure
from member import Member, refusal, secret_of
from serve import Served, reunion
from session import Session

# The app's model, of which the server knows nothing.
MODEL = {"note": {"number": 1, "fields": [{"number": 1, "name": "text", "kind": 4}]}}


@contextlib.contextmanager
def setting():
    with tempfile.TemporaryDirectory(prefix="serve-") as folder:
        yield Path(folder)


group = Group(setting)


def connected(member, space=None):
    session = Session(member, space)
    session.model |= MODEL
    return session.connect()


def texts(session):
    return sorted(note["text"] for note in session.all("note").values())


def join_too(member, link):
    """Opens a further invitation with the token that the device has; the answer."""
    return member.post("/join", {"invite": secret_of(link), "replica": True})


@group.journey("a server is started, a device invited, and what it synced is there after kill -9")
def killed(folder):
    with Served(folder / "killed") as served:
        ensure(served.owner, "The first start prints no owner's link")
        ensure(f"127.0.0.1, port {served.port}" in served.banner, "It listens elsewhere")
        link = served.invite("add", "--space", "Our notes")
        ada = Member(link, is_replica=True)
        session = connected(ada)
        for number in range(50):
            session.create("note", {"text": f"Note {number:02}"})
        session.settle()
        served.kill()
        served.start()
        ensure(served.owner is None, "The owner's link is printed again")
        bo = Member(served.invite("view", "--space", "Our notes"), is_replica=True)
        ensure(bo.space == ada.space, "A second invitation leads elsewhere")
        ensure(texts(connected(bo)) == [f"Note {number:02}" for number in range(50)],
               "What was acknowledged is gone")
        again = connected(ada)
        again.create("note", {"text": "Note 50"})
        again.settle()
        ensure(len(texts(connected(bo))) == 51, "Who had joined cannot go on")
        ensure(served.stop() == 0, "SIGTERM is no clean end")
        served.start()
        ensure(served.stop(signal.SIGINT) == 0, "Ctrl-C is no clean end")


@group.journey("one token opens several spaces, each with its role, and no other")
def several(folder):
    with Served(folder / "several") as served:
        ada = Member(served.invite("edit", "--space", "work"), is_replica=True)
        other = Member(served.invite("add", "--space", "home"), is_replica=True)
        sentence = refusal(lambda: ada.get(f"/session?space={other.space.hex()}")).sentence
        ensure(sentence == "This device has no role in that space. Open an invitation to it.",
               f"It is told: {sentence}")
        home = join_too(ada, served.invite("add", "--space", "home"))
        ensure(home["token"] == ada.token and home["device"] == ada.facts["device"],
               "A second space gives another token")
        ensure(home["space"] == other.facts["space"], "It leads elsewhere")
        roles = json.loads(ada.get("/session"))["spaces"]
        ensure({role["name"]: role["role"] for role in roles} == {"work": "edit", "home": "add"},
               f"Its roles are {roles}")
        one = connected(ada)
        one.create("note", {"text": "at work"})
        one.settle()
        two = connected(ada, other.space)
        two.create("note", {"text": "at home"})
        two.settle()
        ensure(texts(connected(other)) == ["at home"], "The spaces are mixed")
        sentence = refusal(lambda: ada.get(f"/session?space={'12' * 16}")).sentence
        ensure(sentence == "This server does not serve that space. Open an invitation to one of its own.",
               f"It is told: {sentence}")


@group.journey("a client that was written from the page of the protocol audits, and gets what it lost")
def audited(folder):
    with Served(folder / "audited") as served:
        session = Session(Member(served.invite("edit", "--space", "notes"), is_replica=True))
        session.model |= MODEL
        session.audits = True
        session.connect()
        notes = [session.create("note", {"text": f"Note {number:02}"}) for number in range(60)]
        session.settle()
        ensure(session.audit() == [], f"Equal copies differ: {session.answers}")
        # Nothing but an audit shows what is missing here.
        number = MODEL["note"]["number"]
        for note in notes[:2]:
            session.records.pop((number, note))
        parts = session.audit()
        ensure(len(parts) > 1 and {what for what, _ in parts} == {"sum"}, f"The answer to a sum is {parts}")
        ensure(sum(count for _, (count, _) in parts) >= 60, f"The sums are over {parts}")
        parts = session.audit(by_list=True)
        lost = sorted((number, note) for note in notes[:2])
        ensure([(what, sorted(names)) for what, names in parts] == [("differing", lost)], f"It is told {parts}")
        session.run(lambda: len(session.all("note")) == 60)
        ensure(sorted(session.brought) == lost, f"The push names {session.brought}")
        ensure(session.audit() == [], "The copies differ still")
        guest = Session(Member(served.invite("add", "--space", "notes"), is_replica=True))
        guest.model |= MODEL
        guest.audits = True
        guest.connect()
        ensure(not guest.is_audited, "A guest may audit")


@group.journey("a file of one space is had by the devices of that space alone")
def blobs(folder):
    with Served(folder / "blobs") as served:
        ada = Member(served.invite("add", "--space", "one"), is_replica=True)
        eve = Member(served.invite("admin", "--space", "two"), is_replica=True)
        answer = ada.upload(b"what only one space has" * 1000)
        ensure(refusal(lambda: eve.get(f"/blobs/{answer['hash']}")).status == 403,
               "The other space's host has it")


@group.journey("a backup of the running server restores to one that lets the same devices in")
def backup(folder):
    with Served(folder / "first") as served:
        ada = Member(served.invite("edit", "--space", "notes"), is_replica=True)
        session = connected(ada)
        session.create("note", {"text": "kept"})
        session.settle()
        for words in (["backup", served.folder, folder / "backup"],
                      ["restore", folder / "backup", folder / "second", "--verify"]):
            done = reunion(*words)
            ensure(done.returncode == 0, f"{words[0]}: {done.stderr}")
        served.kill()
        second = Served(folder / "second")
        second.port = served.port
        with second:
            ensure("Spaces: main, notes" in second.banner, "It knows no names of spaces")
            ensure(texts(connected(ada)) == ["kept"], "The restored one lacks the note")


@group.journey("a file wires the server, and --check says in a sentence what is wrong with it")
def wired(folder):
    file = folder / "reunion.json5"
    file.write_text('''// The family's.
        { listen: { port: 0 }, storage: { folder: "data" }, }''')
    well = reunion("serve", "--check", file)
    ensure(well.returncode == 0 and well.stdout.startswith("All is well"), well.stderr)
    ensure(not (folder / "data").exists(), "--check makes something")
    file.write_text('{ listen: { prot: 0 }, storage: { folder: "data" } }')
    broken = reunion("serve", "--check", file)
    ensure(broken.returncode == 1 and broken.stderr
           == f"reunion serve: listen.prot is not a key of {file}. The nearest is listen.port.\n",
           f"It says: {broken.stderr}")


@group.journey("the systemd unit of the page is one that systemd takes")
def unit(folder):
    if not shutil.which("systemd-analyze"):
        raise Skipped("systemd is not here")
    text = (ROOT / "docs/serve.md").read_text()
    found = re.search(r"```ini\n(.*?)```", text, re.S)
    ensure(found, "docs/serve.md has no unit")
    # The program stands where this machine has one.
    file = folder / "reunion.service"
    file.write_text(found[1].replace("/opt/reunion/reunion", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", file],
                          capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "reunion.service" in line]
    ensure(done.returncode == 0 and not said, f"{done.returncode}: {done.stderr}")
