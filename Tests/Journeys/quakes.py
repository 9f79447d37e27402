"""The map of earthquakes as people start it: the real program, a feed, and people who look."""

import contextlib

from album import APPS, LAN
from browser import Person, chromium
from program import Program

PROGRAM = APPS / "Quakes"


class Quakes(Program):
    """The map on a feed: `with Quakes(feed) as quakes:`."""

    def __init__(self, feed, every=0.1, host=LAN):
        super().__init__(PROGRAM, "quakes", host)
        self.feed = feed
        self.wanted = ["--feed", str(feed), "--every", str(every)]

    def start(self):
        given = self.options
        self.options = [*self.wanted, *given]
        try:
            return super().start()
        finally:
            self.options = given

    @property
    def link(self):
        return self.line("On this network")


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
