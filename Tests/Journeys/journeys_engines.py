"""The apps in Firefox and in WebKit, the engine of Safari, on plain HTTP: `make engines`."""

import contextlib
import hashlib
import itertools
import socket
import sys

import engines
import photos
import word_race
from album import Album, blob_files
from journey import Group, ensure, until
from journeys_quakes import SAMPLE
from program import Program
from quake_feed import FeedServer, atom
from quakes import Quakes
from sudoku import EASY, EMPTY, SOLUTION
from sudoku import PROGRAM as SUDOKU

# What a page's store and pictures are asked.
STORE = "document.querySelector('album-page').store"
MINE = "(store) => store.photos.findLast((photo) => photo.creator === store.member.device).id"
_SHOWN = """() => [...document.querySelectorAll('photo-grid img')]
    .filter((image) => image.complete && image.naturalWidth > 0).length"""


def this_machine():
    """The address under which others reach this machine: no secure context, as on a LAN."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return probe.getsockname()[0]


class Person:
    """Somebody with another browser."""

    def __init__(self, engine):
        self.engine, self.name = engine, engine.name
        self.page = self

    def screenshot(self, path):
        self.engine.screenshot(path)

    def ask(self, script, *arguments):
        return self.engine.evaluate(script, *arguments)

    def store(self, script):
        return self.ask(f"() => ({script})({STORE})")

    def waits(self, check, what):
        return until(check, lambda: f"{what() if callable(what) else what}, in {self.name}")

    def open(self, link):
        self.engine.open(link)
        self.waits(lambda: self.ask(
            "() => document.querySelector('album-page')?.store?.standing?.phase === 'online'"),
            "The album does not open")
        ensure(not self.ask("() => isSecureContext"), "The page is in a secure context")

    def sees(self, count):
        self.waits(lambda: self.store("(store) => store.photos.length") == count
                   and self.ask(_SHOWN) == count, f"There are no {count} photos with pictures")

    def is_settled(self):
        self.waits(lambda: self.store("""(store) => { const { photos, records, preparing } =
            store.standing; return !photos && !records && !preparing; }"""),
            "Something stays only here")

    def press(self, name, within="document"):
        """Presses the button of that name, where it is to be seen."""
        self.waits(lambda: self.ask("""(name, within) => {
            const root = within === 'document' ? document : document.querySelector(within);
            const button = [...root?.querySelectorAll('button') ?? []].find((each) =>
              each.checkVisibility() && !each.disabled
              && (each.getAttribute('aria-label') ?? each.textContent).split(',')[0].trim() === name);
            button?.click(); return !!button; }""", name, within), f"There is no button “{name}”")

    def view(self, photo):
        self.ask("""(id) => {
            const index = """ + STORE + """.photos.findIndex((photo) => photo.id === id);
            document.querySelector(`photo-grid li[aria-posinset='${index + 1}'] button`).click(); }""",
            photo)

    def caption(self, photo, text):
        self.view(photo)
        self.engine.type("dialog.viewer textarea", text)
        self.close_viewer()

    def close_viewer(self):
        self.press("Close", "dialog.viewer")
        # The entry of history that "back" would take goes a moment later.
        self.waits(lambda: self.ask("() => !history.state?.photo"), "The viewer stays")

    def photo(self, photo):
        return self.ask(f"(id) => ({{...{STORE}.photo(id)}})", photo)


class Stage:
    """One album, and somebody with each engine."""

    def __init__(self, album, people):
        self.album, self.people = album, people

    def has(self, file):
        """Waits until the server holds a photo's original."""
        wanted = hashlib.sha256(file.read_bytes()).hexdigest()
        until(lambda: wanted in blob_files(self.album.folder),
              "The wall does not send what waits")


@contextlib.contextmanager
def setting():
    with contextlib.ExitStack() as stack:
        album = stack.enter_context(Album(host=this_machine()))
        people = []
        for kind in (engines.Firefox, engines.WebKit):
            person = Person(kind())
            stack.callback(person.engine.close)
            person.engine.resize(390, 844)
            people.append(person)
        yield Stage(album, people)


group = Group(setting)


@group.journey("Firefox and WebKit join on plain HTTP, and each sees the photos of both")
def share(stage):
    files = photos.twelve()
    for person in stage.people:
        person.open(stage.album.guests)
    for person, mine in zip(stage.people, (files[:6], files[6:])):
        person.engine.choose("input[type=file]", mine)
    for person in stage.people:
        person.is_settled()
        person.sees(12)
    for person in stage.people:
        sizes = person.store(
            "(store) => store.photos.map((photo) => [photo.fileName, Number(photo.width), Number(photo.height)])")
        ensure({(name, (width, height)) for name, width, height in sizes}
               == {(file.name, photos.upright_size(file)) for file in files},
               f"The photos are not upright in {person.name}: {sizes}")


@group.journey("captions, hearts and a rotation cross from one engine to the other")
def words(stage):
    for writer, reader in (stage.people, reversed(stage.people)):
        photo = writer.store(MINE)
        writer.caption(photo, f"Grüße von {writer.name}")
        writer.view(photo)
        writer.press("Give a heart", "dialog.viewer")
        writer.press("Crop and rotate", "dialog.viewer")
        writer.waits(lambda: writer.ask(
            "() => document.querySelector('dialog.editor img')?.naturalWidth > 0"), "No editor")
        writer.press("Rotate right", "dialog.editor")
        writer.press("Done", "dialog.editor")
        writer.waits(lambda: not writer.ask("() => history.state?.editor"), "The editor stays")
        writer.close_viewer()
        before = writer.photo(photo)
        size = [int(before["height"]), int(before["width"])]
        for person in (writer, reader):
            person.waits(lambda: person.photo(photo)["caption"] == f"Grüße von {writer.name}",
                         "The caption does not come")
            person.waits(lambda: person.ask(f"(id) => {STORE}.hearts({STORE}.photo(id)).count", photo)
                         == 1, "The heart does not come")
            person.waits(lambda: [person.photo(photo).get("shown", {}).get(side)
                                  for side in ("width", "height")] == size,
                         "The rotation does not come")
    for person in stage.people:
        person.is_settled()
        person.sees(12)


@group.journey("what is done while the server is away arrives, and outlives the page")
def away(stage):
    album = stage.album
    album.stop()
    late = photos.orientation(2)
    for person in stage.people:
        person.waits(lambda: person.store("(store) => store.standing.phase") != "online",
                     "The page does not notice")
        photo = person.store(MINE)
        person.caption(photo, f"Written away by {person.name}")
        person.engine.choose("input[type=file]", [late])
        person.waits(lambda: person.store("(store) => store.photos.length") == 13,
                     "The photo does not stand at once")
    album.start()
    for person in stage.people:
        person.open(album.guests.split("#")[0])
        person.sees(14)
        person.is_settled()
    for person in stage.people:
        person.waits(lambda: person.store("""(store) => store.photos.map((photo) => photo.caption)
            .filter((caption) => caption?.includes('Written away by')).length""") == 2,
            "Not both captions are there")


@group.journey("a photo that the next page sent is there for the page that one goes back to")
def back(stage):
    for person, file in zip(stage.people, (photos.orientation(4), photos.orientation(7))):
        person.open(stage.album.guests.split("#")[0])
        count = person.store("(store) => store.photos.length")
        # It waits while the album stands, and is sent by the wall.
        person.store("(store) => { store.uploads.isOnline = () => false; }")
        stage.album.stop()
        person.engine.choose("input[type=file]", [file])
        person.waits(lambda: person.store("(store) => store.photos.length") == count + 1,
                     "The photo does not stand at once")
        stage.album.start()
        person.engine.open(stage.album.guests.split("#")[0] + "wall")
        stage.has(file)
        person.ask("() => { history.back(); }")
        person.waits(lambda: person.ask("() => !!document.querySelector('photo-grid')"),
                     "Back leads nowhere")
        person.sees(count + 1)
        person.is_settled()
    for person in stage.people:
        person.open(stage.album.guests.split("#")[0])
        person.sees(count + 1)


@group.journey("the wall and the map stand in both engines")
def others(stage):
    for person in stage.people:
        person.engine.open(stage.album.guests.split("#")[0] + "wall")
        person.waits(lambda: person.ask(
            "() => [...document.images].some((image) => image.complete && image.naturalWidth > 0)"),
            "The wall shows no photo")
        with (contextlib.closing(FeedServer(atom(SAMPLE))) as feed,
              Quakes(feed.address, host=this_machine()) as quakes):
            person.engine.open(quakes.link)
            person.waits(lambda: person.ask(
                "() => document.querySelector('quake-map')?.dots?.length") == 6,
                "The map does not show all quakes")
            person.waits(lambda: person.ask("""() => {
                const canvas = document.querySelector('quake-map canvas');
                const { data } = canvas.getContext('2d')
                  .getImageData(0, 0, canvas.width, canvas.height);
                const found = new Set();
                for (let at = 0; at < data.length; at += 4 * 97)
                  found.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
                return found.size; }""") >= 3, "The map has no sea, land and dots")


class Player(Person):
    """Somebody at the Sudoku book."""

    def open(self, link):
        self.engine.open(link)
        self.waits(lambda: self.ask(
            "() => document.querySelector('sudoku-page')?.store?.standing?.phase === 'online'"),
            "The book does not open")
        ensure(not self.ask("() => isSecureContext"), "The page is in a secure context")

    @property
    def cells(self):
        return self.ask("""() => [...document.querySelectorAll('sudoku-board .value')]
            .map(({ textContent }) => textContent || '.').join('')""")

    @property
    def players(self):
        return self.ask("() => [...document.querySelectorAll('players-strip li .words')].map((each) => each.innerText)")

    def writes(self, selector, text):
        self.waits(lambda: self.ask("(selector) => !!document.querySelector(selector)", selector), f"No {selector}")
        self.ask("(selector, text) => { document.querySelector(selector).value = text; }", selector, text)

    def begin(self):
        self.press("New")
        self.writes("dialog.sheet textarea", EASY)
        self.press("Take this one", "dialog.sheet")
        self.waits(lambda: self.cells == EASY, "The puzzle does not open")

    def sits(self, choice):
        self.press("Menu")
        self.press("Play together", "dialog.sheet")
        self.writes("dialog.sheet .named input", self.name)
        self.waits(lambda: self.ask("""(name) => {
            const button = [...document.querySelectorAll('dialog.sheet button:not(:disabled)')].find((each) =>
              (each.querySelector('b') ?? each).textContent === name);
            button?.click(); return !!button; }""", choice), f"There is no {choice}")
        self.waits(lambda: any(each.startswith("You") for each in self.players), "No seat is taken")

    def enter(self, place, digit):
        self.ask("""(place) => { document.querySelectorAll('sudoku-board .cell')[place]
            .dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })); }""", place)
        self.press(str(digit), "sudoku-keys")
        self.shows(place, digit)

    def shows(self, place, digit):
        self.waits(lambda: self.cells[place] == str(digit), f"Cell {place} is not {digit}")

    def fits(self):
        """Whether nothing stands over the edge, and the grid begins on the left whichever way the page runs."""
        wide, first, last = self.ask("""() => {
            const { scrollWidth, clientWidth } = document.documentElement;
            const [first, last] = [0, 8].map((place) =>
              document.querySelectorAll('sudoku-board .cell')[place].getBoundingClientRect().left);
            return [scrollWidth - clientWidth, first, last]; }""")
        ensure(wide <= 0 and first < last, f"In {self.name}, {wide} px stand over; cells begin at {first} and {last}")


@contextlib.contextmanager
def book():
    with contextlib.ExitStack() as stack:
        program = stack.enter_context(Program(SUDOKU, "sudoku", this_machine()))
        people = []
        for kind in (engines.Firefox, engines.WebKit):
            person = Player(kind())
            stack.callback(person.engine.close)
            person.engine.resize(390, 844)
            people.append(person)
        yield Stage(program, people)


table = Group(book)


@table.journey("in Firefox and WebKit: a book, one puzzle that both solve, a race, and a page from right to left")
def sudoku(stage):
    fox, kit = stage.people
    for person in stage.people:
        person.open(stage.album.line("Guests"))
        person.begin()
    fox.sits("Together")
    kit.sits("Join")
    for place in EMPTY[:6]:
        writer, reader = (fox, kit) if place % 2 else (kit, fox)
        writer.enter(place, SOLUTION[place])
        reader.shows(place, SOLUTION[place])
    kit.press("Undo", "sudoku-keys")
    for person in stage.people:
        person.waits(lambda: person.cells.count(".") == len(EMPTY) - 5, "The move is not taken back")
        colors = person.ask("""(places) => places.map((place) => getComputedStyle(
            document.querySelectorAll('sudoku-board .value')[place]).color)""", [EMPTY[0], EMPTY[1]])
        ensure(colors[0] != colors[1], f"Both have the colour {colors[0]} in {person.name}")
        person.ask("() => { document.documentElement.dir = 'rtl'; }")
        person.fits()
    # A player who comes again is where they were.
    for person in stage.people:
        cells = person.cells
        person.open(stage.album.line("Guests").split("#")[0])
        person.waits(lambda: len(person.players) == 2 and person.cells == cells, "It is another game")
    kit.sits("A race")
    fox.sits("Join")
    fox.waits(lambda: fox.cells == kit.cells, "The race has another puzzle")
    for place in EMPTY[6:9]:
        fox.enter(place, SOLUTION[place])
    kit.waits(lambda: any("3 of" in each for each in kit.players), f"{kit.players}")
    for person in stage.people:
        person.fits()


# The players in the order in which they come to a table. One of each engine reads from right to left.
EIGHT = [*itertools.product(("en-US", "ar-EG"), (engines.Firefox, engines.WebKit, engines.Chromium)),
         ("en-US", engines.Firefox), ("en-US", engines.WebKit)]


def party(program, page, player, count):
    """The program of an app, and `count` people with browsers of three kinds."""
    @contextlib.contextmanager
    def setting():
        with contextlib.ExitStack() as stack:
            server = Program(program, page, this_machine())
            server.options = word_race.lasting(word_race.LONG_SECONDS) if page == "words" else []
            stack.enter_context(server)
            people = []
            for number, (language, kind) in enumerate(EIGHT[:count], 1):
                person = player(kind(language))
                stack.callback(person.engine.close)
                person.name += f" {number}"
                person.engine.resize(390, 844)
                people.append(person)
            yield Stage(server, people)
    return setting


def reads_as_used(people):
    """Whether each page runs as its reader is used to."""
    for person, (language, _) in zip(people, EIGHT):
        way = person.ask("() => getComputedStyle(document.body).direction")
        ensure(way == ("ltr" if language == "en-US" else "rtl"), f"The page runs {way} in {person.name}")


eight = Group(party(SUDOKU, "sudoku", Player, 8))


@eight.journey("eight with three engines, some from right to left, solve one Sudoku; who drops out comes back to it")
def solve(stage):
    first, *others = stage.people
    for person in stage.people:
        person.open(stage.album.line("Guests"))
    first.begin()
    first.sits("Together")
    for person in others:
        person.sits("Join")
    for person in stage.people:
        person.waits(lambda: len(person.players) == 8, f"There are not eight, but {person.players}")
        person.fits()
    reads_as_used(stage.people)
    turns = [(place, stage.people[turn % 8]) for turn, place in enumerate(EMPTY)]
    for turn, (place, person) in enumerate(turns):
        if turn == 20:
            # Somebody drops out in the middle, and comes back.
            cells = others[-1].cells
            others[-1].open(stage.album.line("Guests").split("#")[0])
            others[-1].waits(lambda: len(others[-1].players) == 8 and others[-1].cells == cells, "It is another game")
        person.enter(place, SOLUTION[place])
        stage.people[(turn + 3) % 8].shows(place, SOLUTION[place])
    for person in stage.people:
        person.waits(lambda: person.cells == SOLUTION, f"The end is {person.cells}")
        person.waits(lambda: "Solved together" in person.ask("() => document.body.innerText"), "Nobody says so")
        colors = person.ask("""(places) => places.map((place) => getComputedStyle(
            document.querySelectorAll('sudoku-board .value')[place]).color)""", [place for place, _ in turns[:8]])
        ensure(len(set(colors)) == 8, f"Eight have the colours {colors} in {person.name}")
        person.fits()


class Racer(Person):
    """Somebody at the word race."""

    def open(self, link):
        self.engine.open(link)
        self.waits(lambda: self.ask("() => !!document.querySelector('.named input')"), "The page does not open")
        ensure(not self.ask("() => isSecureContext"), "The page is in a secure context")

    def store(self, script):
        return self.ask(f"() => ({script})(document.querySelector('words-page').store)")

    def counts(self):
        """How many words each player has, as this screen has it."""
        return self.store("(store) => store.scoresOf(store.roundOf(store.game)).map(({ count }) => count)")

    def fits(self):
        wide = self.ask("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        ensure(wide <= 0, f"In {self.name}, {wide} px stand over")


four = Group(party(word_race.PROGRAM, "words", Racer, 4))


@four.journey("four with three engines, one from right to left, play a round of the word race")
def words_race(stage):
    for number, person in enumerate(stage.people):
        person.open(stage.album.line("Guests"))
        person.engine.type(".named input", person.name)
        person.press("Sit down" if number else "Open a table")
        person.waits(lambda: person.ask("() => !!document.querySelector('lobby-view')"), "No seat is taken")
    for person in stage.people:
        person.press("I am ready")
    for person in stage.people:
        person.waits(lambda: person.ask("() => !!document.querySelector('play-view[data-phase=play]')"),
                     "The round does not begin")
        person.fits()
    reads_as_used(stage.people)
    letters = stage.people[0].store("(store) => store.roundOf(store.game).letters")
    shared, *words = word_race.Lexicon("/usr/share/dict/american-english").words(letters)
    for person, word in zip(stage.people, words):
        person.engine.type(".typing input", word)
        person.engine.type(".typing input", shared)
    for person in stage.people:
        person.waits(lambda: person.counts() == [2] * 4, lambda: f"The words are {person.counts()}")
    for person in stage.people:
        person.waits(lambda: person.ask("""() => ['.only', '.everyones'].map((kind) =>
            document.querySelectorAll(`result-view .card ${kind}`).length)""") == [4, 4],
            "The table of all words does not come")
        person.fits()


if __name__ == "__main__":
    counts = {"passed": 0, "failed": 0}
    for each in (group, table, eight, four):
        each.run(lambda name: not sys.argv[1:] or any(word in name for word in sys.argv[1:]), counts)
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    sys.exit(counts["failed"] > 0 or not counts["passed"])
