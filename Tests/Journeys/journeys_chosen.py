"""From a choice to the server: the page ends at any moment, and no photo is lost in silence."""

import contextlib
import hashlib
import os
import random
import re
import signal
import tempfile
from pathlib import Path

import photos
from album import WEB, blob_files
from browser import ARGUMENTS, CHROMIUM, NOTICE, Person, stage
from journey import Failed, Group, ensure, until

group = Group(stage())
COUNT = photos.slices(14, 40)
# The ways in which a page ends: the last one is the browser's own process.
ENDS = ("reload", "close", "crash", "browser")
MOMENTS = photos.slices(12, 160)
# The page's files as `Scripts/web.sh` makes them, and the seeded bug: no name is written before its
# bytes are.
NAMES = "this.#shelf.write((store)=>{for(const row of taken) store.put(row);})"
OWN = "isOurs=(await result(store.get(row.id)))?.file===row.file"

# Whether the page ever shows green while something that was chosen is not safe.
WATCH = """(store) => {
    const line = document.querySelector('p.state');
    window.lies = [];
    const look = () => {
        const { files, keeping, preparing, elsewhere, missing } = store.uploads.state.value;
        if (line.dataset.phase === 'safe'
            && (files.size || keeping || preparing || elsewhere || missing.length))
          window.lies.push([line.innerText, files.size, keeping, preparing, missing.length]);
    };
    new MutationObserver(look).observe(line,
        { attributes: true, childList: true, characterData: true, subtree: true });
    store.uploads.state.subscribe(() => requestAnimationFrame(look)); }"""
# A disk that is as slow as one likes: files stay in the memory of this page until `readOn()`.
HOLD = """() => {
    const { arrayBuffer } = Blob.prototype;
    const held = new Promise((resolve) => { window.readOn = resolve; });
    Blob.prototype.arrayBuffer = async function () {
      await held;
      return arrayBuffer.call(this);
    }; }"""
# How LevelDB writes a log: https://github.com/google/leveldb/blob/main/doc/log_format.md
BLOCK, HEAD = 32_768, 7


def records_of(log):
    """The records of a LevelDB log: where the head of each stands, and the length of what follows it."""
    data, at = log.read_bytes(), 0
    while at + HEAD <= len(data):
        left = BLOCK - at % BLOCK
        if left < HEAD:
            at += left
            continue
        length = int.from_bytes(data[at + 4:at + 6], "little")
        if not length and not data[at + 6]:
            # What was made room for, and not written yet.
            break
        yield at, length
        at += HEAD + length


class Profile:
    """A browser of its own, whose process can be killed: what it had on disk is there again."""

    def __init__(self, maker, folder):
        self.maker, self.folder = maker, folder

    def new_context(self, **options):
        return self.maker.launch_persistent_context(
            self.folder, executable_path=CHROMIUM, args=ARGUMENTS, **options)

    def kill(self):
        """Kills the browser, and returns when nothing of it holds the profile any more."""
        for process, line in self._processes():
            if b"--type=" not in line:
                os.kill(process, signal.SIGKILL)
        until(lambda: not list(self._processes()), "Parts of a killed browser stay")
        for log in self.logs():
            heads = list(records_of(log))
            if heads and sum(heads[-1]) + HEAD > log.stat().st_size:
                os.truncate(log, heads[-1][0])

    def logs(self):
        """The logs of its databases. A record that a kill has cut is no page's concern: Chromium writes behind it,
        and at the start after the next one it deletes the whole database for it."""
        return [file for folder in Path(self.folder).glob("Default/IndexedDB/*.leveldb")
                for pattern in ("*.log", "MANIFEST-*") for file in folder.glob(pattern)]

    def _processes(self):
        """The processes of this browser, with their command lines."""
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                line = (process / "cmdline").read_bytes()
                if f"--user-data-dir={self.folder}".encode() in line:
                    yield int(process.name), line


def choice(folder, seed, count=COUNT, size=120_000):
    """So many photos that nobody else has: their files."""
    base = photos.unique_file(26).read_bytes()
    noise = random.Random(seed)
    files = []
    for number in range(count):
        data = photos.commented(base, noise.randbytes(32))
        file = Path(folder) / f"{seed}-{number:02}.jpg"
        file.write_bytes(data + bytes(max(0, size - len(data))))
        # As a camera's: a date of just now would be the browser's.
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
        files.append(file)
    return files


def hash_of(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def missing(person):
    return person.store("""(store) =>
        store.uploads.state.value.missing.map((row) => row.about.fileName)""")


def named(person):
    """The names that the card of missing photos shows, where it is shown."""
    card = person.page.locator("section.card")
    return [line.strip("\u2068\u2069") for line in card.locator("bdi").all_inner_texts()
            ] if card.is_visible() else []


def back(person, address):
    """The page again, after its end; what the browser forgot of its membership is asked anew."""
    person.page.goto(address.split("#")[0])
    person.page.locator("album-page h1, .stand-in").first.wait_for()
    if person.page.locator(".stand-in").count():
        person.page.goto("about:blank")
        person.page.goto(address)
    person.page.locator("album-page h1").wait_for()
    person.store(WATCH)


def end(person, how):
    """Ends a page in one of the ways, without a word to it."""
    if how == "reload":
        person.page.reload(wait_until="commit")
    elif how == "close":
        person.page.close()
        person.page = person.context.new_page()
    elif how == "crash":
        person.crash()
    else:
        person.browser.kill()
        with contextlib.suppress(Exception):
            person.context.close()
        return Person(person.browser, person.name)
    return None


def told_by(person):
    """What the page shows and its disk has, for whoever looks for the reason."""
    return person.page.evaluate("""() => document.querySelector('album-page').store.replica.database.run(
        ['uploads'], 'readonly', (store) => new Promise((resolve) => {
            store('uploads').getAll().onsuccess = ({ target }) => resolve(JSON.stringify(
                { uploads: target.result.map(({ use, about }) => [use, about?.fileName]),
                  page: document.body.innerText.slice(0, 300) })); }))""")


def lost(album, person, files):
    """Of the chosen files, those that are neither at the server nor named as missing."""
    there, told = blob_files(album.folder), named(person)
    return [file.name for file in files if hash_of(file) not in there and file.name not in told]


def one(stage, person, how, files, after):
    """A choice whose page ends `after` milliseconds; gives the person, how it stood and what is lost."""
    address = stage.album.lan(stage.album.guests)
    person.store(WATCH)
    person.add(*files)
    person.pause(after / 1000, "the page ends while it reads, keeps or sends")
    before = person.store("(store) => ({ ...store.standing, lies: window.lies })")
    ensure(not before["lies"], f"Green, and not safe: {before['lies'][:3]}")
    person = end(person, how) or person
    back(person, address)
    person.until("(store) => store.standing.phase === 'online'", "The page did not connect")
    person.is_settled()
    person.wait(lambda: named(person) == missing(person), "The missing ones are not shown")
    lies = person.page.evaluate("window.lies")
    ensure(not lies, f"Green after {how}, and not safe: {lies[:3]}")
    return person, before, lost(stage.album, person, files)


@contextlib.contextmanager
def guests_of(stage, spoil=None):
    """Two browsers, one of which can be killed; `spoil` is done to their contexts first."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Profile(stage.browser.maker, folder)
        people = {}
        for how, browser in (("tab", stage.browser), ("browser", profile)):
            people[how] = Person(browser, f"Ada ({how})")
            if spoil:
                spoil(people[how].context)
            people[how].open(stage.album.lan(stage.album.guests))
        try:
            yield people
        finally:
            for person in people.values():
                with contextlib.suppress(Exception):
                    person.context.close()


def length_of(stage, person, folder):
    """How long this machine takes to read them, in milliseconds."""
    files = choice(folder, "first")
    person.page.evaluate("""() => { const { store } = document.querySelector('album-page');
        window.took = new Promise((done) => { let begun;
            store.uploads.state.subscribe(({ preparing }) => {
                if (preparing) begun ??= performance.now();
                else if (begun) done(performance.now() - begun); }); }); }""")
    person.add(*files)
    took = person.page.evaluate("window.took")
    person.is_settled()
    ensure(not lost(stage.album, person, files), "Without an end not all arrive")
    return took


@group.journey(f"however a page ends while {COUNT} photos are read, none is lost in silence, "
               f"{MOMENTS} times")
def ends(stage):
    noise = random.Random(2026)
    totals = {"server": 0, "missing": 0, "unwritten": 0}
    with guests_of(stage) as people, tempfile.TemporaryDirectory() as folder:
        took = length_of(stage, people["tab"], folder)
        for number in range(MOMENTS):
            how = ENDS[number % len(ENDS)]
            who = "browser" if how == "browser" else "tab"
            # The first of each kind at once; the others at any moment until all are read.
            after = 0 if number < len(ENDS) else noise.uniform(0, took)
            files = choice(folder, f"{how}-{number}")
            people[who], before, gone = one(stage, people[who], how, files, after)
            # A killed machine may not have the names on its disk yet: then it has none of them.
            if how == "browser" and before["keeping"] == COUNT == len(gone):
                totals["unwritten"] += COUNT
                continue
            if gone:
                raise Failed(f"{how} after {after:.0f} ms, {before['keeping']} of them unread: {len(gone)} of {COUNT} "
                             f"are lost in silence, {gone[:5]}; before it {before}, then {told_by(people[who])}")
            totals["missing"] += len(named(people[who]))
            totals["server"] += COUNT - len(named(people[who]))
            if named(people[who]):
                people[who].page.get_by_role("button", name="Do without").click()
                people[who].wait(lambda: not missing(people[who]), "They cannot be done without")
    print(f"    {MOMENTS} ends{'' if MOMENTS > 100 else ' (a slice; REUNION_FAULTS=full for 160)'}"
          f" within {took:.0f} ms of reading: of {MOMENTS * COUNT} photos {totals['server']} are "
          f"at the server, {totals['missing']} are named as missing, {totals['unwritten']} were "
          "chosen so shortly before a kill of the browser that it had no name of them; none lost",
          flush=True)


@group.journey("the count of lost photos notices where no name is written (negative control)")
def control(stage):
    source = (WEB / "reunion/uploads/reading.js").read_text()
    ensure(NAMES in source and OWN in source, "The module is another: the control controls nothing")
    spoiled = source.replace(NAMES, "Promise.resolve()").replace(OWN, "isOurs=true")

    def spoil(context):
        context.route("**/reunion/uploads/reading.js", lambda route: route.fulfill(
            body=spoiled, content_type="text/javascript"))
    with guests_of(stage, spoil) as people, tempfile.TemporaryDirectory() as folder:
        for how in ENDS[:3]:
            files = choice(folder, f"control-{how}")
            people["tab"].page.evaluate(HOLD)
            people["tab"], _, gone = one(stage, people["tab"], how, files, 0)
            ensure(gone, f"Nothing is written before a {how}, and nothing is noticed")


def dot(person):
    return person.page.locator("p.state").get_attribute("data-phase")


@group.journey("what is missing is named with its day, and is there once it is chosen again")
def again(stage):
    address = stage.album.lan(stage.album.guests)
    with tempfile.TemporaryDirectory() as folder:
        ada = stage.guest("Ada", color_scheme="dark")
        files = choice(folder, "again", 4)
        ada.page.evaluate(HOLD)
        ada.add(*files)
        ada.wait(lambda: ada.state == "Keep this page open. It is still reading 4 photos.",
                 lambda: f"The page says “{ada.state}”")
        ensure(dot(ada) == "keeping", "The dot is green while bytes are only in memory")
        # Beside what others added before.
        names = {file.name for file in files}
        ada.wait(lambda: ada.tiles.count() >= 4 == sum(
            bool(photo.get("isArriving")) or photo.get("fileName") in names for photo in ada.photos),
                 "Not all that was chosen stands on the screen")
        ada.crash()
        back(ada, address)
        ada.wait(lambda: named(ada) == [file.name for file in files],
                 lambda: f"{named(ada)} are named as missing")
        ada.wait(lambda: ada.state == "4 photos that you chose are missing.",
                 lambda: f"The page says “{ada.state}”")
        ensure(dot(ada) == "missing", "The dot is green while photos are missing")
        card = ada.page.locator("section.card")
        ensure("Nov 1" in card.inner_text(), f"No day helps to find them: {card.inner_text()}")
        # The button opens the dialog for files, which a journey gives what it asks for.
        with ada.page.expect_file_chooser() as chooser:
            card.get_by_role("button", name="Choose photos").click()
        chooser.value.set_files([str(file) for file in files[1:]])
        ada.is_settled()
        ensure(not lost(stage.album, ada, files), "What was chosen again is not there")
        ada.wait(lambda: named(ada) == [files[0].name], lambda: f"{named(ada)} stay missing")
        mine = [photo for photo in ada.photos if photo["fileName"] in {each.name for each in files}]
        ensure(len(mine) == 3, f"{len(mine)} photos were made of three")
        # The choice is remembered across a start, and so is that the person does without.
        ada.page.reload()
        ada.wait(lambda: named(ada) == [files[0].name], "It is forgotten what is missing")
        card.get_by_role("button", name="Do without").click()
        card.wait_for(state="hidden")
        ada.wait(lambda: dot(ada) == "safe", "The dot does not turn green")
        ada.page.reload()
        ada.page.locator("album-page h1").wait_for()
        ada.wait(lambda: dot(ada) == "safe", "What was done without comes back")
        ensure(not named(ada), f"{named(ada)} are named again")
        stage.leave(ada)


@group.journey("the page asks before it is left while bytes are only in memory, and not afterwards")
def asks(stage):
    with tempfile.TemporaryDirectory() as folder:
        ada = stage.guest("Ada")
        asked = []

        def answer(dialog):
            asked.append(dialog.type)
            dialog.dismiss()
        ada.page.on("dialog", answer)
        # Browsers ask only for pages that somebody has touched.
        ada.page.locator("h1").click()
        ada.page.evaluate(HOLD)
        ada.add(*choice(folder, "asks", 1))
        # The answer is to stay, so that nothing is to be waited for.
        ada.page.evaluate("setTimeout(() => location.reload())")
        ada.wait(lambda: asked == ["beforeunload"], lambda: f"It asks {asked}")
        ada.page.evaluate("window.readOn()")
        ada.wait(lambda: not ada.standing["keeping"], lambda: f"It reads no more: {ada.standing}")
        ada.page.reload()
        ada.page.locator("album-page h1").wait_for()
        ensure(len(asked) == 1, "It asks while all that was chosen is kept")
        ensure(not missing(ada), f"{missing(ada)} are missing")
        ada.is_settled()
        stage.leave(ada)


@group.journey("another page of the album tells that a choice is being read, and that it is lost")
def elsewhere(stage):
    with tempfile.TemporaryDirectory() as folder:
        ada = stage.guest("Ada")
        files = choice(folder, "elsewhere", 3)
        ada.page.evaluate(HOLD)
        ada.add(*files)
        other = ada.context.new_page()
        other.goto(stage.album.lan(stage.album.guests).split("#")[0])
        line = other.locator("p.state")
        line.get_by_text("Another page of this album is reading 3 photos. Keep it open.").wait_for()
        ensure(line.get_attribute("data-phase") == "keeping", "The other page is green")
        ada.page.close()
        ada.page = other
        ada.wait(lambda: named(ada) == [file.name for file in files], "They are not named")
        ensure(dot(ada) == "missing", "The page is green")
        ada.page.get_by_role("button", name="Do without").click()
        ada.wait(lambda: dot(ada) != "missing", "They cannot be done without")
        stage.leave(ada)


@group.journey("a browser that deleted what it kept says so, and what is chosen again arrives")
def emptied(stage):
    address = stage.album.lan(stage.album.guests)
    with tempfile.TemporaryDirectory() as folder:
        profile, files = Profile(stage.browser.maker, folder), choice(folder, "emptied", 3)
        Person(profile, "Ada").open(address).context.close()
        # As a kill between two writes leaves it.
        log = max((log for log in profile.logs() if log.suffix == ".log"), key=lambda log: log.stat().st_mtime)
        with log.open("ab") as writing:
            writing.write(b"\x11\x22\x33\x44\x40\x00\x01")
        ada = Person(profile, "Ada")
        ada.context.route(re.compile(r"(?<!/reunion)/uploads([?/]|$)"), lambda route: route.abort())
        back(ada, address)
        ada.add(*files)
        ada.has_entered(len(files))
        ada.until("(store) => !store.standing.records", "The records do not arrive")
        ensure(len(lost(stage.album, ada, files)) == len(files), "Photos arrive though nothing is sent")
        ada.context.close()
        ada = Person(profile, "Ada")
        back(ada, address)
        ada.holds(NOTICE)
        ada.notice("This browser lost what it kept here.")
        ensure(ada.standing["photos"] == 0, "The browser has kept them: the journey shows nothing")
        names = {file.name for file in files}
        ada.wait(lambda: sum(photo["fileName"] in names for photo in ada.photos) == len(files),
                 "Their records do not come back")
        ensure("safe" not in ada.state, f"The page says “{ada.state}” of photos whose bytes are nowhere")
        ada.add(*files)
        ada.notice("are here already.")
        ada.is_settled()
        ensure(not lost(stage.album, ada, files), "What was chosen again is said to be here, and is not")
        mine = [photo for photo in ada.photos if photo["fileName"] in names]
        ensure(len(mine) == len(files), f"{len(mine)} photos were made of {len(files)}")
        ada.wait(lambda: ada.state == f"Your {len(files)} photos are safe on the server.",
                 lambda: f"The page says “{ada.state}”")
        ada.context.close()


# A database that is away, as while WebKit's process of it starts again: `isAway`, and how often it was `asked`.
AWAY = """(() => {
    window.asked = 0;
    const fault = () => new DOMException('Connection to Indexed Database server lost.', 'UnknownError');
    const { transaction } = IDBDatabase.prototype;
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (...about) {
      if (!window.isAway) return open.apply(this, about);
      window.asked += 1;
      const request = {};
      setTimeout(() => { request.error = fault(); request.onerror({ target: request }); });
      return request;
    };
    IDBDatabase.prototype.transaction = function (...about) {
      if (window.isAway) { window.asked += 1; throw fault(); }
      return transaction.apply(this, about);
    }; })()"""


@group.journey("while the browser's database is away no photo is forgotten, and nothing else is said")
def away(stage):
    with tempfile.TemporaryDirectory() as folder:
        files = choice(folder, "away", 3)
        ada = Person(stage.browser, "Ada")
        stage.people.append(ada)
        ada.context.add_init_script(AWAY)
        ada.open(stage.album.lan(stage.album.guests))
        ada.page.evaluate("window.isAway = true")
        ada.add(*files)
        # Beyond the one try that there once was.
        ada.wait(lambda: ada.page.evaluate("window.asked") > 5, "The page does not ask again")
        ensure(ada.page.locator(".notice", has_text="room").count() == 0, "It is told of no room")
        ensure(ada.state.startswith("Keep this page open."), f"The page says “{ada.state}”")
        ada.page.evaluate("window.isAway = false")
        ada.is_settled()
        ensure(not lost(stage.album, ada, files), "Photos are forgotten")
        ensure(not missing(ada), "Photos are missing")
        stage.leave(ada)


@group.journey("a proxy that refuses what is large is named after three tries, and a click tries at once")
def refused_on_the_way(stage):
    with tempfile.TemporaryDirectory() as folder:
        file, = choice(folder, "proxy", 1)
        ada = stage.guest("Ada")
        sent = []

        def refuse(route):
            if route.request.method != "PATCH":
                return route.continue_()
            sent.append(route.request.url)
            return route.fulfill(status=413, content_type="text/html", body="<h1>413 Request Entity Too Large</h1>")
        ada.context.route(re.compile(r"(?<!/reunion)/uploads/"), refuse)
        ada.add(file)
        note = ada.page.locator(".notice", has_text="refuses files as large as")
        note.wait_for()
        ada.wait(lambda: ada.state.endswith("on this phone: something stands in the way."),
                 lambda: f"The page says “{ada.state}”")
        ensure(note.count() == 1, "It is told more than once")
        before = len(sent)
        ensure(before <= 6, f"{before} tries before it is told")
        ada.context.unroute(re.compile(r"(?<!/reunion)/uploads/"))
        note.get_by_role("button", name="Try again").click()
        ada.is_settled()
        ensure(not lost(stage.album, ada, [file]), "It does not go on")
        stage.leave(ada)


@group.journey("a file that is chosen twice is one photo, at once, later and after a restart")
def twice(stage):
    with tempfile.TemporaryDirectory() as folder:
        ada = stage.guest("Ada")
        ada.holds(NOTICE)
        before = len(ada.photos)
        file, = choice(folder, "twice", 1)
        copy = Path(folder) / "a copy.jpg"
        copy.write_bytes(file.read_bytes())
        ada.add(file, copy)
        ada.notice("“\u2068a copy.jpg\u2069” is here already.")
        ada.is_settled()
        ensure(len(ada.photos) == before + 1, "A choice of one file twice is two photos")
        ada.add(file)
        ada.notice("is here already.")
        ada.page.reload()
        ada.page.locator("album-page h1").wait_for()
        ada.holds(NOTICE)
        ada.add(copy)
        ada.notice("is here already.")
        ada.context.set_offline(True)
        ada.until("(store) => store.standing.phase === 'offline'", "The page does not notice")
        another, = choice(folder, "offline", 1)
        ada.add(another, another)
        ada.notice("is here already.")
        ada.context.set_offline(False)
        ada.is_settled()
        ensure(len(ada.photos) == before + 2, f"{len(ada.photos) - before} photos were made of two")
        # One that was deleted may come again.
        photo = next(each for each in ada.photos if each["fileName"] == file.name)
        ada.store("(store, id) => store.delete(store.photo(id))", photo["id"])
        ada.add(file)
        ada.is_settled()
        ada.wait(lambda: len(ada.photos) == before + 2, "What was deleted cannot be added again")
        stage.leave(ada)


@group.journey("eight files that are no pictures are one notice")
def no_pictures(stage):
    with tempfile.TemporaryDirectory() as folder:
        ada = stage.guest("Ada")
        files = []
        for number in range(8):
            files.append(Path(folder) / f"letter {number}.jpg")
            files[-1].write_text(f"Dear all, this is no picture, and letter {number}.\n" * 40)
        ada.add(*files)
        note = ada.page.locator(".notice", has_text="and 5 more were not added.")
        note.wait_for()
        ensure(ada.page.locator(".notice").count() == 1,
               f"{ada.page.locator('.notice').count()} notices tell of eight files")
        print(f"    {note.locator('p').inner_text()}", flush=True)
        ada.is_settled()
        stage.leave(ada)
