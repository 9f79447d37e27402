"""What nobody should send: each gets a clear answer, and nothing is stored or lost."""

import contextlib
import hashlib
import io
import json
import random
import re
import threading

import codec
import photos
from PIL import Image
from album import ROOT, Album
from journey import Group, ensure, pause, until
from member import Member, Upload, refusal
from session import Session
from wire import Wire


@contextlib.contextmanager
def running():
    with Album() as album:
        yield album


group = Group(running)
GARBAGE = photos.slices(2_000, 10_000)


def refused(act, *statuses):
    """The sentence of a refusal with one of these statuses."""
    found = refusal(act)
    ensure(found.status in statuses, f"It is refused with {found}, and not {statuses}")
    ensure(found.sentence.endswith(".") and len(found.sentence) > 15,
           f"It says “{found.sentence}”, which is no sentence")
    return found.sentence


@group.journey("what is no picture is refused with a sentence, and leaves nothing")
def no_pictures(album):
    member = Member(album.guests)
    for file in (photos.html_as_jpeg(), photos.svg_as_jpeg(), photos.text_as_jpeg()):
        sentence = refused(lambda: member.upload(file.read_bytes()), 413, 415, 422)
        print(f"    {file.name}: {sentence}", flush=True)
    junk = random.Random(4).randbytes(50_000)
    refused(lambda: member.upload(junk), 415, 422)
    for junk in (junk, b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", photos.bomb().read_bytes()[:100_000],
                 photos.truncated().read_bytes()):
        refused(lambda: member.upload(junk, "preview"), 413, 415, 422)
    refused(lambda: member.upload(photos.orientation(1).read_bytes(), "preview"), 413, 422)
    ensure(album.counts()["blobs"] == 0, "Something of it is stored")
    left = [file.name for part in ("uploads", "renditions", "partial", "blobs")
            for file in (album.folder / part).rglob("*") if file.is_file()]
    ensure(not left, f"Files are left: {left}")


def saved(member, path):
    """What a member gets at a path as a file to save; the status of a refusal."""
    status, headers, data = member.request("GET", path)
    if status != 200:
        return status
    ensure(headers["Content-Type"] == "application/octet-stream", f"It is {headers['Content-Type']}")
    ensure(headers["Content-Disposition"].startswith("attachment;"), f"It is shown: {headers}")
    ensure(headers["X-Content-Type-Options"] == "nosniff", "A browser may guess what it is")
    return data


# Originals of which no picture can be made, and one that is shown (docs/protocol.md 3.4).
@group.journey("a picture that cannot be shown is kept for its sender and the host, as a file to save, and no one else")
def kept(album):
    ada, ben, host = Member(album.guests), Member(album.guests), Member(album.owner)
    sessions = [Session(member).connect() for member in (ada, ben)]
    good = photos.unique(930)
    for data in (photos.bomb().read_bytes(), b"\xff\xd8\xff" + random.Random(5).randbytes(5000),
                 photos.tiff().read_bytes(), photos.webp().read_bytes()[:9000]):
        answer = ada.upload(data)
        ensure(answer["unshown"].endswith(".") and answer["contentType"] == "application/octet-stream",
               f"Its sender is not told: {answer}")
        print(f"    {answer['unshown']}", flush=True)
        record = sessions[0].create("photo", {"original": (answer["hash"], answer["bytes"]), "width": 7})
        sessions[0].settle()
        sessions[0].run(lambda: sessions[0].fields("photo", record).get("storedAt") is not None)
        told = sessions[0].fields("photo", record)
        ensure(told["contentType"] == "application/octet-stream" and told["width"] == 7, f"It says {told}")
        path = f"/blobs/{answer['hash']}"
        for member in (ada, host):
            ensure(saved(member, path) == data and saved(member, path + "?name=a.png") == data,
                   "What was kept is not what was sent")
        ensure(saved(ben, path) == 403, "Another guest gets it")
        for size in ("320", "2048", "320/0100000000ffff8000"):
            ensure(saved(ada, f"/renditions/{answer['hash']}/{size}") == 404, "There is a picture of it")
        claimed = sessions[1].create("photo", {"original": (answer["hash"], answer["bytes"])})
        sessions[1].settle()
        ensure(saved(ben, path) == 403, "Who names it gets it")
        ensure(sessions[1].fields("photo", claimed).get("storedAt") is None, "Who names it has it safe")
        # Whoever has the bytes is a sender, too.
        ensure(ben.upload(data)["hash"] == answer["hash"] and saved(ben, path) == data, "A second sender has none")
        for session, each in ((sessions[0], record), (sessions[1], claimed)):
            session.delete("photo", each)
            session.settle()
        ensure(saved(ada, path) == 403 and saved(host, path) == data, "It is there for a guest after its deletion")
    # The original of a photo that is shown is the host's alone.
    answer = ada.upload(good)
    record = sessions[0].create("photo", {"original": (answer["hash"], answer["bytes"])})
    sessions[0].settle()
    sessions[0].run(lambda: sessions[0].fields("photo", record).get("storedAt") is not None)
    ensure(saved(ada, f"/blobs/{answer['hash']}") == 403, "A guest gets an original that is shown")
    for session in sessions:
        session.close()


@group.journey("a photo of 108 megapixels, and one without its end, are shown and keep their bytes")
def large_and_cut(album):
    member, host = Member(album.guests), Member(album.owner)
    session = Session(member).connect()
    for data, size in ((photos.megapixels_108().read_bytes(), (12_000, 9_000)),
                       (photos.unique(931)[:-2], (480, 360)), (photos.truncated().read_bytes(), (1200, 900)),
                       (photos.unique(932) + b"behind its end" * 99, (480, 360))):
        answer = member.upload(data)
        ensure((answer["width"], answer["height"]) == size and "unshown" not in answer, f"It answers {answer}")
        record = session.create("photo", {"original": (answer["hash"], answer["bytes"])})
        session.settle()
        session.run(lambda: session.fields("photo", record).get("storedAt") is not None)
        for long_edge in (320, 2048):
            with Image.open(io.BytesIO(member.get(f"/renditions/{answer['hash']}/{long_edge}"))) as made:
                ensure(max(made.size) == min(long_edge, max(size)), f"It is {made.size}")
        ensure(host.get(f"/blobs/{answer['hash']}") == data, "The original is not what was sent")
    session.close()


# What "takenAt" says (docs/protocol.md 3.3).
@group.journey("a photo that names its zone is taken at that instant, and impossible dates are none")
def taken(album):
    member = Member(album.guests)
    for number, (tags, expected) in enumerate((
            ({0x9003: "2026:07:14 18:30:00", 0x9011: "+02:00"}, 1_784_046_600_000),
            ({0x9003: "2026:07:14 18:30:00", 0x9010: "-04:00"}, 1_784_068_200_000),
            ({0x9004: "2026:07:14 18:30:00", 0x9012: "+05:45"}, 1_784_033_100_000),
            # Without a zone it is still taken for UTC.
            ({0x9003: "2026:07:14 18:30:00"}, 1_784_053_800_000),
            ({0x9003: "2026:02:31 10:00:00"}, None), ({0x9003: "1904:01:01 00:00:00"}, None),
            ({0x9003: "0000:00:00 00:00:00"}, None), ({0x9003: "2099:01:01 00:00:00"}, None))):
        answer = member.upload(photos.dated(940 + number, tags))
        ensure(answer.get("takenAt") == expected, f"{tags}: it is taken at {answer.get('takenAt')}")


@group.journey("empty, enormous and dishonest uploads are refused before they cost anything")
def lengths(album):
    member, before = Member(album.guests), album.counts()["blobs"]
    refused(lambda: Upload(member, b"").begin(), 422)
    for declared in (3_000_000_000, 100_000_001, 2 ** 63):
        refused(lambda: Upload(member, b"x").begin(declared), 413, 400)
    upload = Upload(member, photos.unique(50))
    offset = upload.begin(declared=1000)
    refused(lambda: upload.append(offset), 413, 400)
    wrong = Upload(member, photos.unique(51))
    wrong.hash = hashlib.sha256(b"something else").hexdigest()
    refused(lambda: wrong.append(wrong.begin()), 409)
    right = Upload(member, photos.unique(52))
    right.begin()
    refused(lambda: right.append(70), 409)
    stranger = Member(album.guests)
    right.member = stranger
    refused(lambda: right.append(0), 404)
    ensure(album.counts()["blobs"] == before, "Something of it is stored")


@group.journey("wrong links, strangers, other hosts and other sites are turned away")
def strangers(album):
    member = Member(album.guests)
    refused(lambda: member.post("/join", {"invite": "wrong"}), 401)
    refused(lambda: member.post("/join", {"invite": ""}), 401, 400)
    refused(lambda: member.post("/join", {}), 400)
    status, _, _ = member.request("POST", "/join", b"\xff{[" * 400)
    ensure(status == 400, f"A join that is no JSON gets {status}")
    status, _, _ = member.request("POST", "/join", b"x" * 100_000)
    ensure(status in (400, 413), f"A join of 100 KB gets {status}")
    member.cookie, cookie = None, member.cookie
    for path in ("/session", "/invite", "/blobs/" + "0" * 64, f"/sync?space={member.space.hex()}"):
        refused(lambda: member.get(path), 401)
    refused(lambda: member.post("/uploads"), 401)
    member.cookie = cookie[:-4] + "AAAA"
    refused(lambda: member.get("/session"), 401)
    for head, statuses in (
            (["GET / HTTP/1.1", "Host: evil.example"], [403]),
            (["GET / HTTP/1.1"], [400, 403]),
            (["POST /join HTTP/1.1", f"Host: {member.address}", "Origin: http://evil.example",
              "Content-Length: 0"], [403]),
            (["GET /health HTTP/1.1", f"Host: {member.address}", f"Host: {member.address}"], [400]),
            (["POST /join HTTP/1.1", f"Host: {member.address}", "Content-Length: 2",
              "Transfer-Encoding: chunked"], [400, 411, 501]),
            (["GET /health HTTP/9.9", f"Host: {member.address}"], [400, 505]),
            (["BREW /health HTTP/1.1", f"Host: {member.address}"], [404, 405, 501]),
            (["GET /health HTTP/1.1", f"Host: {member.address}", "X: " + "y" * 99_999], [431, 400]),
    ):
        with Wire(album.port) as raw:
            status, _ = raw.ask(head)
            ensure(status in statuses, f"{head[0][:40]} {head[1:][:2]} gets {status}"[:200])


@group.journey("errors look alike on every route, and name no folder of the host")
def alike(album):
    guest, owner, zeros = Member(album.guests), Member(album.owner), "0" * 64
    asked = [
        ("GET", f"/renditions/{zeros}/320", 404, 404), ("GET", "/renditions/zz/320", 404, 404),
        ("HEAD", f"/renditions/{zeros}/321", 404, 404), ("GET", f"/renditions/{zeros}/2048/zz", 404, 404),
        ("GET", f"/renditions/{zeros}/full", 403, 404), ("GET", f"/blobs/{zeros}", 403, 404),
        ("GET", "/blobs/zz", 404, 404), ("POST", "/uploads", 400, 400), ("PATCH", "/uploads/zz", 404, 404),
        ("GET", "/sync", 403, 403), ("POST", "/owner-link", 403, 400), ("DELETE", "/devices/zz", 403, 404),
        ("DELETE", f"/records/photo/{zeros}", 403, 404)]
    for method, path, of_guest, of_owner in asked:
        for member, cookie, expected in ((guest, guest.cookie, of_guest), (owner, owner.cookie, of_owner),
                                         (guest, None, 401), (guest, guest.cookie[:-4] + "AAAA", 401)):
            member.cookie, kept = cookie, member.cookie
            status, headers, data = member.request(method, path, b"{" if method == "POST" else None)
            member.cookie = kept
            told = f"{method} {path[:40]} gets {status} {data[:200]}"
            ensure(status == expected, f"{told}, and not {expected}")
            ensure(headers["Content-Type"] == "application/json", f"{told}, as {headers['Content-Type']}")
            if method != "HEAD":
                fields = json.loads(data)
                ensure(fields.keys() <= {"error", "verdict", "standing"} and fields["error"].endswith("."), told)
            ensure(str(album.folder).encode() not in data and b"store.sqlite" not in data, told)


@group.journey("no page of another site gets a socket, however it asks for one")
def upgrades(album):
    member = Member(album.guests)
    for upgrade in (["Upgrade: websocket"], ["Upgrade: websocket, x"], ["Upgrade: x, WebSocket"],
                    ["Upgrade: x", "Upgrade: websocket"]):
        for origin, expected in ((f"http://{member.address}", 101), ("http://evil.example", 403),
                                 ("null", 403)):
            with Wire(album.port) as raw:
                status, _ = raw.ask([
                    f"GET /sync?space={member.space.hex()} HTTP/1.1", f"Host: {member.address}",
                    *upgrade, "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", f"Origin: {origin}",
                    f"Cookie: {member.cookie}"])
                ensure(status == expected, f"{upgrade} from {origin} gets {status}")


# A browser gets a small page (docs/protocol.md 3.7).
@group.journey("unknown paths and names with ../ lead nowhere")
def paths(album):
    member = Member(album.guests)
    refused(lambda: member.get("/nothing/here"), 404)
    status, headers, page = member.request("GET", "/nothing/here", headers={
        "Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    ensure(status == 404 and headers["Content-Type"].startswith("text/html")
           and b'<a href="/">' in page and b"{" not in page, f"A browser gets {status} {page}")
    secret = (album.folder / "identity").read_bytes()
    for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/identity",
                 "/reunion/../../data/identity", "/reunion/..%5c..%5cidentity", "//etc/passwd",
                 "/blobs/../identity", "/blobs/..%2fidentity", "/blobs/" + "../" * 9 + "etc/passwd",
                 "/renditions/../identity/320", "/uploads/../identity", "/%00", "/a%00b", "/%zz",
                 "/index.html%00.js", "/reunion/", "/" + "a/" * 3000):
        for method in ("GET", "PATCH"):
            with Wire(album.port) as raw:
                status, data = raw.ask([
                    f"{method} {path} HTTP/1.1", f"Host: {member.address}",
                    f"Cookie: {member.cookie}", "Upload-Offset: 0", "Content-Length: 0"])
                ensure(status in (400, 404, 405, 414), f"{method} {path[:60]} gets {status}")
                ensure(b"root:" not in data and secret not in data, f"{path[:60]} leads outside")


@group.journey("a guest's device that asks without end is told to wait, and nobody else is")
def asks_without_end(album):
    flooding, other = Member(album.guests), Member(album.guests)
    statuses = []
    with Wire(album.port) as raw:
        line = (f"GET /session HTTP/1.1\r\nHost: {flooding.address}\r\n"
                f"Cookie: {flooding.cookie}\r\n\r\n").encode()
        # A hundred at once: twelve thousand, each sent after the answer to the one before, take a busy machine more
        # than the minute in which they count. A new minute may begin meanwhile.
        while len(statuses) < 25_000 and 429 not in statuses:
            raw.socket.sendall(line * 100)
            statuses += raw.answers(100)
    ensure(429 in statuses, f"It gets {set(statuses)}")
    taken = statuses.index(429)
    ensure(set(statuses[:taken]) == {200} and set(statuses[taken:]) == {429}, f"It gets {set(statuses)}")
    ensure(taken >= 10_000, f"After {taken} requests it is told to wait")
    ensure(other.get("/session"), "Somebody else is told to wait, too")


def opened(album, member):
    """A WebSocket of a device whose last eight may not all be counted out yet."""
    wires = []

    def opens():
        wires.append(Wire(album.port))
        if wires[-1].upgrade(member) == 101:
            return True
        wires[-1].socket.close()
        return False

    until(opens, "The WebSocket is not opened")
    return wires[-1]


# Among them are a message of another version, and speakers without a hello, of another space or under another's
# site (docs/protocol.md 1.2, 2.2).
@group.journey("malformed and oversized WebSocket frames end the connection and nothing else")
def frames(album):
    member = Member(album.guests)
    hello = codec.hello(member.space, member.device + bytes(8), 0)
    kinds = {
        "an unmasked frame": lambda raw: raw.send(hello, is_masked=False),
        "reserved bits": lambda raw: raw.send(hello, reserved=4),
        "an unknown opcode": lambda raw: raw.send(hello, opcode=11),
        "a text that is no UTF-8": lambda raw: raw.send(b"\xff\xfe\xfd", opcode=1),
        "a ping of 200 bytes": lambda raw: raw.send(bytes(200), opcode=9),
        "a ping in two frames": lambda raw: raw.send(b"x", opcode=9, is_final=False),
        "a continuation of nothing": lambda raw: raw.send(b"x", opcode=0),
        "a length of 2^63": lambda raw: raw.send(b"", declared=2 ** 63),
        "a declared terabyte": lambda raw: raw.send(b"x" * 100, declared=10 ** 12),
        "a message of 2 MiB": lambda raw: raw.send(bytes(2 * 1024 * 1024)),
        "2 MiB in small frames": lambda raw: [
            raw.send(bytes(16_000), opcode=2 if each == 0 else 0, is_final=False)
            for each in range(140)],
        "a close with one byte": lambda raw: raw.send(b"x", opcode=8),
        "a text message": lambda raw: raw.send(b"hello", opcode=1),
        "a message of another version": lambda raw: raw.send(b"\x07" + hello[1:]),
        "another space": lambda raw: raw.send(codec.hello(bytes(16), member.device + bytes(8), 0)),
        "another's site": lambda raw: raw.send(codec.hello(member.space, b"\x01" * 16, 0)),
        "changes before the hello": lambda raw: raw.send(codec.push_end(1, {})),
    }
    for what, send in kinds.items():
        with opened(album, member) as raw:
            with contextlib.suppress(ConnectionError):
                send(raw)
            ensure(raw.is_ended(), f"{what} does not end the connection")
        ensure(album.is_running, f"{what} ends the server")
    Session(member).connect().close()


@group.journey(f"{GARBAGE:,} garbage messages over real sockets stop nothing and store nothing")
def garbage(album):
    member, count, lanes = Member(album.guests), GARBAGE, 4
    before, memory = album.counts(), album.memory_bytes()
    seeds = samples(member)
    sent, busy, problems = [0] * lanes, [0] * lanes, []

    def lane(number):
        noise = random.Random(2026 + number)
        try:
            while sent[number] < count // lanes:
                with Wire(album.port) as raw:
                    status = raw.upgrade(member)
                    # Those before are still on their way out.
                    if status == 429 and busy[number] < 20_000:
                        busy[number] += 1
                        pause(0.01, "the server comes to those who left")
                        continue
                    ensure(status == 101, "The server opens no WebSocket any more")
                    busy[number] = 0
                    raw.send(codec.hello(member.space, member.device + noise.randbytes(8), 0))
                    batch = noise.choice((1, 1, 2, 8))
                    with contextlib.suppress(ConnectionError):
                        for _ in range(batch):
                            raw.send(mutated(noise.choice(seeds), noise))
                    sent[number] += batch
        except Exception as error:
            problems.append(error)
    threads = [threading.Thread(target=lane, args=(number,)) for number in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ensure(not problems, f"After {sum(sent)} messages: {problems[:1]}")
    ensure(album.is_running, f"The server ended: {album.sentence()}")
    until(lambda: album.counts()["replicas"] == 0, "Sessions of garbage stay open")
    after = album.counts()
    ensure(after["records"] == before["records"], f"{before} became {after}")
    grown = album.memory_bytes() - memory
    ensure(grown < 64_000_000, f"The server grew by {grown >> 20} MiB")
    Session(member).connect().close()
    print(f"    {sum(sent)} messages; memory {grown / 1e6:+.1f} MB", flush=True)


def samples(member):
    """Messages of every type: the vectors', and a session's own."""
    text = (ROOT / "Tests/Vectors/core.txt").read_text()
    found = [bytes.fromhex(wire) for wire in re.findall(r"^decode-\S+ 1 (\S+)", text, re.M)]
    cell = codec.Cell(3, codec.REGISTER, 4, member.device + bytes(8), 1, 1 << 50, 0, b"garbage")
    return found + [codec.changes([codec.Change(3, bytes(16), cell)]), codec.pull(b"", {}),
                    codec.push_end(1, {member.device + bytes(8): 1})]


def mutated(data, noise):
    """The message with one to four things wrong with it."""
    data = bytearray(data)
    for _ in range(noise.randrange(1, 5)):
        at = noise.randrange(len(data) + 1)
        match noise.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << noise.randrange(8)
            case 1:
                del data[at:]
            case 2:
                data[at:at] = noise.randbytes(noise.randrange(1, 20))
            case 3:
                data[at:at + 10] = b"\xff" * 9 + b"\x01"
            case 4:
                data[at:at + 1] = bytes([noise.choice((0, 127, 128, 255))])
            case _:
                data += data[at:at + 200]
    return bytes(data)
