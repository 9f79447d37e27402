"""The word race as people start it, and people who play."""

import contextlib
import functools
import shutil

from playwright.sync_api import Error

from album import APPS, LAN
from browser import Person, chromium
from journey import PATIENCE, Failed
from program import Program

PROGRAM = APPS / "Words"
# How long a round lasts here, and one in which much happens. A machine for which that is too short plays longer ones.
SECONDS, LONG_SECONDS = 30, 60
# What a busy machine may need for a word, or for anything else that a round is needed for.
RESERVE = 10
# A clock that is wrong by milliseconds.
_WRONG = "(() => { const { now } = Date; Date.now = () => now() + WRONG; })()"


class TooSlow(Exception):
    """A round that is over, or nearly so, before all was done for which it is needed."""


def unhurried(journey):
    """Plays a journey again with rounds three times as long, and again, where this machine is too slow for it."""
    @functools.wraps(journey)
    def act(stage):
        for _ in range(2):
            try:
                return journey(stage)
            except (TooSlow, Failed, Error) as error:
                # What fails after the end of its round is tried in a longer one; a fault fails there too.
                if not isinstance(error, TooSlow) and not any(person.has_missed() for person in stage.people):
                    raise
                stage.begin_anew(min(3 * stage.seconds, 9 * LONG_SECONDS))
                print(f"    {type(error).__name__}: {error}", flush=True)
                print(f"    Once more, with rounds of {stage.seconds} s", flush=True)
        return journey(stage)
    return act


class Player(Person):
    """Somebody at the table with one screen."""
    # The number of the last round when this one got ready.
    _played = 0
    # Whether this one has something to do in a round that goes on.
    _plays = False

    def open(self, link):
        self.page.goto(link)
        self.page.locator("words-page h1").wait_for()
        return self

    def store(self, script, argument=None):
        """Runs a function of the page's store (Apps/Words/Page/store.js)."""
        return self.page.evaluate(
            f"(argument) => ({script})(document.querySelector('words-page').store, argument)", argument)

    def is_saved(self):
        """Waits until the server has acknowledged all that was done here."""
        self.until("({ standing }) => standing.phase === 'online' && !standing.records", "Something waits here")

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def call(self, name):
        self.page.get_by_role("textbox", name="Your name").fill(name)

    def open_table(self, with_bot=False):
        self.call(self.name)
        self.button("Practise with the bot" if with_bot else "Open a table").click()
        self.page.locator("lobby-view").wait_for()

    def sit(self):
        """Sits down at the first table that is open."""
        self.call(self.name)
        self.page.get_by_role("button", name="Sit down").first.click()
        self.page.locator("lobby-view, play-view, result-view").first.wait_for()

    def ready(self, name="I am ready"):
        self._played = (self.round or {}).get("number", 0)
        self.button(name).click()

    def sees_letters(self):
        """Waits until the countdown of the round that one is ready for is over."""
        self.wait(lambda: self.page.evaluate("""(played) => {
            if (document.querySelector('play-view[data-phase=play]')) return true;
            const { store } = document.querySelector('words-page') ?? {};
            const round = store?.game && store.roundOf(store.game);
            return round?.number > played && (round.isOver || store.now(round) >= round.endsAt); }""", self._played),
                  "No letters are shown")
        self.has_time()
        self._plays = True

    def has_missed(self):
        """Whether a round is over in which this one still had something to do."""
        return self._plays and (
            self.page.is_closed() or not self.page.locator("play-view[data-phase=play]").count())

    def has_time(self, seconds=RESERVE):
        """The round goes on for at least these seconds, by the clock that is shown."""
        clock = self.page.locator("play-view[data-phase=play] .clock").all_inner_texts()
        if not clock or int(clock[0]) < seconds:
            raise TooSlow(f"{self.name} has {clock} s of a round, and needs {seconds}")

    @property
    def round(self):
        """The last round: `{id, number, letters, isOver, missed}`."""
        return self.store("""(store) => { const round = store.game && store.roundOf(store.game);
            return round && { ...round, sieve: null }; }""")

    def words(self, lexicon):
        """All words of the round, the longest first."""
        return lexicon.words(self.round["letters"])

    def type(self, word):
        self.has_time()
        self.page.get_by_role("textbox", name="Your word").fill(word)
        self.page.keyboard.press("Enter")

    @property
    def said(self):
        return self.page.locator("play-view .said").inner_text()

    def enter(self, word):
        self.type(word)
        self.wait(lambda: word in self.found, lambda: f"“{word}” does not count: {self.said}")

    @property
    def found(self):
        return self.store("""(store) => store.entriesIn(store.roundOf(store.game)).map(({ word }) => word)""")

    @property
    def scores(self):
        """Points, counts and words of each by name, as this screen has them."""
        return {each["name"]: each for each in self.store(
            "(store) => store.scoresOf(store.roundOf(store.game)).map((score) => ({ ...score }))")}

    def sees(self, name, count):
        self.wait(lambda: self.scores.get(name, {}).get("count") == count,
                  lambda: f"{name} has {self.scores.get(name)}, and not {count} words")

    def sees_end(self):
        self._plays = False
        # A long round lasts longer than anything else may take.
        self.page.locator("result-view .card").first.wait_for(timeout=1000 * (PATIENCE + self.seconds))

    @property
    def seconds(self):
        """How long the round lasts."""
        return (self.round["endsAt"] - self.round["startsAt"]) / 1000


class Lexicon:
    """The words of a list, read with no code of the app's."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as lines:
            words = {line.strip() for line in lines}
        self.all = {word for word in words if 3 <= len(word) <= 9 and word.isascii() and word.isalpha()
                    and word.islower()}

    def words(self, letters):
        def is_held(word):
            return all(word.count(letter) <= letters.count(letter) for letter in set(word))
        return sorted((word for word in self.all if is_held(word)), key=lambda word: (-len(word), word))


class Table:
    """A server, a browser, and the people of one group of journeys."""

    def __init__(self, browser, program, seconds):
        self.browser, self.program, self.seconds, self.people = browser, program, seconds, []
        self.lexicon = Lexicon("/usr/share/dict/american-english")

    def player(self, name, link=None, size=(1000, 760), wrong_by=0, **options):
        person = Player(self.browser, name, **options)
        if wrong_by:
            person.context.add_init_script(_WRONG.replace("WRONG", str(wrong_by)))
        person.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.people.append(person)
        return person.open(link or self.program.line("Guests"))

    def phone(self, name, link=None, **options):
        return self.player(name, link, (360, 740), has_touch=True, **options)

    def two(self):
        """Ada with a computer and Ben with a phone, in the first round of a table."""
        ada, ben = self.player("Ada"), self.phone("Ben")
        ada.open_table()
        ben.sit()
        ada.ready()
        ben.ready()
        for person in (ada, ben):
            person.sees_letters()
        return ada, ben

    def leave(self, *people):
        """Checks these people's pages, or everyone's, and closes them."""
        for person in people or self.people[:]:
            if not people:
                person.store("(store) => store.leave()")
                person.is_saved()
            person.check()
            person.context.close()
            self.people.remove(person)

    def begin_anew(self, seconds):
        """Everybody goes, and there is a new server with longer rounds."""
        for person in self.people:
            person.context.close()
        self.people.clear()
        self.program.end()
        shutil.rmtree(self.program.folder)
        self.seconds, self.program.options = seconds, lasting(seconds)
        self.program.start()


def lasting(seconds):
    """The options of a program whose rounds last these seconds."""
    return ["--seconds", str(seconds)]


@contextlib.contextmanager
def table(seconds=SECONDS):
    program = Program(PROGRAM, "words", LAN)
    program.options = lasting(seconds)
    with program, chromium() as browser:
        yield Table(browser, program, seconds)


def long_table():
    return table(LONG_SECONDS)
