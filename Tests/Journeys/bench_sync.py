"""Sync beside its peers: bench_sync.py [rows…] → .build/bench/sync.json

presence-1k: a device shows something ten times a second to a thousand others. Ours through `reunion serve`, the peer's
through mosquitto at QoS 0, with messages of as many bytes. What is measured is the processor time of the server alone.

start: the time from the start of the process until `/health` answers, of a server that holds 20,000 fields.

change-bytes: what one changed field costs on its way from the server to another device: the message, and beside it
the end of its push and the acknowledgement. The peer is loro, which has no end and no acknowledgement.

fresh-100k: the processor time of a program (`StoreBenchmarks --newcomer`) that joins, from an empty folder to 100,000
fields on its disk, without that of one that joins a space of one record, and the bytes that come. The fields were set
one by one over all records, a hundred in a commit. The peer is loro, which takes its smallest export into memory and
keeps nothing.

fresh-server: the processor time of the server for ninety-nine newcomers' blocks, beside nginx that sends the same file.

change-cpu: the processor time of one changed field from the commit of one store to the other's, after 400,000
overwrites, of both sides and their session; the peer is pycrdt, in memory.

catch-up: the bytes that come to a device that was away while all 100,000 fields were set five times over. The peers are
pycrdt and loro, each with its own version of what the other holds; the row has the smaller one.

deletes-1m: the pages in use of a store in which a million records were made and deleted, all of which everybody has,
sixty virtual days later, beside one in which none were.

audit-equal: the processor time of both sides of an audit of a million cells that are equal, once their sums are made,
beside a digest of all records of one; audit-one: the bytes of one that finds a record more, beside the goal.

caption-behind-blob: the p95 of a caption from one replica to another over a link of a megabyte a second that carries a
photo the same way, from the server and to it, beside the same without a photo. It needs an administrator.

presence-p95: ten screens show twenty things a second each. What is measured is the time until each of the others has
one; the peer is presence_peer.mjs, which also sends every 33 ms.
"""

import http.client
import json
import os
import re
import resource
import selectors
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import codec
import slow_link
from album import ROOT, free_port
from bench import row
from journey import pause, until
from member import Member
from serve import Served
from session import Session

RESULT = ROOT / ".build" / "bench" / "sync.json"
NEWCOMER = ROOT / "Benchmarks" / ".build" / "release" / "StoreBenchmarks"
SIMULATE = ROOT / ".build" / "release" / "simulate"
LISTENERS, PER_DEVICE, UPDATES, PAUSE = 1000, 8, 200, 0.1
SCREENS, A_SECOND, SECONDS = 10, 20, 15


def processor_seconds(pid):
    """The time that a process has had of the processors."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Crowd:
    """Sockets that only listen: their bytes are counted, and `beat` is sent to each now and then."""

    def __init__(self, beat=b"", seconds=5):
        self.sockets, self.counts, self._beat, self._seconds = [], [], beat, seconds
        self._selector, self._is_over = selectors.EpollSelector(), False

    def add(self, sock):
        sock.setblocking(False)
        self.counts.append(0)
        self.sockets.append(sock)
        self._selector.register(sock, selectors.EVENT_READ, len(self.sockets) - 1)

    def __enter__(self):
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over = True
        self._thread.join()
        for sock in self.sockets:
            sock.close()

    def _listen(self):
        due = time.monotonic() + self._seconds
        while not self._is_over:
            for key, _ in self._selector.select(0.2):
                data = key.fileobj.recv(1 << 16)
                if not data:
                    raise ConnectionError(f"Listener {key.data} is cut off")
                self.counts[key.data] += len(data)
            if self._beat and time.monotonic() > due:
                due += self._seconds
                for sock in self.sockets:
                    sock.send(self._beat)


def dial(port, number):
    """A connection from one of many addresses of this machine, since a network has its limits."""
    sock = socket.socket()
    sock.bind((f"127.0.{100 + number // 50}.1", 0))
    sock.connect(("127.0.0.1", port))
    return sock


def frame(payload):
    """A binary frame of a WebSocket, masked with zeros."""
    size = len(payload)
    head = bytes([0x82, 0x80 | size]) if size < 126 else bytes([0x82, 0xFE]) + size.to_bytes(2, "big")
    return head + bytes(4) + payload


def upgraded(sock, path, *fields):
    """A socket that has become a WebSocket."""
    fields += ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
               "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
    sock.sendall("\r\n".join([f"GET {path} HTTP/1.1", *fields, "", ""]).encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += sock.recv(1)
    if b" 101 " not in head.split(b"\r\n")[0]:
        raise ConnectionError(head.decode())
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def session(member, number):
    """A socket over which presence is shown and heard, as docs/protocol.md 2.22 says."""
    sock = upgraded(dial(member.port, number), f"/sync?space={member.space.hex()}", f"Host: {member.address}",
                    f"Authorization: Bearer {member.token}")
    site = member.device + number.to_bytes(8, "big")
    for message in (codec.features(18, 19, 20), codec.hello(member.space, site, 0), codec.pull(b"", {}),
                    codec.presence([], is_whole=True)):
        sock.sendall(frame(message))
    return sock


def deliver(pid, crowd, say, size):
    """Microseconds of the server's processor for each delivery of what `say(number)` sends."""
    pause(3, "the connections rest")
    before, counts = processor_seconds(pid), list(crowd.counts)
    for number in range(UPDATES):
        say(number)
        pause(PAUSE, "a finger moves")

    def least():
        return min((now - then) / size for now, then in zip(crowd.counts, counts))
    until(lambda: least() >= UPDATES, lambda: f"A listener got {least():.1f} of {UPDATES}")
    spent = processor_seconds(pid) - before
    return spent / (UPDATES * LISTENERS) * 1e6


def entry(number):
    return [("finger", codec.KINDS["text"], f"{number:09d}".encode(), False)]


# What a listener gets of an update: a frame without a mask.
TOLD = 2 + len(codec.presence(entry(0)))


def ours(folder):
    served = Served(folder / "server")
    with served.started(), Crowd(beat=frame(codec.pong(0))) as crowd:
        members = [Member(served.invite("add"), is_replica=True) for _ in range(-(-LISTENERS // PER_DEVICE) + 1)]
        for number in range(LISTENERS):
            crowd.add(session(members[number // PER_DEVICE], number))
        speaker = session(members[-1], LISTENERS)
        return deliver(served.process.pid, crowd,
                       lambda number: speaker.sendall(frame(codec.presence(entry(number)))), TOLD)


def listens(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def packet(kind, body):
    """A packet of MQTT 3.1.1 that is short."""
    return bytes([kind, len(body)]) + body


def text(value):
    return len(value).to_bytes(2, "big") + value


def theirs(folder):
    port = free_port()
    (folder / "mosquitto.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
    process = subprocess.Popen(["mosquitto", "-c", folder / "mosquitto.conf"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        until(lambda: listens(port), "mosquitto does not start")

        def client(number):
            sock = dial(port, number)
            sock.sendall(packet(0x10, text(b"MQTT") + b"\x04\x02\x00\x3c" + text(b"c%d" % number)))
            sock.recv(4)
            return sock
        with Crowd(beat=b"\xc0\x00") as crowd:
            for number in range(LISTENERS):
                sock = client(number)
                sock.sendall(packet(0x82, b"\x00\x01" + text(b"f") + b"\x00"))
                crowd.add(sock)
            speaker = client(LISTENERS)
            # As many bytes as a listener of ours gets.
            payload = TOLD - len(packet(0x30, text(b"f")))
            return deliver(process.pid, crowd,
                           lambda number: speaker.sendall(packet(0x30, text(b"f") + b"%0*d" % (payload, number))), TOLD)
    finally:
        process.terminate()
        process.wait()


def presence():
    if not shutil.which("mosquitto") and not os.access("/usr/sbin/mosquitto", os.X_OK):
        sys.exit("mosquitto is missing. Run: Scripts/packages.sh bench")
    os.environ["PATH"] += ":/usr/sbin"
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix="presence-") as folder:
        own, peer = [], []
        for _ in range(3):
            own.append(ours(Path(tempfile.mkdtemp(dir=folder))))
            peer.append(theirs(Path(tempfile.mkdtemp(dir=folder))))
    print(f"  ours {[round(each, 2) for each in own]}, mosquitto {[round(each, 2) for each in peer]}", flush=True)
    return [row("presence-1k", sorted(own)[1], sorted(peer)[1], "mosquitto at QoS 0, the same bytes",
                "µs of CPU a delivery")]


def shown(screens, packed):
    """The milliseconds after which what each screen shows is with each of the others."""
    selector, tails, shown_at, heard = selectors.DefaultSelector(), [b""] * SCREENS, {}, []
    for number, sock in enumerate(screens):
        selector.register(sock, selectors.EVENT_READ, number)

    def hear(until_when):
        while (left := until_when - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                now, number = time.monotonic(), key.data
                data = tails[number] + key.fileobj.recv(1 << 16)
                # Each value is a word of nine digits; the last one may not have come whole.
                found = list(re.finditer(rb"\d{9}", data))
                heard.extend((now - shown_at[word[0]]) * 1000 for word in found if word[0] in shown_at)
                tails[number] = data[found[-1].end():][-8:] if found else data[-8:]
    hear(time.monotonic() + 2)
    for turn in range(SECONDS * A_SECOND):
        # No two screens at once.
        for number, sock in enumerate(screens):
            word = b"%02d%07d" % (number, turn)
            shown_at[word] = time.monotonic()
            sock.sendall(frame(packed(word)))
            hear(shown_at[word] + 1 / A_SECOND / SCREENS)
    hear(time.monotonic() + 1)
    wanted = SECONDS * A_SECOND * SCREENS * (SCREENS - 1)
    if len(heard) < 0.98 * wanted:
        raise AssertionError(f"Of {wanted} values {len(heard)} were heard")
    return heard


def p95(times):
    return statistics.quantiles(times, n=100, method="inclusive")[94]


def our_screens(folder):
    served = Served(folder / "server")
    with served.started():
        link = served.invite("add")
        screens = [session(Member(link, is_replica=True), number) for number in range(SCREENS)]
        return p95(shown(screens, lambda word: codec.presence([("finger", codec.KINDS["text"], word, False)])))


def their_screens():
    port = free_port()
    process = subprocess.Popen(["node", Path(__file__).with_name("presence_peer.mjs"), str(port)])
    try:
        until(lambda: listens(port), "the program in node does not start")
        screens = [upgraded(dial(port, number), "/", "Host: peer") for number in range(SCREENS)]
        return p95(shown(screens, lambda word: b";" + word))
    finally:
        process.terminate()
        process.wait()


def screens():
    with tempfile.TemporaryDirectory(prefix="presence-") as folder:
        times = [(our_screens(Path(tempfile.mkdtemp(dir=folder))), their_screens()) for _ in range(3)]
    own, peer = zip(*times)
    print(f"  ours {[round(each, 1) for each in own]}, node {[round(each, 1) for each in peer]}", flush=True)
    return [row("presence-p95", statistics.median(own), statistics.median(peer),
                "a program in node that sends every 33 ms", "ms")]


THINGS, FIELDS, FRESH = 2000, 10, 10_000


def value(thing, field, turn=0):
    """Values of the workload that the CRDT libraries are measured with: texts of 16 letters, and whole numbers."""
    number = (thing * 2654435761 + field * 40503 + turn * 97) & 0xFFFFFFFF
    return f"v{number:08x}{(number ^ 0x5bd1e995) & 0xFFFFFFF:07x}" if field % 2 == 0 else number


def newcomer(served, role="view"):
    """A device that has just joined, and notes what comes."""
    session = Session(Member(served.invite(role)))
    session.sizes, session.takes_parts = [], True
    return session


def taken(link, folder, count):
    """Has a program take a space of `count` records, and gives the seconds of processor that it used."""
    done = subprocess.run([NEWCOMER, "--newcomer", link, tempfile.mkdtemp(dir=folder) + "/store"],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds, found = done.stdout.split()
    if int(found) != count:
        raise RuntimeError(f"There are {found} records.")
    return float(seconds)


LORO = """
import sys, time
from loro import LoroDoc
data = open(sys.argv[1], "rb").read()
start = time.process_time()
doc = LoroDoc()
doc.import_(data)
assert doc.get_map("root").get("5").container.get("f0").value
print(time.process_time() - start)
"""


def loro_fresh(folder):
    """The seconds and the bytes of loro's smallest export."""
    from loro import ExportMode, LoroDoc, LoroMap
    doc = LoroDoc()
    things = [doc.get_map("root").insert_container(str(thing), LoroMap()) for thing in range(FRESH)]
    for at in range(0, FRESH * FIELDS):
        things[at % FRESH].insert(f"f{at // FRESH}", value(at % FRESH, at // FRESH))
        if at % 100 == 99:
            doc.commit()
    data = min(doc.export(ExportMode.Snapshot()), doc.export(ExportMode.Updates(LoroDoc().oplog_vv)), key=len)
    path = folder / "loro"
    path.write_bytes(data)
    return statistics.median(
        float(subprocess.run([sys.executable, "-c", LORO, path], capture_output=True, text=True, check=True).stdout)
        for _ in range(9)), len(data)


def fresh():
    with tempfile.TemporaryDirectory(prefix="fresh-", dir="/dev/shm") as folder:
        served = Served(Path(folder) / "server")
        with served.started():
            writer = Session(Member(served.invite("edit")))
            writer.model = {"thing": {"number": 1, "fields": []}}
            writer.connect()
            things = [writer.create("thing", {})]
            writer.settle()
            nothing = [taken(served.invite("view"), folder, 1) for _ in range(9)]
            things += [writer.create("thing", {}) for _ in range(FRESH - 1)]
            writer.model = model()
            pass_over(writer, things, 0)
            ours = newcomer(served).connect()
            if len(ours.records) < FRESH:
                raise RuntimeError(f"There are {len(ours.records)} records.")
            times = [taken(served.invite("view"), folder, FRESH) for _ in range(9)]
            print(f"  newcomers {[round(each, 3) for each in times]}, of one record"
                  f" {[round(each, 3) for each in nothing]}")
            member = Member(served.invite("view"))
            path = f"/block?space={member.space.hex()}"
            block = member.get(path)
            before = processor_seconds(served.process.pid)
            for _ in range(99):
                if member.get(path) != block:
                    raise RuntimeError("The blocks differ.")
            server = processor_seconds(served.process.pid) - before
        theirs, their_bytes = loro_fresh(Path(folder))
        nginx = by_nginx(Path(folder), block)
    took = statistics.median(times) - statistics.median(nothing)
    size = sum(size for _, size in ours.sizes)
    return [row("fresh-100k", took * 1000, theirs * 1000, "loro, which keeps nothing", "ms"),
            row("fresh-100k-bytes", size, their_bytes, "loro", "bytes"),
            row("fresh-server", server * 1000, nginx * 1000, "nginx", "ms for 99 newcomers")]


def by_nginx(folder, block):
    """The processor time of nginx that sends a file ninety-nine times."""
    (folder / "www").mkdir()
    (folder / "www" / "block").write_bytes(block)
    port = free_port()
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; server {{ listen 127.0.0.1:{port}; root {folder}/www; }} }}\n")
    process = subprocess.Popen(["/usr/sbin/nginx", "-p", folder, "-c", folder / "nginx.conf"],
                               stderr=subprocess.DEVNULL)
    try:
        until(lambda: listens(port), "nginx does not start")
        connection = http.client.HTTPConnection("127.0.0.1", port)
        before = processor_seconds(process.pid)
        for _ in range(99):
            connection.request("GET", "/block")
            if connection.getresponse().read() != block:
                raise RuntimeError("nginx sends something else.")
        return processor_seconds(process.pid) - before
    finally:
        process.terminate()
        process.wait()


def model():
    return {"thing": {"number": 1, "fields": [
        {"number": number + 1, "name": f"f{number}", "kind": codec.KINDS["text" if number % 2 == 0 else "int"]}
        for number in range(FIELDS)]}}


def filled(served):
    """Somebody at a server who has written the workload."""
    writer = Session(Member(served.invite("edit")))
    writer.model = model()
    writer.connect()
    writer.things = [writer.create("thing", {f"f{field}": value(thing, field) for field in range(FIELDS)})
                     for thing in range(THINGS)]
    return writer.settle()


def start():
    with tempfile.TemporaryDirectory(prefix="start-") as folder:
        served = Served(Path(folder) / "server")
        with served.started():
            filled(served).close()
            served.stop()
        times = []
        for _ in range(9):
            began = time.monotonic()
            process = subprocess.Popen([*served.program, served.folder, "--port", str(served.port)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                until(lambda: listens(served.port), "The server does not start")
                with urllib.request.urlopen(f"http://127.0.0.1:{served.port}/health") as answer:
                    answer.read()
                times.append((time.monotonic() - began) * 1000)
            finally:
                process.terminate()
                process.wait()
    print(f"  {[round(each) for each in times]}", flush=True)
    return [row("start", statistics.median(times), 1000, "the goal", "ms")]


def loro_change():
    """The bytes of one changed field, of as many as ours."""
    from loro import ExportMode, LoroDoc, LoroMap
    doc = LoroDoc()
    things = [doc.get_map("root").insert_container(str(thing), LoroMap()) for thing in range(THINGS)]
    for field in range(FIELDS):
        for thing in range(THINGS):
            things[thing].insert(f"f{field}", value(thing, field))
    doc.commit()
    sizes = []
    for turn in range(31):
        before = doc.oplog_vv
        things[turn * 7].insert(f"f{turn % FIELDS}", value(turn * 7, turn % FIELDS, turn + 1))
        doc.commit()
        sizes.append(len(doc.export(ExportMode.Updates(before))))
    return statistics.median(sizes)


def change():
    with tempfile.TemporaryDirectory(prefix="change-") as folder:
        served = Served(Path(folder) / "server")
        with served.started():
            writer = filled(served)
            other = Session(Member(served.invite("view")))
            other.sizes = []
            other.connect()
            pushes, ends, answers = [], [], []
            writer_sizes = writer._socket._sizes = []
            for turn in range(31):
                del other.sizes[:], writer_sizes[:]
                thing, field = writer.things[turn * 7], f"f{turn % FIELDS}"
                writer.set("thing", thing, {field: value(turn * 7, turn % FIELDS, turn + 1)})
                writer.settle()
                other.run(lambda: any(name == "push_end" for name, _ in other.sizes))
                pushes.append(sum(size for name, size in other.sizes if name == "changes"))
                ends.append(sum(size for name, size in other.sizes if name == "push_end"))
                answers.append(sum(size for name, size in writer_sizes if name == "acknowledge"))
    print(f"  the end of its push {statistics.median(ends)}, an acknowledgement {statistics.median(answers)}",
          flush=True)
    return [row("change-bytes", statistics.median(pushes), loro_change(), "loro", "bytes")]


def pass_over(writer, things, turn):
    """Sets all fields once over, a hundred in a commit."""
    for at in range(0, FRESH * FIELDS, 100):
        writer.write(*[("thing", things[each % FRESH], {
            f"f{each // FRESH}": value(each % FRESH, each // FRESH, turn)}, False) for each in range(at, at + 100)])
    writer.settle()


def catch_up():
    with tempfile.TemporaryDirectory(prefix="catch-up-") as folder:
        served = Served(Path(folder) / "server")
        with served.started("--guest-daily-mb", "20000"):
            writer = Session(Member(served.invite("edit")))
            writer.model = {"thing": {"number": 1, "fields": []}}
            writer.connect()
            things = [writer.create("thing", {}) for _ in range(FRESH)]
            writer.model = model()
            pass_over(writer, things, 0)
            other = newcomer(served).connect()
            other.model = writer.model
            other.close()
            for turn in range(1, 6):
                pass_over(writer, things, turn)
            del other.sizes[:]
            other.connect()
            last = [other.fields("thing", thing)["f1"] for thing in (things[0], things[-1])]
            if last != [value(0, 1, 5), value(FRESH - 1, 1, 5)]:
                raise RuntimeError(f"There is {last}.")
            ours = sum(size for _, size in other.sizes)
    theirs = {"pycrdt": pycrdt_catch_up(), "loro": loro_catch_up()}
    print(f"  {theirs}", flush=True)
    name = min(theirs, key=theirs.get)
    return [row("catch-up", ours, theirs[name], name, "bytes")]


def pycrdt_overwritten():
    """A document of which every field was set once, what it held then, and a function that sets all once more."""
    from pycrdt import Doc, Map
    doc = Doc()
    root = doc.get("root", type=Map)
    with doc.transaction():
        for thing in range(FRESH):
            root[str(thing)] = Map()
    things = [root[str(thing)] for thing in range(FRESH)]

    def pass_over(turn):
        for at in range(0, FRESH * FIELDS, 100):
            with doc.transaction():
                for each in range(at, at + 100):
                    things[each % FRESH][f"f{each // FRESH}"] = value(each % FRESH, each // FRESH, turn)
    pass_over(0)
    return doc, things, pass_over


def pycrdt_catch_up():
    doc, _, pass_over = pycrdt_overwritten()
    held = doc.get_state()
    for turn in range(1, 6):
        pass_over(turn)
    return len(doc.get_update(held))


def pycrdt_change():
    """Microseconds of the processor from a changed field to the other document, which says what it holds."""
    from pycrdt import Doc
    doc, things, pass_over = pycrdt_overwritten()
    for turn in range(1, 5):
        pass_over(turn)
    other = Doc()
    other.apply_update(doc.get_update())
    times = []
    for number in range(31):
        things[number * 7 % FRESH]["f1"] = 1_000_000 + number
        began = time.process_time()
        other.apply_update(doc.get_update(other.get_state()))
        times.append((time.process_time() - began) * 1e6)
    return statistics.median(times)


def change_cpu():
    found = {}
    for durability in ("normal", "full"):
        with tempfile.TemporaryDirectory(prefix="changes-") as folder:
            told = subprocess.run(
                [SIMULATE, "--changes", "1000", "--folder", folder, "--durability", durability],
                check=True, capture_output=True, text=True)
        found[durability] = statistics.median(float(line) for line in told.stdout.splitlines()[-900:])
    print(f"  {found['full']:.0f} µs where each commit is synced", flush=True)
    return [row("change-cpu", found["normal"], pycrdt_change(), "pycrdt", "µs")]


def loro_catch_up():
    from loro import ExportMode, LoroDoc, LoroMap
    doc = LoroDoc()
    things = [doc.get_map("root").insert_container(str(thing), LoroMap()) for thing in range(FRESH)]

    def pass_over(turn):
        for at in range(0, FRESH * FIELDS, 100):
            for each in range(at, at + 100):
                things[each % FRESH].insert(f"f{each // FRESH}", value(each % FRESH, each // FRESH, turn))
            doc.commit()
    pass_over(0)
    held = doc.oplog_vv
    for turn in range(1, 6):
        pass_over(turn)
    return len(doc.export(ExportMode.Updates(held)))


def pages_after(count, folder):
    """The pages in use of a store after `count` deletes, and those of its file."""
    subprocess.run([SIMULATE, "--deletes", str(count), "--folder", folder], check=True)
    with sqlite3.connect(Path(folder) / "store.sqlite") as database:
        pages, free = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count"))
    return pages - free, pages


def deletes():
    with tempfile.TemporaryDirectory(prefix="deletes-") as folder:
        empty, _ = pages_after(0, f"{folder}/empty")
        used, whole = pages_after(1_000_000, f"{folder}/full")
    print(f"  {whole} pages in the file, which the next records take", flush=True)
    return [row("deletes-1m", used, empty, "a space in which nothing was deleted", "pages")]


def audits():
    with tempfile.TemporaryDirectory(prefix="audits-") as folder:
        told = subprocess.run([SIMULATE, "--audit", "100000", "--folder", folder], check=True, capture_output=True,
                              text=True)
    runs = [json.loads(line) for line in told.stdout.splitlines() if line.startswith("{")]
    equal = [each for each in runs if each["name"] == "equal"]
    first, one, digest = (next(each for each in runs if each["name"] == name) for name in ("first", "one", "digest"))
    assert one["differing"] == 1 and all(each["differing"] == 0 for each in [first, *equal]), runs
    print(f"  the first: {first['milliseconds']:.0f} ms; equal: {equal[1]['bytes']} bytes in {equal[1]['messages']} "
          f"messages; one: {one['milliseconds']:.1f} ms, its record, its push and a heartbeat included", flush=True)
    return [row("audit-equal", statistics.median(each["milliseconds"] for each in equal), digest["milliseconds"],
                "a digest of all records", "ms"),
            row("audit-one", one["bytes"], 4096, "the goal", "bytes")]


def captions():
    return [row(f"caption-behind-blob, {'to' if is_upload else 'from'} the server", behind, alone,
                "the same without a photo", "ms")
            for is_upload, behind, alone in slow_link.measured()]


ROWS = {"audit-equal": audits, "caption-behind-blob": captions, "presence-1k": presence, "presence-p95": screens,
        "start": start, "change-bytes": change, "change-cpu": change_cpu, "catch-up": catch_up, "fresh-100k": fresh,
        "deletes-1m": deletes}


def main(wanted):
    if unknown := wanted - ROWS.keys():
        sys.exit(f"There is no row {', '.join(sorted(unknown))}. Name some of {', '.join(ROWS)}.")
    rows = [each for name, run in ROWS.items() if not wanted or name in wanted for each in run()]
    kept = json.loads(RESULT.read_text()) if RESULT.exists() else []
    names = {each["name"] for each in rows}
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps([each for each in kept if each["name"] not in names] + rows, indent=1) + "\n")
    print(f"Rows are in {RESULT.relative_to(ROOT)}.")


if __name__ == "__main__":
    main(set(sys.argv[1:]))
