"""The album as a program: how it starts, ends, refuses, and lives on a full disk."""

import contextlib
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from websockets.exceptions import InvalidStatus

import photos
import quake_feed
from album import APPS, CLONER, WEB, Album, blob_files, contents, free_port, run_to_end
from journey import PATIENCE, Group, Skipped, ensure, until
from member import Member, Refused, Upload
from quakes import Quakes
from session import Session


@contextlib.contextmanager
def running():
    with Album() as album:
        yield album


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="start-") as path:
        yield Path(path)


group = Group(running)
starts = Group(folder)


@starts.journey("every program finds all of its addresses at its start, and nobody can write over them")
def relro(folder):
    programs = [path for path in (APPS / name for name in (
        "Albums", "Quakes", "Sudoku", "Words", "ScreenTime", "screentime-agent")) if path.exists()]
    programs += [path for path in (CLONER, CLONER.parent / "reunion-serve") if path.exists()]
    ensure(len(programs) >= 3, f"Nothing is built: {programs}")
    # The control: a program that is linked as it comes is none of these.
    (folder / "plain.c").write_text("int main(void) { return 0; }")
    subprocess.run(["cc", "-Wl,-z,relro,-z,lazy", "-o", folder / "plain", folder / "plain.c"],
                   check=True, timeout=PATIENCE)
    ensure(not has_full_relro(folder / "plain"), "A program that is bound late passes")
    late = [path.name for path in programs if not has_full_relro(path)]
    ensure(not late, f"Bound late: {late}")


def has_full_relro(program):
    """Whether a program's relocations are done and write-protected before it runs."""
    told = subprocess.run(["readelf", "-ldW", program], capture_output=True, text=True, check=True,
                          timeout=PATIENCE).stdout
    return "GNU_RELRO" in told and re.search(r"\((FLAGS|FLAGS_1)\).*\bNOW\b|\(BIND_NOW\)", told) is not None


# What /health tells strangers, guests and the host (docs/protocol.md 3.5).
@group.journey("the album says at once what a person needs, and its health as JSON")
def banner(album):
    for word in ("Guests", "Here", "Owner"):
        ensure(re.search(rf"^{word}: http://\S+/#join=\S+$", album.banner, re.M),
               f"It prints no {word} link")
    ensure("Summer 2026 · 0 photos" in album.banner, "It does not say which album this is")
    ensure("█" in album.banner, "It draws no QR code")
    health = album.health()
    ensure(set(health) == {"status", "version"}, f"Health tells a stranger {health}")
    counts = album.counts()
    ensure(set(counts) == {"status", "version", "records", "blobs", "awaited", "replicas", "sandbox"},
           f"Health tells the host {counts}")
    walls = counts["sandbox"]
    ensure(set(walls) == {"noNewPrivileges", "seccomp", "landlock"}, f"The walls are {walls}")
    ensure(all(walls.values()) == ("This machine lacks" not in album.banner),
           f"It prints nothing of {walls}")
    ensure(counts["status"] == "ok" and counts["blobs"] == counts["awaited"] == counts["replicas"] == 0, f"{counts}")
    guest = Member(album.guests)
    ensure(set(json.loads(guest.get("/health"))) == set(health), "Health tells a guest more")
    session = Session(guest).connect()
    ensure(album.counts()["replicas"] == 1, "Health does not count who is connected")
    session.close()
    until(lambda: album.counts()["replicas"] == 0, "Health counts who has left")
    print(f"    ready {album.seconds:.2f} s after the process's start", flush=True)


@group.journey("a device has eight sessions at most, and a place is free again when one ends")
def sessions(album):
    member = Member(album.guests)
    many = [Session(member).connect() for _ in range(8)]
    for _ in range(3):
        try:
            member.websocket().close()
        except InvalidStatus as error:
            ensure(error.response.status_code == 429, f"The ninth is answered {error}")
        else:
            raise AssertionError("A ninth session opens")
    Session(Member(album.guests)).connect().close()
    many.pop().close()
    until(lambda: album.counts()["replicas"] == 7, "The server counts one that has left")
    many.append(Session(member).connect())
    for session in many:
        session.close()


@group.journey("a second start prints no owner's link, and the old guests' link goes on to work")
def second(album):
    guests, owner = album.guests, album.owner
    first = Member(guests)
    ensure(album.stop() == 0, "It does not end well")
    album.name = "Another name"
    album.start()
    ensure(album.printed_owner is None, "It prints an owner's link again")
    ensure(Member(guests).facts["role"] == "add", "The guests' link of before is dead")
    ensure(Member(owner).facts["role"] == "admin", "The owner's link of before is dead")
    ensure(first.get("/session"), "Who had joined is out")
    ensure("Summer 2026 ·" in album.banner, "A second start renames the album")


@group.journey("a photo deleted while the server takes it in stays deleted")
def deleted_meanwhile(album):
    member = Member(album.guests)
    session = Session(member).connect()
    data = photos.commented(photos.half_megabyte().read_bytes(), b"deleted meanwhile")
    photo = session.create("photo", {"original": (hashlib.sha256(data).hexdigest(), len(data))})
    session.settle()
    session.close()
    member.upload(data)
    # What the server has written of the photo by now is not seen by this delete.
    session.delete("photo", photo)
    other = Session(Member(album.guests)).connect()
    # Otherwise the server notes nothing, and this tests nothing.
    other.run(lambda: other.fields("photo", photo).get("storedAt"))
    session.connect().settle()
    other.run(lambda: other.fields("photo", photo) is None)
    ensure(session.fields("photo", photo) is None, "The photo is back on the phone")
    session.close()
    other.close()


@starts.journey("SIGTERM as soon as it has started ends it cleanly")
def at_once(folder):
    album = Album(folder / "at once")
    for _ in range(photos.slices(6, 20)):
        ensure(album.start().stop() == 0, f"It does not end well: {album.sentence()}")


@group.journey("SIGTERM ends it cleanly, with guests connected and an upload under way")
def sigterm(album):
    member = Member(album.guests)
    session = Session(member).connect()
    upload = Upload(member, photos.half_megabyte().read_bytes())
    upload.append(upload.begin(), 200_000)
    code = album.stop()
    ensure(code == 0, f"It ended with {code}: {album.sentence()}")
    session.close()
    album.start()
    member = Member(album.guests)
    ensure(album.health()["status"] == "ok", "It does not open again")


def refuses(album_folder, *words, arguments=(), port=None):
    """The album does not start, says why in one sentence with a remedy, and changes nothing."""
    before = contents(album_folder) if Path(album_folder).is_dir() else None
    code, said = run_to_end("--port", str(port or free_port()), "--data", str(album_folder),
                            *arguments)
    ensure(code != 0, "It starts nevertheless")
    ensure(said and "\n" not in said, f"It says {said!r}, and not one sentence")
    for word in words:
        ensure(word in said, f"It says {said!r}, without “{word}”")
    if before is not None:
        changed = {name for name, _ in before.items() ^ contents(album_folder).items()}
        ensure(not changed, f"{sorted(changed)} is not what it was")


@starts.journey("a port in use is refused with the remedy, and no folder is begun")
def port_in_use(folder):
    with socket.create_server(("0.0.0.0", 0)) as taken:
        port = taken.getsockname()[1]
        refuses(folder / "new", str(port), "in use", port=port)
    left = list((folder / "new").rglob("*")) if (folder / "new").exists() else []
    ensure(not left, f"It leaves {[each.name for each in left]}")


@starts.journey("a folder that cannot be written is refused with the remedy")
def unwritable(folder):
    (folder / "file").write_text("no folder")
    refuses(folder / "file" / "data", str(folder / "file"))
    if os.geteuid() != 0:
        (folder / "locked").mkdir(mode=0o500)
        return refuses(folder / "locked", "locked")
    with tmpfs(folder / "readonly", "ro,size=1m"):
        refuses(folder / "readonly", "readonly")


@starts.journey("a folder of a newer version is refused, and left as it is")
def newer(folder):
    album = Album(folder / "data").start()
    album.stop()
    # Written in the log and left there, as by a program that was killed.
    subprocess.run([sys.executable, "-c", f"""if True:
        import os, sqlite3
        store = sqlite3.connect({str(folder / 'data' / 'store.sqlite')!r})
        store.execute('PRAGMA user_version = 999')
        os._exit(0)"""], check=True)
    refuses(folder / "data", "newer")


@starts.journey("an album, a map and imported feeds refuse each other's folders, and leave them so")
def of_another_app(folder):
    album = Album(folder / "summer").start()
    album.stop()
    before = contents(folder / "summer")
    away = "http://127.0.0.1:9/feed"
    done = quakes_end("--data", folder / "summer", "--feed", away)
    ensure(done.returncode != 0 and "choose another folder" in done.stderr, f"{done}")
    ensure(contents(folder / "summer") == before, "The album is not what it was")
    with Quakes(away) as quakes:
        quakes.end()
        refuses(quakes.folder, "something other than an album", "choose another folder")
    (folder / "feed.xml").write_bytes(quake_feed.atom([quake_feed.quake("a1", "Here", 1, 2, 3, 4, 5)]))
    subprocess.run([CLONER, "import", "feed", folder / "feed.xml", folder / "feeds"], check=True,
                   capture_output=True)
    refuses(folder / "feeds", "something other than an album", "choose another folder")


@starts.journey("a map without its feed's file, its page or its folder ends with one plain sentence")
def map_without(folder):
    feed = ("--feed", "http://127.0.0.1:9/feed")
    for code, arguments, words in (
            (1, ("--feed", folder / "nope.xml"), f"no feed to read at {folder / 'nope.xml'}"),
            (1, ("--feed", folder), f"no feed to read at {folder}"),
            (1, (*feed, "--page", folder / "nope"), f"The pages in {folder / 'nope'} cannot be read"),
            (1, (*feed, "--library", folder / "nope"), f"The pages in {folder / 'nope'} cannot be read"),
            (2, (*feed, "--every", "never"), "--every takes a number from 0.1 to 86400.0, not never"),
            (2, (*feed, "--what"), "--what is not an option. See --help.")):
        done = quakes_end("--data", folder / "map", *arguments)
        said = done.stderr.strip()
        ensure(done.returncode == code and words in said and "\n" not in said, f"{arguments}: {said!r}")
        ensure(not (folder / "map").exists(), f"{arguments}: it began a map")
    (folder / "file").write_text("no folder")
    done = quakes_end("--data", folder / "file" / "map", *feed)
    ensure(done.returncode == 1 and "cannot be written" in done.stderr, f"{done}")


def quakes_end(*arguments):
    """Runs the map with arguments that it refuses."""
    return subprocess.run(
        [APPS / "Quakes", "--port", str(free_port()), "--page", WEB / "quakes", "--library",
         WEB / "reunion", *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE)


@starts.journey("a folder with a person's own files is refused, and left as it is")
def foreign(folder):
    theirs = folder / "theirs"
    (theirs / "uploads" / "trip").mkdir(parents=True)
    (theirs / "uploads" / "trip" / "1.jpg").write_bytes(b"a photo of theirs")
    (theirs / "uploads" / "notes.txt").write_text("theirs")
    mode = theirs.stat().st_mode
    refuses(theirs, "other files", "empty folder")
    ensure(sorted(each.name for each in theirs.iterdir()) == ["uploads"], "It began an album there")
    ensure(theirs.stat().st_mode == mode, "It changed the folder's mode")
    # What a disk or a file manager puts into an empty folder is in nobody's way.
    (folder / "fresh" / "lost+found").mkdir(parents=True)
    (folder / "fresh" / ".DS_Store").write_bytes(b"x")
    with Album(folder / "fresh") as album:
        ensure(album.health()["status"] == "ok", "It does not start on an empty disk")


@starts.journey("a second server on the same folder is refused, and the first goes on")
def twice(folder):
    with Album(folder / "twice") as album:
        code, said = run_to_end("--port", str(free_port()), "--data", str(folder / "twice"))
        ensure(code != 0 and "\n" not in said and str(folder / "twice") in said, f"{code}: {said}")
        ensure(album.health()["status"] == "ok", "The first server is not well")
        ensure(Member(album.guests).facts["role"] == "add", "The first server lets nobody in")


@starts.journey("arguments that make no sense are refused with the way out")
def arguments(folder):
    refuses(folder / "twice", "--help", arguments=("--prot", "1"))
    refuses(folder / "twice", "number from 0 to 65535", arguments=("--port", "web"))


@contextlib.contextmanager
def tmpfs(path, options):
    """A small disk."""
    if os.geteuid() != 0:
        raise Skipped("only root can mount a small disk")
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path],
                      capture_output=True).returncode != 0:
        raise Skipped("this machine lets nobody mount a small disk")
    try:
        yield path
    finally:
        until(lambda: subprocess.run(["umount", path], capture_output=True).returncode == 0,
              "The small disk is busy")


@starts.journey("on a full disk uploads get 507, nothing acknowledged is lost, and work goes on")
def full_disk(folder):
    with tmpfs(folder / "disk", "size=12m") as disk, Album(disk / "data") as album:
        (disk / "filler").write_bytes(bytes(7_000_000))
        member = Member(album.guests)
        session = Session(member).connect()
        kept, refusal, waiting = [], None, None
        for number in range(40):
            waiting = photos.commented(
                photos.half_megabyte().read_bytes(), b"full disk %d" % number)
            try:
                answer = member.upload(waiting)
            except Refused as error:
                refusal = error
                break
            session.create("photo", {"original": (answer["hash"], answer["bytes"])})
            session.settle()
            kept.append(answer["hash"])
        ensure(refusal is not None, "The disk does not fill up")
        ensure(refusal.status == 507, f"An upload on a full disk gets {refusal}")
        ensure("disk is full" in refusal.sentence and "room" in refusal.sentence,
               f"It says “{refusal.sentence}”")
        fill(disk)
        ensure(album.is_running and album.health()["status"] == "ok", "The server is not well")
        reader = Session(member).connect()
        ensure(len(reader.all("photo")) == len(kept), "A record is missing while the disk is full")
        reader.close()
        for hash_ in kept:
            ensure(member.get(f"/renditions/{hash_}/320"), "A photo is gone while the disk is full")
        (disk / "filler").unlink()
        (disk / "filler2").unlink(missing_ok=True)
        answer = member.upload(waiting)
        ensure(answer["hash"] == hashlib.sha256(waiting).hexdigest(), "The waiting photo is not in")
        late = Session(member).connect()
        late.create("heart", {"photo": next(iter(late.all("photo")))})
        late.settle().close()
        album.kill()
        album.start()
        again = Session(Member(album.guests)).connect()
        ensure({photo["original"][0] for photo in again.all("photo").values()} >= set(kept),
               "An acknowledged record is lost")
        held = blob_files(disk / "data")
        for hash_ in [*kept, answer["hash"]]:
            ensure(hash_ in held and hashlib.sha256(held[hash_].read_bytes()).hexdigest() == hash_,
                   "An acknowledged photo is lost")
        again.close()
        print(f"    {len(kept)} photos before the disk was full: {refusal.sentence}", flush=True)


def fill(disk):
    """Takes the last bytes too."""
    with open(disk / "filler2", "wb", buffering=0) as filler, contextlib.suppress(OSError):
        for size in (100_000, 4096):
            with contextlib.suppress(OSError):
                while True:
                    filler.write(bytes(size))
