"""A guest beside somebody who does the worst that is allowed (attack.py), and the same guest without.

bench_attack.py [attacks…] does all of them, or some: each is a row of its own. What the guest does is timed in parts;
quiet and attacked phases take turns, so that what else the machine does is in both. A row is that part whose p95
suffers most: the medians of the phases' p95 in milliseconds, and of their ratios. All parts are in
.build/bench/attack.json. The attackers have what nobody else wants of the processor (SCHED_IDLE), so that what is
measured is what the server gives them, and not the processor that they take by themselves.
"""

import contextlib
import json
import selectors
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from itertools import islice
from pathlib import Path

import asker
import attack
import codec
import photos
import sudoku
import sudoku_photo
import word_race
from album import ROOT, Album
from journey import PATIENCE, ensure, pause
from member import Member, Upload
from program import Program
from session import Session, new_id
from wire import Wire

RESULT = ROOT / ".build" / "bench" / "attack.json"
GUESTS, ATTACKERS, PHASES = 200, 2, 3
# How often each part is done in a phase.
OFTEN, SELDOM = 20, 8
RATIO_MAX = 2
PUSH_END, PING, BYE = 4, 7, 13
CLOSE_FRAME = 0x88


class Guest:
    """A page that looks on: it says what it holds, acknowledges, and notes what it sees when."""

    def __init__(self, member):
        self.wire = Wire(member.port)
        status = self.wire.upgrade(member)
        assert status == 101, status
        self.buffer = self.wire.early
        self.wire.send(codec.hello(member.space, member.device + bytes(8), 0))
        self.wire.send(codec.pull(b"", {}))

    def receive(self, wanted):
        """Takes what has come; whether the wanted text is in it."""
        data = self.wire.socket.recv(1 << 20)
        if not data:
            raise ConnectionError("A guest was put out.")
        buffer, at, seen = self.buffer + data, 0, False
        while len(buffer) >= at + 2:
            length, head = buffer[at + 1] & 127, 2
            if length > 125:
                head = 4 if length == 126 else 10
                length = int.from_bytes(buffer[at + 2:at + head], "big")
            if len(buffer) < at + head + length:
                break
            message = buffer[at + head:at + head + length]
            if buffer[at] == CLOSE_FRAME or message[1:2] == bytes([BYE]):
                raise ConnectionError(f"A guest was put out: {message!r}")
            at += head + length
            seen = seen or wanted in message
            if message[1:2] == bytes([PUSH_END]) or message[1:2] == bytes([PING]):
                name, parts = codec.decode(message)
                self.wire.send(codec.pong(parts) if name == "ping" else codec.acknowledge(parts[0]))
        self.buffer = buffer[at:]
        return seen


class Party:
    """Guests on one thread, which tells when all have seen a text."""

    def __init__(self, link):
        # All join first: who is connected and says nothing for twenty seconds is put out.
        members = [Member(link) for _ in range(GUESTS)]
        self.guests = [Guest(member) for member in members]
        self._selector = selectors.DefaultSelector()
        for guest in self.guests:
            self._selector.register(guest.wire.socket, selectors.EVENT_READ, guest)
        self._wanted, self._left, self._last = b"\0none", 0, 0.0
        self._all, self.error = threading.Event(), None
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        try:
            while True:
                for key, _ in self._selector.select():
                    if key.data.receive(self._wanted):
                        self._left -= 1
                        self._last = time.monotonic()
                        if self._left == 0:
                            self._all.set()
        except Exception as error:  # noqa: BLE001 - told where it is waited for
            self.error = error
            self._all.set()

    def expect(self, text):
        self._all.clear()
        self._wanted, self._left = text, GUESTS

    def last(self):
        """When the last guest saw it."""
        if not self._all.wait(PATIENCE) or self.error:
            raise AssertionError(f"Not all guests saw it: {self._left} are left. {self.error or ''}")
        return self._last


def milliseconds(act):
    began = time.monotonic()
    act()
    return (time.monotonic() - began) * 1000


class Scene:
    """What a guest does, in parts: how often each is done in a phase."""

    def begin(self):
        """Before a quiet phase, and the attacked one after it."""


class AlbumScene(Scene):
    """A guest of an album that 200 look at: a caption until all have it, a page, a photo until the server has it."""

    parts = {"caption": OFTEN, "page": OFTEN, "photo": SELDOM, "join": OFTEN}

    def __init__(self):
        self.program = Album().start()
        self.link = self.program.guests
        self.host = Session(Member(self.program.owner)).connect()
        self._photo = self.host.create("photo", {"caption": "first"}, new_id())
        self.host.settle()
        self.party = Party(self.link)
        self.guest, self._count = Member(self.link), 0
        self._asker = subprocess.Popen(
            [sys.executable, asker.__file__, self.link],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._picture = photos.kept(
            "attacked-2mp.jpg", lambda: photos.jpeg(photos.scene(1600, 1200, 12, 24))).read_bytes()
        pause(2, "what begins with an album comes to rest")

    def caption(self):
        self._count += 1
        text = f"caption {self._count} of many"
        self.party.expect(text.encode())
        self.host.set("photo", self._photo, {"caption": text})
        began = time.monotonic()
        self.host.settle()
        return (self.party.last() - began) * 1000

    def page(self):
        return self._ask("page")

    def _ask(self, act):
        self._asker.stdin.write(f"{act}\n")
        self._asker.stdin.flush()
        return float(self._asker.stdout.readline())

    def photo(self):
        data = photos.commented(self._picture, new_id())
        return milliseconds(Upload(self.guest, data).finish)

    def join(self):
        return self._ask("join")

    def end(self):
        self.memory = self.program.memory_bytes() >> 20
        self._asker.kill()
        self._asker.wait()
        self.program.stop()


class WordsScene(Scene):
    """Somebody who is there and opens a table with the bot, until its round is there."""

    parts = {"round": SELDOM}
    program = None

    def begin(self):
        # A house without tables: who comes takes in all there are, and this program reads thousands more slowly than a
        # server waits for anybody.
        self.end()
        self.program = Program(word_race.PROGRAM, "words", host="127.0.0.1").start()
        self.link = self.program.line("Guests")

    def round(self):
        # Somebody else each time, since nobody has many tables.
        session = Session(Member(self.link)).connect()
        try:
            # What others did is taken in first: a page does so while nobody waits for it.
            session.settle()
            looked, number = len(session.records), session.model["round"]["number"]
            game = attack.begin_round(session)

            def is_there():
                # New ones come last. To look at all would take longer than the server does.
                nonlocal looked
                new = islice(reversed(session.records), len(session.records) - looked)
                looked = len(session.records)
                return any(session.fields("round", record)["game"] == game
                           for entity, record in new if entity == number)
            return milliseconds(lambda: (session.push(), session.run(is_there)))
        finally:
            session.close()

    def end(self):
        if self.program:
            self.program.end()


class SudokuScene(Scene):
    """Somebody who photographs a Sudoku, until it is read."""

    parts = {"grab": SELDOM}

    def __init__(self):
        self.program = Program(sudoku.PROGRAM, "sudoku", host="127.0.0.1").start()
        self.link = self.program.line("Guests")
        self.guest = Member(self.link)
        file = self.program.folder.parent / "sudoku.jpg"
        sudoku_photo.photograph(sudoku.EASY, file)
        self._picture = file.read_bytes()

    def grab(self):
        def read():
            status, _, data = self.guest.request(
                "POST", "/grab", self._picture, {"Origin": f"http://{self.guest.address}"})
            while status == 503:
                status, _, data = self.guest.request(
                    "POST", "/grab", self._picture, {"Origin": f"http://{self.guest.address}"})
            assert status == 200, data
        return milliseconds(read)

    def end(self):
        self.program.end()


# The acts of each attack, and beside what; none are all that an album knows.
ATTACKS = {
    "requests without end": (AlbumScene, ["flood"]),
    "bodies that drip": (AlbumScene, ["drip"]),
    "connections that say nothing": (AlbumScene, ["stand"]),
    "M4 answers that nobody takes": (AlbumScene, ["stall"]),
    "pushes that are refused": (AlbumScene, ["push_refused"]),
    "pushes that are admitted": (AlbumScene, ["push_admitted"]),
    "text by sync": (AlbumScene, ["push_text"]),
    "M1 pushes that never end": (AlbumScene, ["stage"]),
    "M2 joining again": (AlbumScene, ["join_again"]),
    "M3 washing the log": (AlbumScene, ["wash"]),
    "L4 junk as pictures of invitations": (AlbumScene, ["junk_pictures"]),
    "uploads": (AlbumScene, ["upload"]),
    "M7 pictures of 100 megapixels": (AlbumScene, ["large_pictures"]),
    "M7 slow pictures of 12 megapixels": (AlbumScene, ["slow_pictures"]),
    "M6 tables without end": (WordsScene, ["play"]),
    "M8 photographs that drip": (SudokuScene, ["drip_pictures"]),
    "all that an album knows, at once": (AlbumScene, []),
}


# What the guests read beside it must not make what is timed wait for the interpreter.
sys.setswitchinterval(0.0001)
# Each time a network other than the guests', from which nobody has joined yet.
_addresses = (f"127.0.{high}.{low}" for high in range(1, 200) for low in range(1, 200))


@contextlib.contextmanager
def attackers(link, acts, done):
    """Attackers in full swing; adds what they did to a counter."""
    program, address = Path(__file__).with_name("attack.py"), next(_addresses)
    started = []
    try:
        for _ in range(ATTACKERS):
            started.append(subprocess.Popen(
                [sys.executable, program, link, "600", address, *acts], text=True, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, start_new_session=True))
        for each in started:
            assert each.stdout.readline() == "begun\n"
        pause(4, "the attack comes into full swing")
        yield
        for each in started:
            each.stdin.close()
        for each in started:
            done.update(json.loads(each.stdout.readline()))
    finally:
        for each in started:
            each.kill()
            each.wait()


def phase(scene):
    """The p95 of each part, in milliseconds, and how often it was done."""
    found = {}
    for part, count in scene.parts.items():
        times = []
        for _ in range(count):
            times.append(getattr(scene, part)())
            pause(0.02, "a guest does one thing after the other")
        found[part] = statistics.quantiles(times, n=100, method="inclusive")[94]
    return found


def measured(name):
    """The row of an attack."""
    make, acts = ATTACKS[name]
    scene = make()
    quiet, loud, done = [], [], Counter()
    try:
        scene.begin()
        phase(scene)
        for _ in range(PHASES):
            scene.begin()
            quiet.append(phase(scene))
            with attackers(scene.link, acts, done):
                loud.append(phase(scene))
            pause(2, "what the attack left comes to rest")
    finally:
        scene.end()
    parts = {
        part: {"ours": round(statistics.median(each[part] for each in loud), 1),
               "peer": round(statistics.median(each[part] for each in quiet), 1),
               "ratio": round(statistics.median(
                   one[part] / other[part] for one, other in zip(loud, quiet)), 2)}
        for part in scene.parts}
    worst = max(parts, key=lambda part: parts[part]["ratio"])
    return {"name": name, "part": worst, **parts[worst], "peerName": "the same, quiet", "unit": "ms", "parts": parts,
            "serverMiB": getattr(scene, "memory", None), "attack": done}


def main(names):
    rows = []
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    print(f"p95 of a guest, medians of {PHASES} phases each, beside {ATTACKERS} attackers and {GUESTS} others")
    for name in names or ATTACKS:
        row = measured(name)
        rows.append(row)
        all_parts = ", ".join(f"{part} {each['ratio']}" for part, each in row["parts"].items())
        print(f"| {name} | {row['part']}: {row['ours']} ms | quiet: {row['peer']} ms | {row['ratio']} | {all_parts} |",
              flush=True)
        print("  they did: " + ", ".join(f"{count} {what}" for what, count in row["attack"].most_common()), flush=True)
        RESULT.write_text(json.dumps(rows, indent=1) + "\n")
    over = [row["name"] for row in rows if row["ratio"] > RATIO_MAX]
    print(f"Over {RATIO_MAX}: {', '.join(over) or 'none'}")


if __name__ == "__main__":
    unknown = [name for name in sys.argv[1:] if name not in ATTACKS]
    ensure(not unknown, f"No such attack: {unknown}. There are {list(ATTACKS)}")
    main(sys.argv[1:])
