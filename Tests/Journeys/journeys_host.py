"""What the host can take back: links, devices, and how much a guest may add."""

import contextlib
import hashlib
import json
import re
import subprocess

import photos
from album import CLONER, PROGRAM, Album
from journey import PATIENCE, Group, ensure
from member import Member, Upload, refusal, secret_of
from session import Session


@contextlib.contextmanager
def running():
    with Album() as album:
        yield album


group = Group(running)


def restart(album, *options):
    """Ends the album and starts it again, this once with options."""
    ensure(album.stop() == 0, "It does not end well")
    album.options = options
    album.start()
    album.options = []


def people(album):
    """What `--people` prints, while the album is not running."""
    done = subprocess.run([PROGRAM, "--people", "--data", album.folder], capture_output=True,
                          text=True, timeout=PATIENCE)
    ensure(done.returncode == 0, f"--people: {done.returncode} {done.stderr}")
    return done.stdout.splitlines()


@group.journey("a photo whose record comes after a restart is marked as stored")
def record_after_restart(album):
    guest = Member(album.guests)
    data = photos.commented(photos.half_megabyte().read_bytes(), b"before its record")
    answer = guest.upload(data)
    restart(album)
    session = Session(guest).connect()
    record = session.create("photo", {"original": (answer["hash"], answer["bytes"])})
    session.settle()
    session.run(lambda: session.fields("photo", record).get("storedAt") is not None)
    ensure(session.fields("photo", record)["width"] > 0, "Its size is not known")
    no_picture = session.create("photo", {"original": (hashlib.sha256(b"").hexdigest(), 0)})
    session.settle()
    ensure(session.fields("photo", no_picture).get("storedAt") is None, "What is not here is stored")
    session.close()


@group.journey("--new-owner and --new-guests end the earlier links, and who has joined stays")
def new_links(album):
    guests, owner = album.guests, album.owner
    guest, host = Member(guests), Member(owner)
    restart(album, "--new-owner", "--new-guests")
    ensure(album.printed_owner and album.printed_owner != owner, "No new owner's link is printed")
    for link in (guests, owner):
        ensure(refusal(lambda: Member(link)).status == 410, "An earlier link opens the album")
    ensure(Member(album.guests).facts["role"] == "add", "The new guests' link makes no guest")
    ensure(Member(album.printed_owner).facts["role"] == "admin", "The new link makes no owner")
    ensure(guest.get("/session") and host.get("/session"), "Who had joined is out")
    restart(album)
    ensure(album.printed_owner is None, "Every start prints an owner's link now")
    ensure(refusal(lambda: Member(guests)).status == 410, "An earlier link lives again")


# Removing one device ends its sessions and uploads (docs/protocol.md 3.2).
@group.journey("a device that the host puts out loses its session at once, and no other does")
def put_out(album):
    host, bad, good = Member(album.owner), Member(album.guests), Member(album.guests)
    sessions = [Session(member).connect() for member in (bad, good)]
    listed = [each["device"] for each in json.loads(host.get("/devices"))["devices"]]
    ensure({bad.facts["device"], good.facts["device"]} <= set(listed), f"The list is {listed}")
    ensure(refusal(lambda: good.get("/devices")).status == 403, "A guest sees who is there")
    status, _, _ = good.request("DELETE", f"/devices/{bad.facts['device']}")
    ensure(status == 403, "A guest puts others out")
    ensure(bad.get("/session"), "A guest has put another out")
    status, _, _ = host.request("DELETE", f"/devices/{bad.facts['device']}")
    ensure(status == 204, f"The host cannot put a device out: {status}")
    with contextlib.suppress(ConnectionError):
        sessions[0].run(lambda: False)
        raise AssertionError
    ensure(sessions[0].byes, "It hears no reason")
    ensure(refusal(lambda: bad.get("/session")).status == 401, "Its token still opens the album")
    ensure(refusal(lambda: Upload(bad, b"x" * 100).begin()).status == 401, "It still uploads")
    sessions[1].create("photo", {"caption": "still here"})
    sessions[1].settle().close()
    ensure(host.request("DELETE", "/devices/0123456789abcdef")[0] == 404, "Any number is a device")
    ensure(host.request("DELETE", "/devices/nonsense")[0] == 404, "Any word is a device")


@group.journey("the security log says who came in, was refused and put out, and holds no secret")
def logged(album):
    host, bad = Member(album.owner), Member(album.guests)
    Session(bad).connect().close()
    refusal(lambda: bad.get("/devices"))
    refusal(lambda: Member(album.guests[:-3]))
    host.request("DELETE", f"/devices/{bad.facts['device']}?guests-link=new")
    def log(folder):
        return subprocess.run([CLONER, "log", folder, "--json"], capture_output=True, text=True,
                              timeout=PATIENCE)

    done = log(album.folder)
    album.guests = json.loads(host.get("/invite"))["url"]
    events = [json.loads(line) for line in done.stdout.splitlines()]
    ensure(done.returncode == 0, f"{done.stderr}")
    device = bad.facts["device"]
    for event, of in (("joined", {"device": device, "role": "add"}),
                      ("refused", {"device": device, "why": "role"}),
                      ("refused", {"why": "link"}), ("replaced", {"links": "guests"}),
                      ("put-out", {"device": device})):
        ensure(any(each["event"] == event and each.items() >= of.items() for each in events),
               f"It says nothing of {event} {of}: {events[-6:]}")
    text = (album.folder / "security.log").read_text()
    for secret in (secret_of(album.guests), secret_of(album.owner), bad.cookie.split("=")[1]):
        ensure(secret not in text, "A secret stands in the log")
    ensure(log(album.folder / "uploads").returncode == 1, "A log is found anywhere")


@group.journey("--people lists who has joined, and --remove puts one of them out")
def removed(album):
    guest, other = Member(album.guests), Member(album.guests)
    session = Session(guest).connect()
    session.create("guest", {"name": "Ada\n0123456789abcdef owner"})
    session.settle().close()
    ensure(album.stop() == 0, "It does not end well")
    lines = people(album)
    mine = [line for line in lines if line.startswith(guest.facts["device"])]
    ensure(len(mine) == 1 and re.search(r"guest .*Ada", mine[0]), f"It lists {lines}")
    ensure(not any(line.startswith("0123456789abcdef") for line in lines), "A name makes a line")
    album.options = ["--remove", guest.facts["device"]]
    album.start()
    album.options = []
    ensure(refusal(lambda: guest.get("/session")).status == 401, "It is still in the album")
    ensure(other.get("/session"), "Another device is out")


@group.journey("what one guest may add in a day is limited, and said before a byte is sent")
def allowance(album):
    restart(album, "--guest-daily-mb", "1", "--guest-daily-uploads", "3")
    guest, other = Member(album.guests), Member(album.guests)
    data = photos.half_megabyte().read_bytes()
    first = photos.commented(data, b"one")
    guest.upload(first)
    refused = refusal(lambda: Upload(guest, photos.commented(data, b"two")).begin(900_000))
    ensure(refused.status == 507 and "one guest" in refused.sentence, f"{refused}")
    ensure(Upload(guest, first).begin() is None, "What is here already is refused")
    for number in range(2):
        Upload(guest, b"%d" % number * 10).begin()
    ensure(refusal(lambda: Upload(guest, b"more").begin()).status == 507, "The count has no limit")
    ensure(Upload(other, photos.commented(data, b"three")).begin() == 0, "Another guest is limited")
    host = Member(album.owner if album.printed_owner is None else album.printed_owner)
    ensure(Upload(host, photos.commented(data, b"four")).begin(900_000) == 0, "The host is limited")
    restart(album, "--guest-daily-uploads", "3")
    ensure(refusal(lambda: Upload(guest, b"more").begin()).status == 507, "A restart forgives")
