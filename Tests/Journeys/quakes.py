"""The map of earthquakes as people start it: the real program, a feed, and people who look."""

import contextlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from album import APPS, LAN, WEB, free_port
from browser import Person, chromium
from journey import PATIENCE, until

PROGRAM = APPS / "Quakes"


class Quakes:
    """A server process on a data folder; `with Quakes(feed) as quakes:` ends it and removes both."""

    def __init__(self, feed, every=0.1, host=LAN):
        self._temporary = Path(tempfile.mkdtemp(prefix="quakes-"))
        self.folder, self.feed = self._temporary / "data", feed
        self.every, self.host = every, host
        self.port, self.process, self.lines = free_port(), None, []
        # Further arguments of the next start.
        self.options = []

    def start(self):
        self.lines = []
        self.process = subprocess.Popen(
            [PROGRAM, "--port", str(self.port), "--data", self.folder, "--feed", str(self.feed),
             "--every", str(self.every), "--host", self.host, "--page", WEB / "quakes",
             "--library", WEB / "reunion", *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True).start()
        self.says("Stop with Ctrl-C")
        return self

    def _listen(self, output):
        for line in output:
            self.lines.append(line.rstrip("\n"))

    def says(self, text):
        """Waits until the terminal shows a line with that text, and returns the line."""
        def found():
            return next((line for line in self.lines if text in line), None)
        return until(found, lambda: f"The terminal does not say “{text}”: {self.lines}")

    @property
    def link(self):
        return re.search(r"^On this network: (\S+)$", "\n".join(self.lines), re.M)[1]

    def end(self, how=signal.SIGTERM):
        """Ends the process, and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(PATIENCE)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.end()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self._temporary, ignore_errors=True)


class Watcher(Person):
    """Somebody who looks at the map."""

    def open(self, link, waits=True):
        self.page.goto(link)
        if waits:
            self.page.locator("quakes-page h1").wait_for()
            self.until("(store) => store.standing.phase === 'online'", "The page did not connect")
        return self

    def store(self, script, argument=None):
        """Runs a function of the page's store (Apps/Quakes/Page/store.js)."""
        return self.page.evaluate(
            f"(argument) => ({script})(document.querySelector('quakes-page').store, argument)",
            argument)

    def map(self, script, argument=None):
        """Runs a function of the map and the geometry (Apps/Quakes/Page/geometry.js)."""
        return self.page.evaluate(f"""async (argument) => {{
            const geometry = await import('/geometry.js');
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            return ({script})(document.querySelector('quake-map'), geometry, argument); }}""", argument)

    def dot(self, place):
        """Where the dot of a quake is on the screen, with its radius and depth; None without one."""
        return self.map("""(map, { pixelOf }, place) => {
            const dot = map.dots.find(({ quake }) => quake.place === place);
            const at = dot && pixelOf(dot, map.view, map.frame);
            const box = map.getBoundingClientRect();
            return dot ? { x: at.left + box.left, y: at.top + box.top, radius: dot.radius,
                depth: dot.depth, id: dot.quake.id } : null; }""", place)

    def color(self, x, y):
        """The colour on the canvas at a point of the screen, as [red, green, blue]."""
        return self.map("""(map, _, [x, y]) => {
            const canvas = map.querySelector('canvas'), box = canvas.getBoundingClientRect();
            const ratio = canvas.width / box.width;
            return [...canvas.getContext('2d').getImageData(Math.round((x - box.left) * ratio),
                Math.round((y - box.top) * ratio), 1, 1).data].slice(0, 3); }""", [x, y])

    def wanted_color(self, name):
        """A colour of the style sheet, as [red, green, blue]."""
        text = self.page.evaluate(
            "(name) => getComputedStyle(document.documentElement).getPropertyValue(name)", name).strip()
        return [int(text[at:at + 2], 16) for at in (1, 3, 5)]

    @property
    def state(self):
        return self.page.locator("p.state").inner_text()

    def says(self, text):
        """Waits until the line under the heading says so."""
        self.wait(lambda: text in self.state, lambda: f"The page says “{self.state}”")

    def row(self, place):
        return self.page.locator("quake-list button.row", has_text=place)


class World:
    """A map, its feed, a browser, and the people of one group of journeys."""

    def __init__(self, browser, quakes, feed):
        self.browser, self.quakes, self.feed, self.people = browser, quakes, feed, []

    def watcher(self, name="a watcher", size=(1000, 700), **options):
        person = Watcher(self.browser, name, **options)
        person.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.people.append(person)
        return person.open(self.quakes.link)

    def phone(self, name="a phone", size=(360, 740), **options):
        return self.watcher(name, size, has_touch=True, device_scale_factor=2, **options)

    def leave(self):
        """Checks everyone's pages, and closes them."""
        for person in self.people:
            person.check()
            person.context.close()
        self.people = []


@contextlib.contextmanager
def world(feed):
    """A setting: `feed` is what the program is told to read."""
    with Quakes(feed.address) as quakes, chromium() as browser:
        try:
            yield World(browser, quakes, feed)
        finally:
            feed.close()


def close_to(color, wanted, within=3):
    return all(abs(one - other) <= within for one, other in zip(color, wanted))
