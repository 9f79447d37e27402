"""People with browsers: Debian's Chromium, a context each, the album's page in it."""

import contextlib
import json
import urllib.request

from playwright.sync_api import Error, sync_playwright
from websockets.sync.client import connect

from album import LAN, Album, free_port
from journey import PATIENCE, Failed, ensure, pause, until

# Without windows and what belongs to them, which nobody sees here: a page costs less than half of what it does in one.
CHROMIUM = "/usr/bin/chromium-headless-shell"
# The milliseconds after which the page takes a notice away, and one with a way back.
NOTICE, UNDO = 8000, 10_000
ARGUMENTS = ["--no-sandbox", f"--host-resolver-rules=MAP {LAN} 127.0.0.1"]
# What the strict policy of the page forbids, and what nobody should ever see.
_WATCH = """() => {
  window.shifts = 0; window.shifted = []; window.longTasks = []; window.violations = [];
  const name = (node) => node?.tagName ? `${node.tagName}.${node.className}` : `${node?.nodeName}`;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    window.shifts += entry.value;
    window.shifted.push(`${entry.value.toFixed(3)} ${entry.sources.map((each) =>
      `${name(each.node)} ${each.previousRect.y}→${each.currentRect.y}`)}`);
  } })
    .observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries())
    window.longTasks.push(entry.duration); }).observe({ type: 'longtask' });
  addEventListener('securitypolicyviolation', (event) =>
    window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
}"""


@contextlib.contextmanager
def chromium():
    """A browser. Where one is kept, it is that one, and what is opened in it meanwhile is closed."""
    if _keeper is None:
        with _started() as browser:
            yield browser
        return
    browser = _keeper.browser()
    before = set(browser.contexts)
    try:
        yield browser
    finally:
        for context in set(browser.contexts) - before:
            with contextlib.suppress(Error):
                context.close()


@contextlib.contextmanager
def _started():
    with sync_playwright() as playwright:
        port = free_port()
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[*ARGUMENTS, f"--remote-debugging-port={port}"])
        browser.debugging_port = port
        browser.maker = playwright.chromium
        yield browser
        browser.close()


class _Keeper:
    """One browser for all that comes, and a new one once it has died."""

    def __init__(self):
        self._browser, self._running = None, contextlib.ExitStack()

    def browser(self):
        if self._browser is None or not self._browser.is_connected():
            self.close()
            self._browser = self._running.enter_context(_started())
        return self._browser

    def close(self):
        with contextlib.suppress(Error):
            self._running.close()


_keeper = None


@contextlib.contextmanager
def kept_chromium():
    """Within it `chromium()` gives the same browser again and again: to start one takes a second of two cores."""
    global _keeper
    _keeper = _Keeper()
    try:
        yield
    finally:
        _keeper.close()
        _keeper = None


class Person:
    """Somebody with a browser of their own."""

    def __init__(self, browser, name, **options):
        self.browser, self.name = browser, name
        self.context = browser.new_context(
            **{"viewport": {"width": 900, "height": 700}, "accept_downloads": False} | options)
        self.context.set_default_timeout(1000 * PATIENCE)
        self.context.add_init_script(f"({_WATCH})()")
        self.errors, self._crashed, self._debugged = [], None, None
        self.context.on("page", self._watch)
        self.page = self.context.new_page()

    def _watch(self, page):
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._hear)
        page.on("crash", self._note_crash)

    def _note_crash(self, page):
        self._crashed = page

    def _hear(self, message):
        text = message.text
        if message.type == "error" and ("Content Security Policy" in text or "Refused" in text):
            self.errors.append(text)

    def open(self, link, album=True):
        """Opens a link, and waits for the album."""
        self.page.goto(link)
        if album:
            self.page.locator("album-page h1").wait_for()
            self.until("(store) => store.standing.phase === 'online' && !!store.album",
                       "The page did not connect")
        return self

    def add(self, *files):
        """Chooses files, as the button's dialog would."""
        self.page.locator("input[type=file]").set_input_files([str(file) for file in files])

    def store(self, script, argument=None):
        """Runs a function of the page's store (Apps/Albums/Page/store.js)."""
        return self.page.evaluate(
            f"(argument) => ({script})(document.querySelector('album-page').store, argument)",
            argument)

    def until(self, script, what, argument=None):
        return self.wait(lambda: self.store(script, argument), what)

    def wait(self, check, what):
        """Asks again until it holds, while this person's page goes on."""
        said = lambda: f"{what() if callable(what) else what}, for {self.name}"
        return until(check, said, page=lambda: self.page)

    def pause(self, seconds, because):
        """Lets time pass that belongs to the story, while this person's page goes on."""
        pause(seconds, because, self.page)

    def draws(self):
        """Waits until the page has drawn all that it knew, and heard how long that took."""
        self.page.evaluate("""() => new Promise((done) => requestAnimationFrame(
            () => requestAnimationFrame(() => setTimeout(done))))""")

    @property
    def photos(self):
        return self.store("(store) => store.photos.map((photo) => ({ ...photo }))")

    @property
    def tiles(self):
        return self.page.locator("photo-grid button.tile")

    def shown(self):
        """How many tiles show a decoded picture."""
        return self.page.locator("photo-grid img").evaluate_all(
            "(all) => all.filter((image) => image.complete && image.naturalWidth > 0).length")

    def sees(self, count):
        """Waits until this number of photos is there, with their pictures."""
        def counted():
            return len(self.photos) == count and self.shown() == count
        def missing():
            return self.page.locator("photo-grid img").evaluate_all("""(all) => all.filter(
                (image) => !image.complete || !image.naturalWidth).map((image) => image.src)""")
        self.wait(counted, lambda: f"{len(self.photos)} photos and {self.shown()} pictures are "
                                   f"on the screen, and not {count}; missing {missing()}")

    def is_settled(self):
        """Waits until nothing is left only here."""
        self.until("""(store) => { const { photos, records, preparing, elsewhere } = store.standing;
            return !photos && !records && !preparing && !elsewhere; }""",
                   lambda: f"Something stays only here: {self.standing}")

    def keeps(self, count):
        """Waits until this number of chosen files waits here, with the bytes of all on this device."""
        self.wait(lambda: self._holds(count, "keeping"),
                  lambda: f"{count} chosen files are not kept: {self.standing}")

    def has_entered(self, count):
        """Waits until this number of chosen files waits here, decoded, with a record if they could be."""
        self.wait(lambda: self._holds(count, "preparing"),
                  lambda: f"{count} chosen files are not entered: {self.standing}")

    def _holds(self, count, unread):
        standing = self.standing
        return standing["photos"] == count and not standing[unread]

    @property
    def standing(self):
        return self.store("(store) => store.standing")

    @property
    def state(self):
        """The sentence that says how things stand."""
        return self.page.locator("p.state").inner_text()

    def notice(self, text):
        """Waits for a notice with that text, and dismisses it."""
        note = self.page.locator(".notice", has_text=text).first
        try:
            note.wait_for()
        except Error:
            shown = self.page.locator(".notice").all_inner_texts()
            raise Failed(f"No notice says “{text}” to {self.name}, but {shown}") from None
        sentence = note.locator("p").inner_text()
        note.get_by_role("button").click()
        return sentence

    def holds(self, *delays):
        """What the page would take away after one of these delays, in milliseconds, stays until `lets_go`."""
        self.page.evaluate("""(delays) => {
            const { setTimeout: after } = window;
            window.held = [];
            window.setTimeout = (act, delay, ...more) => (delays.includes(delay)
              ? window.held.push(act) : after(act, delay, ...more)); }""", delays)

    def lets_go(self):
        """What was held goes now, and what comes from now on as well."""
        self.page.evaluate("""() => {
            const held = window.held.splice(0);
            window.held.push = (act) => setTimeout(act);
            for (const act of held) act(); }""")

    def view(self, photo):
        """Opens a photo, and returns the viewer."""
        index = [each["id"] for each in self.photos].index(photo)
        self.page.evaluate("""(id) => {
            const grid = document.querySelector('photo-grid'); grid.focusPhoto(id); }""", photo)
        self.page.locator(f"photo-grid li[aria-posinset='{index + 1}'] button").click()
        viewer = self.page.locator("dialog.viewer")
        viewer.wait_for()
        return viewer

    def close_viewer(self):
        self.page.locator("dialog.viewer").get_by_role("button", name="Close").click()
        self.page.locator("dialog.viewer").wait_for(state="hidden")

    def caption(self, photo, text):
        viewer = self.view(photo)
        field = viewer.get_by_role("textbox", name="Caption")
        field.fill(text)
        field.press("Enter")
        self.wait(lambda: self.photo(photo)["caption"] == text.strip(),
                  lambda: f"The caption is “{self.photo(photo)['caption']}”, and not “{text}”")
        self.close_viewer()

    def photo(self, id_):
        return next((photo for photo in self.photos if photo["id"] == id_), None)

    def crash(self):
        """The tab ends at once, with nothing said to the page; another stands ready."""
        address = f"http://127.0.0.1:{self.browser.debugging_port}/json/list"
        with urllib.request.urlopen(address) as answer:
            target = next(each for each in json.load(answer) if each["url"] == self.page.url)
        # Playwright itself would wait for the answer of a page that is gone.
        with connect(
                target["webSocketDebuggerUrl"], open_timeout=PATIENCE, close_timeout=0.1) as debugger:
            debugger.send('{"id": 1, "method": "Page.crash"}')
            with contextlib.suppress(Error):
                self.page.wait_for_event("crash")
        ensure(self.page.is_closed() or self._crashed == self.page, "The tab does not crash")
        self.page.close()
        self.page = self.context.new_page()

    def hears_of_the_network(self):
        """Asks for the server at once, as when a connection is back, and does not wait for its next attempt."""
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def slow_down(self, up_per_second=-1):
        """Limits what the page sends, before it reaches the network; nothing limits it no more."""
        if self._debugged is not self.page:
            self._debugged, self._debugger = self.page, self.context.new_cdp_session(self.page)
        self._debugger.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 20 if up_per_second > 0 else 0,
            "downloadThroughput": -1, "uploadThroughput": up_per_second})

    def is_still(self):
        """Nothing has moved on this person's page that they did not move."""
        shift, what = self.page.evaluate("[window.shifts, window.shifted.slice(0, 6)]")
        ensure(shift <= 0.02, f"The layout shifted by {shift:.3f}: {what}")

    def check(self):
        """Nothing on this person's pages was forbidden by the policy or ended in an error."""
        for page in self.context.pages:
            found = page.evaluate("window.violations ?? []")
            ensure(not found, f"The content security policy was violated: {found}")
        ensure(not self.errors, f"The page of {self.name} had errors: {self.errors[:3]}")


class Stage:
    """One album, one browser, and the people of one group of journeys."""

    def __init__(self, browser, album):
        self.browser, self.album, self.people = browser, album, []
        self._host = None

    def guest(self, name="a guest", link=None, album=True, **options):
        """Somebody new who opens the guests' link."""
        person = Person(self.browser, name, **options)
        self.people.append(person)
        return person.open(link or self.album.lan(self.album.guests), album)

    @property
    def host(self):
        """The host, who opened the owner's link."""
        if self._host is None:
            self._host = self.guest("the host", self.album.lan(self.album.owner))
        return self._host

    def leave(self, *people):
        """Checks the pages of these people, or of everyone but the host, and closes them."""
        for person in people or [each for each in self.people if each is not self._host]:
            person.check()
            person.context.close()
            self.people.remove(person)


def stage(**options):
    """A setting for a group: an album with a browser beside it."""
    @contextlib.contextmanager
    def setting():
        with Album(**options) as album, chromium() as browser:
            yield Stage(browser, album)
    return setting
