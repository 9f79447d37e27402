"""Measures the album beside a peer in one run: bench.py [names…] → .build/bench/album.json

Rows: {name, ours, peer, peerName, ratio, unit}. Times are of this machine and this moment.
"""

import contextlib
import json
import statistics
import sys
import time

import peer
import photos
from album import ROOT, Album
from browser import Person, chromium
from journeys_many import fill, preview_files, scroll, visit
from journeys_pages import wait_for_later, weight

RESULT = ROOT / ".build" / "bench" / "album.json"
SCREENS, PHOTO_ROUNDS, CAPTION_ROUNDS, VISITS, PHOTOS = 10, 20, 60, 5, 10_000
# Notes in each page when a picture of the album has been decoded: what a person sees.
_SEEN = """() => {
  window.seen = [];
  const note = () => window.seen.push({ at: Date.now(), since: performance.now() });
  document.addEventListener('load', ({ target }) => {
    if (target.tagName === 'IMG') target.decode().then(note); }, true);
  document.addEventListener('change', () => { window.chosen = Date.now(); }, true);
}"""


def p95(values):
    return statistics.quantiles(values, n=100, method="inclusive")[94]


class Screen(Person):
    """Somebody whose page notes when pictures are seen."""

    def __init__(self, browser, name):
        super().__init__(browser, name)
        self.context.add_init_script(f"({_SEEN})()")


@contextlib.contextmanager
def screens(browser, open_page):
    people = [Screen(browser, f"screen {number}") for number in range(SCREENS)]
    for person in people:
        open_page(person)
    yield people
    for person in people:
        person.context.close()


def spread_photos(people, choose):
    """From choosing a photo to its picture on the last of the other screens, in milliseconds."""
    sender, others = people[0], people[1:]
    times = []
    for number in range(PHOTO_ROUNDS + 2):
        file = photos.FOLDER / f"bench-{number}.jpg"
        stamp = f"{time.time_ns()}".encode()
        file.write_bytes(photos.commented(photos.half_megabyte().read_bytes(), stamp))
        for person in people:
            person.page.evaluate("window.seen.length = 0")
        choose(sender, file)
        for person in others:
            person.wait(lambda: person.page.evaluate("window.seen.length"), "No picture came")
        chosen = sender.page.evaluate("window.chosen")
        times.append(max(person.page.evaluate("window.seen[0].at") - chosen for person in others))
        file.unlink()
        sender.pause(0.4, "the screens come to rest between two photos")
    return times[2:]


def spread_captions(people, listen, write):
    """From writing a caption to its being on the last of the other screens, in milliseconds."""
    sender, others = people[0], people[1:]
    times = []
    for number in range(CAPTION_ROUNDS + 2):
        text = f"caption {number}"
        for person in others:
            listen(person, text)
        written = write(sender, text)
        for person in others:
            person.wait(lambda: person.page.evaluate("window.heard"), "No caption came")
        times.append(max(person.page.evaluate("window.heard") - written for person in others))
    return times[2:]


def album_times():
    with Album() as album, chromium() as browser:
        with screens(browser, lambda who: who.open(album.lan(album.guests))) as people:
            spread = spread_photos(people, lambda who, file: (who.is_settled(), who.add(file)))
            people[0].is_settled()
            photo = people[0].photos[0]["id"]
            captions = spread_captions(
                people,
                lambda who, text: who.store("""(store, { photo, text }) => {
                    window.heard = 0;
                    store.subscribe(() => {
                        if (store.photo(photo)?.caption === text) window.heard ||= Date.now(); });
                }""", {"photo": photo, "text": text}),
                lambda who, text: who.store("""(store, { photo, text }) => {
                    const now = Date.now();
                    store.setCaption(store.photo(photo), text);
                    return now; }""", {"photo": photo, "text": text}))
    return spread, captions


def peer_times():
    with peer.broadcast() as port, chromium() as browser:
        with screens(browser, lambda who: peer.open_page(who.page, port)) as people:
            spread = spread_photos(people, lambda who, file: who.add(file))
            captions = spread_captions(
                people,
                lambda who, text: who.page.evaluate("(text) => window.expect(text)", text),
                lambda who, text: who.page.evaluate("(text) => window.write(text)", text))
    return spread, captions


def first_photos(album, browser):
    """From opening the link for the first time to the first photos, in milliseconds."""
    times, again = [], []
    for _ in range(VISITS):
        person = Screen(browser, "somebody new")
        link = album.lan(album.guests)
        for kept, address in ((times, link), (again, link.split("#")[0])):
            person.page.goto(address)
            person.wait(lambda: len(person.page.evaluate("window.seen")) > 5, "No photos")
            kept.append(person.page.evaluate("window.seen[0].since"))
            person.wait(lambda: person.store("(store) => store.photos.length") == PHOTOS, "few")
        person.context.close()
    print(f"  a second visit: {statistics.median(again):.0f} ms")
    return statistics.median(times)


def row(name, ours, other, peer_name, unit):
    line = {"name": name, "ours": round(ours, 1), "peer": round(other, 1), "peerName": peer_name,
            "ratio": round(ours / other, 3), "unit": unit}
    print(f"{name}: {line['ours']} {unit}; {peer_name}: {line['peer']}; ratio {line['ratio']}",
          flush=True)
    return line


def main(wanted):
    rows = []
    plain = "a plain WebSocket broadcast in Python of the same bytes, kept nowhere"
    if not wanted or {"preview-p95", "caption-p95"} & wanted:
        (ours, captions), (theirs, their_captions) = album_times(), peer_times()
        rows += [row("preview-p95", p95(ours), p95(theirs), plain, "ms"),
                 row("caption-p95", p95(captions), p95(their_captions), plain, "ms")]
        print(f"  medians: {statistics.median(ours):.0f} and {statistics.median(theirs):.0f} ms, "
              f"{statistics.median(captions):.0f} and {statistics.median(their_captions):.0f} ms")
    if not wanted or "page-bytes" in wanted:
        with Album() as album, chromium() as browser:
            guest = Person(browser, "somebody new").open(album.lan(album.guests))
            wait_for_later(guest)
            size, later = weight(guest), weight(guest, later=True)
        rows += [row("page-bytes", size, 60 * 1024, "the budget of 60 KB", "bytes"),
                 row("visit-bytes", size + later, size, "until photos can be added", "bytes")]
    if not wanted or "first-photos-10k" in wanted:
        with Album() as album, chromium() as browser:
            fill(album, PHOTOS)
            ours = first_photos(album, browser)
            theirs = peer.first_photos(browser, preview_files(), PHOTOS, VISITS)
        rows.append(row("first-photos-10k", ours, theirs,
                        "a plain page: all records as one JSON, then the first images", "ms"))
    if not wanted or "scroll-task" in wanted:
        with Album() as album, chromium() as browser:
            fill(album, PHOTOS)
            guest = visit(album, browser, PHOTOS)
            longest = [scroll(guest) for _ in range(VISITS)]
        print(f"  each time: {[round(each) for each in longest]} ms")
        rows.append(row("scroll-task", max(longest), 100,
                        "the longest task that scrolling may take", "ms"))
    kept = json.loads(RESULT.read_text()) if wanted and RESULT.exists() else []
    names = {line["name"] for line in rows}
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(
        [line for line in kept if line["name"] not in names] + rows, indent=1) + "\n")


if __name__ == "__main__":
    main(set(sys.argv[1:]))
