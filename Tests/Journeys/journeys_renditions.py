"""What is made of originals: once, within limits, and no longer than their photos live."""

import concurrent.futures
import contextlib
import os
import threading
import time
from pathlib import Path

import photos
from album import Album
from journey import Group, ensure, until
from journeys_host import restart
from member import Member, Refused
from session import Session


@contextlib.contextmanager
def running():
    with Album() as album:
        yield album


group = Group(running)
# Enough pixels that a decoding can be told from none, and far from the 20 s that one may take.
SOME = (4000, 3000)
# The left half, and then a turn of the whole.
EDITS = [bytes.fromhex("00000000008000ffff"), bytes.fromhex("0100000000ffffffff")]


def workers(album):
    """The processes that decode pictures for an album, and the seconds that each has computed."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(words[1]) == album.process.pid:
                found[int(folder.name)] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return found


def is_walled_in(worker):
    """Whether a process has put up its last wall, so that it waits for pictures or decodes one."""
    with contextlib.suppress(OSError):
        return "\nSeccomp:\t2\n" in Path(f"/proc/{worker}/status").read_text()
    return False


def share(session, answer):
    photo = session.create("photo", {"original": (answer["hash"], answer["bytes"])})
    session.settle()
    session.run(lambda: session.fields("photo", photo).get("storedAt") is not None)
    return photo


@group.journey("a WebP of 48 megapixels is taken")
def large(album):
    guest, data = Member(album.guests), photos.poster(8000, 6000).read_bytes()

    def taken():
        """On a very busy machine it is given up, and may be sent again."""
        try:
            return guest.upload(data)
        except Refused as error:
            ensure(error.status == 503, f"It is refused: {error}")
            return None
    answer = until(taken, "It is never taken")
    ensure((answer["width"], answer["height"]) == (8000, 6000), f"It is taken for {answer}")


@group.journey("many guests who open one photo cost one decoding of it")
def shared(album):
    guest = Member(album.guests)
    session = Session(guest).connect()
    answer = guest.upload(photos.poster(*SOME).read_bytes())
    share(session, answer)
    session.close()
    many = [Member(album.guests) for _ in range(12)]

    def computed(members):
        for file in (album.folder / "renditions").iterdir():
            file.unlink()
        before = workers(album)
        with concurrent.futures.ThreadPoolExecutor(len(members)) as pool:
            for data in pool.map(
                    lambda each: each.get(f"/renditions/{answer['hash']}/2048"), members):
                ensure(data[:2] == b"\xff\xd8", "It is no JPEG")
        return sum(seconds - before.get(worker, 0) for worker, seconds in workers(album).items())

    once = computed(many[:1])
    together = computed(many)
    print(f"    one guest {once:.2f} s of computing, twelve {together:.2f} s", flush=True)
    ensure(together < 3 * once, f"Twelve guests cost {together:.2f} s, and one {once:.2f} s")


@group.journey("further records of a photo whose renditions are here cost no decoding of it")
def known(album):
    guest = Member(album.guests)
    session = Session(guest).connect()
    computed = lambda: sum(workers(album).values())
    before = computed()
    answer = guest.upload(photos.poster(*SOME).read_bytes() + b"named again")
    share(session, answer)
    once = computed() - before
    for _ in range(3):
        share(session, answer)
    again = computed() - before - once
    session.close()
    print(f"    the upload took {once:.2f} s of computing, three records more {again:.2f} s", flush=True)
    ensure(again < once / 2, f"Three records cost {again:.2f} s, and the upload {once:.2f} s")


@group.journey("what a guest's edits cost in an hour is limited, and others' edits are made meanwhile")
def measured(album):
    # Five photos of 480 × 360 are decoded for that, and no sixth.
    restart(album, "--guest-hourly-megapixels", "1")
    guest, other, host = Member(album.guests), Member(album.guests), Member(album.owner)

    def edited(member, seed, count):
        session = Session(member).connect()
        answer = member.upload(photos.unique(seed))
        photo = share(session, answer)
        answers = []
        for number in range(count):
            edit = bytes.fromhex(f"00{number:04x}0000ffffffff")
            session.set("photo", photo, {"edit": edit})
            session.settle()
            path = f"/renditions/{answer['hash']}/320/{edit.hex()}"
            status, _, data = host.request("GET", path)
            answers.append(status if status != 429 or b"One guest" in data else data)
        session.close()
        return answers

    # The first edit changes nothing, and is none.
    ensure(edited(guest, 73, 9) == [200] * 6 + [429] * 3, "A guest's edits cost what they like")
    ensure(edited(other, 74, 4) == [200] * 4, "Another guest pays for them")
    ensure(edited(host, 75, 9) == [200] * 9, "The host is limited")
    ensure("limited" in (album.folder / "security.log").read_text(), "The log does not say so")
    restart(album)


@group.journey("a picture that ends the decoder again and again gets a final answer")
def fatal(album):
    guest = Member(album.guests)
    whole = photos.poster(8000, 6000).read_bytes()
    calm = threading.Event()

    def kill_at_work():
        begun = {}
        while not calm.wait(0.005):
            for worker, seconds in workers(album).items():
                # Well into a picture: one that is killed while it starts says nothing of the picture.
                if is_walled_in(worker) and seconds > begun.setdefault(worker, seconds) + 0.1:
                    with contextlib.suppress(OSError):
                        os.kill(worker, 9)

    def answers(data):
        """What is answered until that is final; nothing where the picture was done before it was ended."""
        statuses = []
        while len(statuses) < 9:
            try:
                answer = guest.upload(data)
                return [*statuses, 200] if "unshown" in answer else None
            except Refused as error:
                statuses.append(error.status)
        return statuses

    killer = threading.Thread(target=kill_at_work)
    killer.start()
    try:
        # A killer that comes too late is no answer: another picture is tried.
        for number in range(20):
            data = whole + f"again and again {number}".encode()
            statuses = answers(data)
            if statuses:
                break
    finally:
        calm.set()
        killer.join()
    ensure(statuses, "Nothing ends the decoder")
    ensure(statuses[-1] == 200 and set(statuses[:-1]) == {503} and len(statuses) > 2,
           f"It answers {statuses}")
    again = guest.upload(data)
    ensure(again["contentType"] == "application/octet-stream", f"It answers {again}")
    guest.upload(photos.unique(70))


@group.journey("the renditions of a deleted photo are deleted, and those of others stay")
def swept(album):
    guest = Member(album.guests)
    session = Session(guest).connect()
    answers = [guest.upload(photos.unique(seed)) for seed in (71, 72)]
    gone, kept = [share(session, answer) for answer in answers]
    session.delete("photo", gone)
    for edit in EDITS:
        session.set("photo", kept, {"edit": edit})
        session.settle()
        guest.get(f"/renditions/{answers[1]['hash']}/320/{edit.hex()}")
    session.close()
    files = {answer["hash"]: sorted((album.folder / "renditions").glob(f"{answer['hash']}-*.jpg"))
             for answer in answers}
    ensure([len(each) for each in files.values()] == [2, 6], f"There are {files}")
    earlier = {file for file in files[answers[1]["hash"]] if EDITS[0].hex() in file.name}
    long_ago = time.time() - 3600
    for each in files.values():
        for file in each:
            os.utime(file, (long_ago, long_ago))
    ensure(album.stop() == 0, "It does not end well")
    album.start()
    until(lambda: not any(file.exists() for file in files[answers[0]["hash"]]),
          "The renditions of a deleted photo stay")
    until(lambda: not any(file.exists() for file in earlier), "What was edited again stays")
    ensure(all(file.exists() for file in set(files[answers[1]["hash"]]) - earlier),
           "A living photo's are gone")
    ensure(Member(album.guests).get(f"/renditions/{answers[1]['hash']}/320"), "It is not shown")
