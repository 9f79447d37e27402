"""A person's own space as its page shows it: its program in Swift and its page in browsers, against `reunion serve`.

Both name the space by the same hash, and a device is paired, and removed (docs/protocol.md 3.6).
"""

import contextlib
import re
import subprocess
import tempfile
import threading
from pathlib import Path

from album import CLONER, ROOT, WEB
from browser import Person, chromium
from journey import Group, ensure, until
from serve import Served

PAGE = (ROOT / "Sources/Reunion/Reunion.docc/own-space.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)


class Program:
    """The program of the page on a device of its own."""

    def __init__(self, folder, name, *link):
        self.process = subprocess.Popen(
            ["/usr/bin/stdbuf", "-oL", CLONER.parent / "own-space-example", folder / name, name, *link],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def say(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def prints(self, pattern):
        """Waits for a line, and gives it."""
        return until(lambda: next((line for line in self.lines if re.fullmatch(pattern, line)), None),
                     lambda: f"The program printed {self.lines}, and no {pattern}")

    def end(self):
        self.process.kill()
        self.process.wait()


class Setting:
    """A server with the page, programs and browsers."""

    def __init__(self, folder, browser):
        self.folder, self.browser, self.people, self.programs = folder, browser, [], []
        pages = folder / "page"
        pages.mkdir()
        (pages / "index.html").write_text(blocks("html")[0])
        (pages / "own.js").write_text("\n".join(blocks("js")))
        self.served = Served(folder / "server")
        self.options = ["--page", pages, "--library", WEB / "reunion"]

    def program(self, name, *link):
        self.programs.append(Program(self.folder, name, *link))
        return self.programs[-1]

    def open(self, name, link):
        person = Person(self.browser, name)
        self.people.append(person)
        return person.open(link, album=False)


@contextlib.contextmanager
def setting():
    with tempfile.TemporaryDirectory(prefix="own-space-") as folder, chromium() as browser:
        made = Setting(Path(folder), browser)
        with made.served.started(*made.options):
            try:
                yield made
            finally:
                for program in made.programs:
                    program.end()


group = Group(setting)


def shows(person, text, selector="output"):
    found = person.page.locator(selector)
    person.wait(lambda: found.inner_text() == text, lambda: f"The page shows {found.inner_text()}, and not {text}")


def choose(person, theme):
    person.page.get_by_label("Another theme").fill(theme)
    person.page.get_by_role("button", name="Set", exact=True).click()


def link_of(person):
    """The link that a click on the page's button shows."""
    before = person.page.locator("a").inner_text()
    person.page.get_by_role("button", name="Pair a device").click()
    person.wait(lambda: person.page.locator("a").inner_text() != before, "No link is shown")
    return person.page.locator("a").inner_text()


def devices(person):
    return [text.removesuffix("Remove") for text in person.page.locator("li").all_inner_texts()]


@group.journey("settings of a program in Swift and of a paired browser come together, also those made apart")
def together(stage):
    phone = stage.program("Phone", stage.served.invite("view"))
    phone.say("dark")
    phone.prints("Changes: 1")
    phone.say("pair")
    ada = stage.open("Ada", phone.prints("http://.*/#pair=.*"))
    shows(ada, "dark, changed 1 times")
    ensure("#" not in ada.page.url, "The link's secret stays in the address")
    choose(ada, "sepia")
    phone.prints("Theme: sepia")
    phone.prints("Changes: 2")
    shows(ada, "online", "#state")

    # Apart, both change the theme and count.
    stage.served.kill()
    shows(ada, "offline", "#state")
    phone.say("green")
    phone.prints("Theme: green")
    choose(ada, "blue")
    shows(ada, "blue, changed 3 times")
    stage.served.start(*stage.options)
    shows(ada, "blue, changed 4 times")
    phone.prints("Theme: blue")
    phone.prints("Changes: 4")
    ada.page.reload()
    shows(ada, "blue, changed 4 times")
    shows(ada, "online", "#state")
    ada.check()


@group.journey("a browser pairs a browser, whose link opens nothing twice, and removes it")
def pairs(stage):
    bo = stage.open("Bo", stage.served.invite("add"))
    shows(bo, "light, changed 0 times")
    choose(bo, "dark")
    shows(bo, "online", "#state")
    link = link_of(bo)
    cy = stage.open("Cy", link)
    shows(cy, "dark, changed 1 times")
    shows(cy, "online", "#state")
    choose(cy, "sepia")
    shows(bo, "sepia, changed 2 times")
    link_of(bo)
    bo.wait(lambda: devices(bo) == ["Browser (this one)", "Browser"], lambda: f"Bo has {devices(bo)}")

    # Somebody else by the same link, and somebody with an invitation, get nothing of it.
    eve = stage.open("Eve", stage.served.invite("edit"))
    shows(eve, "light, changed 0 times")
    sentence = eve.page.evaluate("""async (link) => {
      const { Person, openCore } = await import('/reunion/reunion.js');
      const person = await Person.open({ core: await openCore('/reunion/core.wasm') });
      return person.pair(link).then(() => 'paired', ({ status, message }) => `${status} ${message}`);
    }""", link)
    ensure(sentence.startswith("401 This link is not valid"), f"Eve is told: {sentence}")
    ensure(eve.page.evaluate("""async (space) => {
      const { status } = await fetch(`/session?space=${space}`);
      return status;
    }""", bo.page.evaluate("""async () => {
      const { Person, openCore } = await import('/reunion/reunion.js');
      return (await Person.open({ core: await openCore('/reunion/core.wasm') })).ownSpace();
    }""")) == 403, "Eve may look into Bo's space")
    shows(eve, "light, changed 0 times")

    bo.page.locator("li", has_not_text="this one").get_by_role("button").click()
    shows(cy, "out", "#state")
    bo.wait(lambda: devices(bo) == ["Browser (this one)"], lambda: f"Bo has {devices(bo)}")
    choose(bo, "green")
    shows(bo, "green, changed 3 times")
    shows(cy, "sepia, changed 2 times")
    for person in (bo, cy, eve):
        person.check()


@group.journey("a pairing whose answer got lost is the same when the page is opened again")
def lost(stage):
    dee = stage.open("Dee", stage.served.invite("view"))
    choose(dee, "dark")
    shows(dee, "online", "#state")
    link = link_of(dee)
    # Flo's browser sends the question, and its page goes before it hears of the answer.
    flo = Person(stage.browser, "Flo")
    stage.people.append(flo)
    answered = []

    def lose(route):
        if not answered:
            answered.append(route.fetch().status)
            return route.abort()
        return route.continue_()

    flo.page.route("**/pair", lose)
    flo.open(link, album=False)
    flo.wait(lambda: answered, "The page does not pair")
    ensure(answered == [200], f"The server answered {answered}")
    ensure("#pair=" in flo.page.url, "The link is gone from the address")
    flo.wait(lambda: flo.errors, "The page does not hear that its question failed")
    flo.errors.clear()
    flo.context.clear_cookies()
    flo.page.reload()
    shows(flo, "dark, changed 1 times")
    link_of(dee)
    dee.wait(lambda: len(devices(dee)) == 2, lambda: f"Dee has {devices(dee)}")
    for person in (dee, flo):
        person.check()
