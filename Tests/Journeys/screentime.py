"""Screen time as a family starts it: the server, parents, a wrist, a child's page, and a child's agent."""

import contextlib
import json
import os
import subprocess
from pathlib import Path

from album import APPS, LAN
from browser import Person, chromium
from program import Program

PROGRAM = APPS / "ScreenTime"
AGENT = APPS / "screentime-agent"


class Looker(Person):
    """Somebody with the page on one screen."""

    def open(self, link):
        self.page.goto(link)
        self.page.locator("family-page").wait_for()
        return self

    def store(self, script, argument=None):
        """Runs a function of the page's store (Apps/ScreenTime/Page/family-store.js)."""
        return self.page.evaluate(
            f"(argument) => ({script})(document.querySelector('family-page').store, argument)", argument)

    def card(self, name):
        return self.page.locator("person-card", has=self.page.get_by_role("heading", name=name, exact=True))

    def follow(self, name):
        """Follows somebody more, and gives the link for that one's devices."""
        self.page.get_by_role("button", name="Menu").click()
        sheet = self.page.locator("dialog.sheet")
        sheet.get_by_role("textbox", name="Name").fill(name)
        sheet.get_by_role("button", name="Follow", exact=True).click()
        self.card(name).wait_for()
        return self.link(name)

    def link(self, name):
        self.details(name)
        self.card(name).get_by_role("button", name="Link for a device").click()
        link = self.page.locator("dialog.sheet").get_by_role("textbox", name="Link").input_value()
        self.close()
        return link

    def details(self, name):
        more = self.card(name).get_by_role("button", name="Days and programs")
        if more.get_attribute("aria-expanded") == "false":
            more.click()

    def parents_link(self):
        self.page.get_by_role("button", name="Menu").click()
        self.page.get_by_role("button", name="Link for another parent").click()
        link = self.page.locator("dialog.sheet").get_by_role("textbox", name="Link").input_value()
        self.close()
        return link

    def close(self):
        self.page.locator("dialog.sheet").get_by_role("button", name="Close").click()
        self.page.locator("dialog.sheet").wait_for(state="hidden")

    def is_saved(self):
        """Waits until the server has acknowledged all that was written here."""
        self.until("({ standing }) => standing.phase === 'online' && !standing.records", "Something waits here")

    def shows(self, name, text):
        """Waits until a person's card says something."""
        self.wait(lambda: text in self.card(name).inner_text(),
                  lambda: f"{name}'s card does not say “{text}”, but {self.card(name).inner_text()!r}")

    def budget(self, name, minutes, budget="Everything"):
        """Sets the same minutes for each day."""
        self.card(name).get_by_role("button", name="Change limits").click()
        row = self.page.locator("fieldset.budget", has_text=budget)
        for day in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"):
            field = row.get_by_role("spinbutton", name=f"{budget}, {day}, minutes")
            field.fill(str(minutes))
            field.blur()
        self.close()
        self.is_saved()

    def category(self, name, category):
        """Adds a category to somebody's limits."""
        self.card(name).get_by_role("button", name="Change limits").click()
        sheet = self.page.locator("dialog.sheet")
        sheet.get_by_role("textbox", name="New category").fill(category)
        sheet.get_by_role("button", name="Add a category").click()
        sheet.locator("fieldset.budget", has_text=category).wait_for()
        self.close()

    def used(self, program, minutes, days_ago=0, number=1, ending="program"):
        """Writes a use into the space of use, as an agent would; for a child's page."""
        return self.page.evaluate("""async ([program, minutes, daysAgo, number, ending]) => {
            const { use } = document.querySelector('family-page').store.people[0];
            const noon = new Date(); noon.setHours(0, 1, 0, 0);
            await use.transaction((t) => {
              const device = '0'.repeat(31) + '1';
              if (!use.get('device', device)) {
                t.create('device', { name: 'Laptop', sees: 'programs', seenAt: Date.now() }, device);
              }
              return t.create('use', { device, number, program,
                startedAt: noon.getTime() - daysAgo * 86400000 + number, ending,
                offset: -60 * new Date().getTimezoneOffset(), milliseconds: minutes * 60000 });
            }); }""", [program, minutes, days_ago, number, ending])


class Desktop:
    """A child's desktop: a real X server with a window manager and two programs, and the agent."""

    def __init__(self, folder):
        self.folder, self.processes, self.agent = Path(folder), [], None
        self.folder.mkdir(parents=True, exist_ok=True)
        read, write = os.pipe()
        self.processes.append(subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        os.close(write)
        with os.fdopen(read) as said:
            number = said.readline().strip()
        self.environment = {**os.environ, "DISPLAY": f":{number}", "HOME": str(self.folder),
                            "XDG_STATE_HOME": str(self.folder)}
        self.environment.pop("WAYLAND_DISPLAY", None)
        for words in (["openbox", "--sm-disable"], ["xterm", "-geometry", "30x10+20+40", "-e", "cat"],
                      ["xcalc", "-geometry", "200x200+450+300"]):
            self.run(words)

    def run(self, words):
        process = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def xdotool(self, *words):
        return subprocess.run(["xdotool", *words], env=self.environment, capture_output=True, text=True).stdout

    def use(self, person, program):
        """Clicks into a program's window until it has the focus; `person` waits meanwhile."""
        place = ("100", "120") if program == "xterm" else ("550", "480")

        def has_focus():
            self.xdotool("mousemove", *place, "click", "1")
            active = self.xdotool("getactivewindow").strip()
            return active and active in self.xdotool("search", "--onlyvisible", "--class", program).split()
        person.wait(has_focus, f"{program} does not get the focus")

    def start(self, *words):
        self.agent = self.run([AGENT, *words, "--name", "Laptop"])

    def end(self):
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.wait()


class House:
    """A family's server, a browser, and the people of one group of journeys."""

    def __init__(self, browser, program):
        self.browser, self.program, self.people = browser, program, []
        self.folder = program.folder.parent
        self.owner = program.line("Owner")

    def looker(self, name, link, size=(1000, 760), **options):
        person = Looker(self.browser, name, **options)
        person.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.people.append(person)
        return person.open(link)

    def parent(self, name="a parent", link=None, **options):
        return self.looker(name, link or self.owner, **options)

    def parents_link(self, parent):
        """Has a parent make a new link for parents: it takes the place of the last one."""
        self.owner = parent.parents_link()
        return self.owner

    def wrist(self, link):
        return self.looker("a wrist", link, (184, 224), has_touch=True)

    @contextlib.contextmanager
    def desktop(self):
        desktop = Desktop(self.folder / f"desktop-{len(list(self.folder.glob('desktop-*')))}")
        try:
            yield desktop
        finally:
            desktop.end()

    def leave(self, *people):
        """Checks these people's pages, or everyone's, and closes them."""
        for person in people or self.people[:]:
            person.check()
            person.context.close()
            self.people.remove(person)


@contextlib.contextmanager
def house():
    with Program(PROGRAM, "screentime", LAN) as program, chromium() as browser:
        yield House(browser, program)


def saved(person, act):
    """What a page saves as a file when something is done."""
    with person.page.expect_download() as download:
        act()
    return json.loads(Path(download.value.path()).read_text())
