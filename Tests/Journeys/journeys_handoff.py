"""The hand-off between pages of one album, and pages of the web that pretend to be one.

The whole way of a phone to the album's new address is among the journeys of a clone.
"""

import contextlib
import functools
import http.server
import json
import secrets
import tempfile
import threading
from pathlib import Path

from album import WEB
from browser import stage
from journey import Failed, Group, ensure

group = Group(stage())

# A page of a stranger: it opens a link of the album, and says all that comes to its mind.
HOSTILE = """<!doctype html><title>Kittens</title><script>
window.heard = [];
addEventListener('message', ({ data }) => heard.push(data));
window.attack = (link, messages) => {
  window.there = open(link);
  setInterval(() => messages.forEach((each) => there.postMessage(each, '*')), 100);
};
window.frame = (link) => {
  const frame = document.createElement('iframe');
  frame.src = link;
  document.body.append(frame);
};
</script><body>"""
# Where the page checks, as `Scripts/web.sh` leaves it, and the seeded bugs that leave it out.
BUGS = {
    "whoever speaks is asked about": ("||secret!==this.#hears.secret", ""),
    "nobody is asked": ("await this.#ask({origin,files,changes:Number(changes)})", "true"),
    "a ticket is not looked at": ("&&data.ticket===this.#ticket", ""),
    "a ticket is good for ever": ("this.#phase='over';", ""),
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and says nothing of it."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def strangers():
    """A server of another origin; gives its address."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "index.html").write_text(HOSTILE)
        Path(folder, "sandboxed.html").write_text(
            "<iframe src='/index.html' sandbox='allow-scripts allow-popups "
            "allow-popups-to-escape-sandbox'></iframe>")
        handler = functools.partial(Quiet, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()


def written(caption):
    """The messages of somebody who writes at once, without being asked for it."""
    writes = [{"entity": "photo", "id": secrets.token_hex(16), "alive": True, "creates": True,
               "values": {"caption": caption}}]
    return [{"word": "reunion-handoff", "step": "writes", "writes": writes},
            {"word": "reunion-handoff", "step": "photo", "row": {"id": "x", "use": "original"}},
            {"word": "reunion-handoff", "step": "end"}]


def offer(secret, space):
    return {"word": "reunion-handoff", "step": "offer", "secret": secret, "space": space,
            "photos": 1, "changes": 1}


class Attack:
    """A stranger's page in the browser of a guest, and the page of the album that it opened."""

    def __init__(self, person, address, link, messages, bug=None):
        self.person, self.page = person, person.context.new_page()
        if bug:
            before, after = BUGS[bug]
            source = (WEB / "reunion/person/receive-handoff.js").read_text()
            ensure(before in source, f"The module is another: “{bug}” controls nothing")
            person.context.route("**/reunion/person/receive-handoff.js", lambda route: route.fulfill(
                body=source.replace(before, after), content_type="text/javascript"))
        self.page.goto(address)
        self.frame = self.page.frames[-1]
        with person.context.expect_page() as opened:
            self.frame.evaluate("([link, messages]) => attack(link, messages)", [link, messages])
        self.album = opened.value
        self.album.locator("album-page h1").wait_for()
        self.album.wait_for_function(
            "() => document.querySelector('album-page').store.standing.phase === 'online'")
        # Where it takes over, it listens once this module is there.
        self.album.evaluate("""async () => {
            await import('/take-over.js');
            window.count = 0;
            addEventListener('message', () => { window.count += 1; }); }""")
        self.round, self.marks = len(messages), 0
        self.settle()

    @property
    def heard(self):
        return self.frame.evaluate("heard.filter(({ mark }) => !mark)")

    @property
    def captions(self):
        return self.album.evaluate("""() => document.querySelector('album-page').store.replica
            .records('photo').map(({ caption }) => caption)""")

    def say(self, messages):
        self.frame.evaluate("(all) => all.forEach((each) => there.postMessage(each, '*'))", messages)
        self.settle()

    def settle(self):
        """Waits until the album's page has heard what was said, and written what it takes of it, and until
        the stranger has heard its answer."""
        # The stranger says all of it again and again: after two rounds what came before is heard.
        self.album.evaluate("""async (more) => {
            const wanted = window.count + more;
            while (window.count < wanted) await new Promise((resolve) => setTimeout(resolve, 20));
            await document.querySelector('album-page').store.replica.transaction(() => {}); }""",
            2 * self.round)
        # What the page has answered before arrives before this.
        self.marks += 1
        self.album.evaluate("(mark) => opener.postMessage({ mark }, '*')", self.marks)
        self.frame.wait_for_function("(mark) => heard.some((each) => each.mark === mark)", arg=self.marks)

    def asked(self):
        return self.album.get_by_role("button", name="Take over").count() > 0

    def close(self):
        self.person.context.unroute_all()
        self.album.close()
        self.page.close()


def space_of(person):
    return person.store("(store) => store.replica.space")


@contextlib.contextmanager
def attack(stage, person, page, link, secret, bug=None):
    with strangers() as address:
        attacker = Attack(person, address + page, link,
                          [offer(secret, space_of(person)), *written("Forged")], bug)
        try:
            yield attacker
        finally:
            attacker.close()


def ignored(stage, person, page, link, secret, bug=None):
    with attack(stage, person, page, link, secret, bug) as it:
        ensure(not it.heard, f"A stranger is told {it.heard}")
        ensure(not it.asked(), "The person is asked about a stranger")
        ensure("Forged" not in it.captions, "A stranger wrote into the album")


def asks_first(stage, person, bug=None):
    link = stage.album.lan(stage.album.guests)
    with attack(stage, person, "/", link, link.split("#")[1], bug) as it:
        ensure("Forged" not in it.captions, "It is written before the person agreed")
        ensure(it.asked(), "The person is not asked")
        person.wait(lambda: [each["step"] for each in it.heard] == ["asking"],
                    lambda: f"It is told {it.heard}")
        it.album.get_by_role("button", name="Leave it there").click()
        person.wait(lambda: it.heard[-1]["step"] == "declined", lambda: f"It is told {it.heard}")
        it.settle()
        ensure("Forged" not in it.captions, "It is written after the person said no")
        ensure("ticket" not in json.dumps(it.heard), f"It is told {it.heard}")


def once(stage, person, bug=None):
    link = stage.album.lan(stage.album.guests)
    with attack(stage, person, "/", link, link.split("#")[1], bug) as it:
        it.album.get_by_role("button", name="Take over").click()
        person.wait(lambda: any(each["step"] == "take" for each in it.heard),
                    lambda: f"It is told {it.heard}")
        it.settle()
        ensure("Forged" not in it.captions, "It is written without a ticket")
        ticket = next(each["ticket"] for each in it.heard if each["step"] == "take")
        it.say([{**each, "ticket": ticket} for each in written("Agreed") if each["step"] != "photo"])
        person.wait(lambda: it.heard[-1]["step"] == "done", lambda: f"It is told {it.heard}")
        ensure("Agreed" in it.captions, "What the person agreed to was not written")
        it.say([{**each, "ticket": ticket} for each in written("Forged")])
        ensure("Forged" not in it.captions, "A second message after the end is written")
    person.store("""(store) => store.replica.transaction((t) => {
        for (const photo of store.replica.records('photo')) t.delete(photo); })""")


@group.journey("a page of the web that opens the album is told nothing, and writes nothing")
def strangers_page(stage):
    eve = stage.guest("Eve")
    plain = stage.album.lan(stage.album.guests)
    fragment = plain.split("#")[1]
    own = plain.split("#")[0]
    for page, link, secret in [
            ("/", own, None), ("/", own, fragment), ("/", f"{own}#join=x", "join=x"),
            ("/", plain, "join=x"), ("/sandboxed.html", plain, fragment)]:
        ignored(stage, eve, page, link, secret)
    with strangers() as address:
        page = eve.context.new_page()
        page.goto(address)
        page.evaluate("(link) => frame(link)", plain)
        eve.wait(lambda: eve.errors, "Nobody refuses the frame")
        ensure(not any(each.locator("album-page").count() for each in page.frames),
               "A stranger's page shows the album in a frame")
        page.close()
    refused, eve.errors = eve.errors, []
    ensure(all("frame-ancestors" in each for each in refused), f"The page had errors: {refused}")
    stage.leave(eve)


@group.journey("an album's page asks before it takes anything, and takes it once")
def asks(stage):
    eve = stage.guest("Eve")
    asks_first(stage, eve)
    once(stage, eve)
    stage.leave(eve)


@group.journey("every hole in the hand-off is found (negative control)")
def holes(stage):
    eve = stage.guest("Eve")
    link = stage.album.lan(stage.album.guests)
    # Each with what is to be said of it: another failure is not that it was found.
    tries = {
        "whoever speaks is asked about": (
            lambda bug: ignored(stage, eve, "/", link, "x", bug), "A stranger is told"),
        "nobody is asked": (lambda bug: asks_first(stage, eve, bug), "The person is not asked"),
        "a ticket is not looked at": (
            lambda bug: once(stage, eve, bug), "It is written without a ticket"),
        "a ticket is good for ever": (
            lambda bug: once(stage, eve, bug), "A second message after the end is written"),
    }
    caught = 0
    for bug, (attempt, words) in tries.items():
        said = "nothing"
        try:
            attempt(bug)
        except Failed as failed:
            said = str(failed)
        if words in said:
            caught += 1
        else:
            print(f"    not caught: {bug}, but: {said}")
        eve.store("""(store) => store.replica.transaction((t) => {
            for (const photo of store.replica.records('photo')) t.delete(photo); })""")
    ensure(caught == len(BUGS), f"caught {caught} / {len(BUGS)}")
    print(f"    holes in the hand-off: caught {caught} / {len(BUGS)}")
    stage.leave(eve)
