"""An album of thousands of photos; and the core's vectors, in Chromium."""

import contextlib
import functools
import hashlib
import http.server
import random
import threading
import time

import photos
from album import ROOT, WEB
from browser import Person, chromium, stage
from journey import PATIENCE, Group, ensure
from member import Member
from session import Session, new_id

PHOTOS, PICTURES = photos.slices(3_000, 10_000), 200
PART = 500


def preview_files():
    """The bytes of 200 previews of three shapes."""
    return [photos.preview(5000 + number, *shape(number)) for number in range(PICTURES)]


def shape(number):
    wide = (number % 3) * 40 + 200
    return wide, 520 - wide


def fill(album, count=PHOTOS):
    """Makes an album of `count` photos, with 200 previews between them, as its owner."""
    member = Member(album.owner)
    previews = []
    for number, data in enumerate(preview_files()):
        member.upload(data, "preview")
        previews.append((hashlib.sha256(data).hexdigest(), len(data), *shape(number)))
    session = Session(member).connect()
    now = int(time.time() * 1000)
    for begin in range(0, count, PART):
        writes = []
        for number in range(begin, min(count, begin + PART)):
            hash_, size, width, height = previews[number % PICTURES]
            writes.append(("photo", new_id(), {
                "original": (f"{number:064x}", 1_000_000), "preview": (hash_, size),
                "width": width * 10, "height": height * 10, "contentType": "image/jpeg",
                "takenAt": now - (count - number) * 60_000, "fileName": f"IMG_{number:05}.jpg",
                "color": 0x808080, "caption": ""}, True))
        session.write(*writes)
        session.settle()
    session.close()


@contextlib.contextmanager
def crowded():
    with stage()() as made:
        began = time.monotonic()
        fill(made.album)
        print(f"    {PHOTOS} records in {time.monotonic() - began:.1f} s", flush=True)
        yield made


group = Group(crowded)


# Notes how many tiles each frame builds: what a phone can do at once is bounded.
_COUNT_BUILT = """() => {
  window.built = [];
  new MutationObserver((all) => window.built.push(
    all.reduce((sum, { addedNodes }) => sum + addedNodes.length, 0)))
    .observe(document.querySelector('photo-grid ul'), { childList: true });
}"""


@group.journey(f"{PHOTOS:,} photos scroll, a few tiles built in a frame")
def scrolls(stage):
    guest = visit(stage.album, stage.browser)
    stage.people.append(guest)
    guest.page.evaluate(_COUNT_BUILT)
    longest = scroll(guest)
    tiles, built = guest.tiles.count(), guest.page.evaluate("window.built")
    print(f"    {tiles} tiles stand, at most {max(built)} built in a frame; "
          f"the longest task took {longest:.0f} ms", flush=True)
    ensure(tiles < 200, f"{tiles} tiles stand at once")
    ensure(sum(built) > 500, f"Only {sum(built)} tiles were built: did it scroll?")
    ensure(max(built) <= 16, f"{max(built)} tiles were built in a frame")


def visit(album, browser, count=PHOTOS):
    """Somebody new, who sees all the photos."""
    guest = Person(browser, "Ada")
    guest.page.goto(album.lan(album.guests))
    guest.page.locator("photo-grid img.shown").first.wait_for()
    guest.wait(lambda: guest.store("(store) => store.photos.length") == count,
               "Not all photos come")
    guest.until("(store) => store.connection.state.value.phase === 'online'", "Not all is kept")
    return guest


def scroll(guest):
    """Scrolls through the album, near and far; the longest task of the page meanwhile."""
    guest.page.evaluate("window.longTasks.length = 0")
    height = guest.page.evaluate("document.documentElement.scrollHeight")
    for place in [*range(0, 9000, 300), *random.Random(1).sample(range(height), 30), height, 0]:
        # However slow the machine is, each place is drawn once.
        guest.page.evaluate("""(top) => new Promise((resolve) => {
            scrollTo(0, top); requestAnimationFrame(() => requestAnimationFrame(resolve)); })""", place)
    guest.page.evaluate("(top) => scrollTo(0, top)", height // 2)
    guest.wait(lambda: guest.shown() >= 8, "No pictures come where it stops")
    return max(guest.page.evaluate("window.longTasks") or [0])


@group.journey("a client made by the protocol's page alone takes a block, over HTTP and over its session")
def takes_block(stage):
    plain = newcomer(stage)
    plain.connect()
    ours = newcomer(stage)
    path = f"/block?space={ours.space.hex()}"
    ours.take(ours.member.get(path))
    ours.connect()
    parts = newcomer(stage)
    parts.takes_parts = True
    parts.connect()
    for session in (ours, parts):
        assert session.records == plain.records and len(plain.all("photo")) == PHOTOS
        assert session.vector == plain.vector
    bytes_of = [sum(size for _, size in session.sizes) for session in (plain, ours, parts)]
    print(f"    {bytes_of[0]:,} bytes of changes, {bytes_of[2]:,} of parts", flush=True)
    # Whoever took the block before is sent the end of a push and no more.
    assert bytes_of[1] < 1000 and bytes_of[2] < bytes_of[0] / 3, bytes_of
    # What comes later comes to all.
    plain.write(("photo", new_id(), {"caption": "the last one", "takenAt": 0, "fileName": "a", "width": 1, "height": 1,
                                     "contentType": "image/jpeg", "color": 0}, True))
    plain.settle()
    for session in (ours, parts):
        session.run(lambda session=session: any(
            values["caption"] == "the last one" for values in session.all("photo").values()))
    status, _, data = plain.member.request("GET", path)
    assert (status, data) == (204, b""), "a device that wrote here is given a block"
    for session in (plain, ours, parts):
        session.close()


def newcomer(stage):
    """A device that has just joined, and notes what comes."""
    session = Session(Member(stage.album.guests))
    session.sizes = []
    return session


@group.journey(f"a caption among {PHOTOS:,} photos is one small change on every screen")
def one_change(stage):
    ada = stage.people[0]
    ben = stage.guest("Ben")
    ben.wait(lambda: ben.store("(store) => store.photos.length") == PHOTOS, "Not all come")
    ada.page.evaluate("scrollTo(0, 0)")
    ben.add(photos.unique_file(7777))
    ben.is_settled()
    newest = ben.store("(store) => store.photos[0].id")
    ada.page.evaluate("window.longTasks.length = 0")
    ben.store("(store, id) => store.setCaption(store.photo(id), 'Among many')", newest)
    ada.wait(lambda: ada.store("(store, id) => store.photo(id)?.caption", newest) == "Among many",
             "The caption did not come")
    ada.draws()
    longest = max(ada.page.evaluate("window.longTasks") or [0])
    print(f"    the longest task took {longest:.0f} ms", flush=True)
    stage.leave()


@contextlib.contextmanager
def served():
    """The repository by HTTP, as a page needs it for modules."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
            ".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=ROOT))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(f"http://127.0.0.1:{server.server_port}/Tests/Vectors/core.txt")
        yield page
    server.shutdown()


vectors = Group(served)


@vectors.journey("both cores agree with every vector in Chromium, byte for byte")
def in_chromium(page):
    for name, is_small in (("core", False), ("registers", True)):
        answer = page.evaluate("""async ([core, isSmall]) => {
            const { startCore } = await import('/Web/core/core.js');
            const { runVectors } = await import('/Tests/Vectors/vectors.mjs');
            return runVectors(await startCore(await fetch(core)), document.body.innerText, { isSmall });
        }""", [f"/{WEB.relative_to(ROOT)}/reunion/{name}.wasm", is_small])
        ensure(not answer["failures"],
               f"{name}: {len(answer['failures'])} differ: {answer['failures'][:2]}")
        ensure(answer["count"] > 700, f"Only {answer['count']} vectors ran")
        ensure(answer["kept"] > 40 if is_small else not answer["kept"],
               f"{name} keeps {answer['kept']} whole")
