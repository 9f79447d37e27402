"""The Sudoku book as people start it, and people who play."""

import contextlib

from album import APPS, LAN
from browser import Person, chromium
from program import Program

PROGRAM = APPS / "Sudoku"
# An easy one and its solution.
EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
EMPTY = [place for place, digit in enumerate(EASY) if digit == "."]
# The same puzzle with few cells left, for those who play it to the end.
SHORT_EMPTY = [2, 3, 5, 6, 21, 23, 28, 40, 62, 72, 75]
SHORT = "".join("." if place in SHORT_EMPTY else digit for place, digit in enumerate(SOLUTION))
# The page's copy of the space of all, as another tab of the browser has it.
_COPY = """const { Replica } = await import('/reunion/replica/replica.js');
    const { game, store: { member, replica: { model, core } } } = document.querySelector('sudoku-page');
    const copy = await Replica.open({ ...member, model, core });"""


class Player(Person):
    """Somebody with the book on one screen."""

    def open(self, link):
        self.page.goto(link)
        self.page.locator("sudoku-board").wait_for()
        return self

    def store(self, script, argument=None):
        """Runs a function of the page's store (Apps/Sudoku/Page/store.js)."""
        return self.page.evaluate(
            f"(argument) => ({script})(document.querySelector('sudoku-page').store, argument)", argument)

    def is_saved(self):
        """Waits until the server has acknowledged all that was entered here."""
        self.until("({ standing }) => standing.phase === 'online' && !standing.records", "Something waits here")

    @property
    def cells(self):
        """The 81 cells as the screen shows them: a digit, or a dot for none."""
        return "".join(self.page.locator("sudoku-board .value").evaluate_all(
            "(all) => all.map(({ textContent }) => textContent || '.')"))

    @property
    def moves(self):
        """Of how many puzzles this browser keeps moves."""
        return self.page.evaluate(
            "Object.keys(localStorage).filter((name) => name.startsWith('sudoku-moves-')).length")

    @property
    def notes(self):
        """The notes that are seen, by cell."""
        return self.page.locator("sudoku-board .cell").evaluate_all("""(all) => Object.fromEntries(all.map(
            (cell, at) => [at, cell.querySelector('.notes').textContent]).filter(([, notes]) => notes))""")

    def shows(self, place, digit):
        self.wait(lambda: self.cells[place] == str(digit),
                  lambda: f"Cell {place} is {self.cells[place]}, and not {digit}")

    def label(self, place):
        return self.page.locator("sudoku-board .cell").nth(place).get_attribute("aria-label")

    def tap(self, place):
        self.page.locator("sudoku-board .cell").nth(place).click()

    def enter(self, place, digit):
        self.tap(place)
        self.page.keyboard.press(str(digit))
        self.shows(place, digit)

    def take(self, text):
        """Brings a puzzle along as a text."""
        self.page.get_by_role("button", name="New", exact=True).click()
        self.page.get_by_role("textbox").fill(text)
        self.page.get_by_role("button", name="Take this one").click()

    def begin(self, text=EASY):
        self.take(text)
        self.wait(lambda: self.cells == text, "The puzzle does not open")

    def menu(self, name):
        self.page.get_by_role("button", name="Menu").click()
        self.page.get_by_role("button", name=name).click()
        return self.page.locator("dialog.sheet")

    def close(self):
        self.page.locator("dialog.sheet").get_by_role("button", name="Close").click()

    def sits(self, choice, name):
        """Goes to the table, and takes a seat by a button of it."""
        sheet = self.menu("Play together")
        sheet.get_by_role("textbox", name="Your name").fill(name)
        sheet.get_by_role("button", name=choice).first.click()
        self.is_seated()

    def is_seated(self):
        self.page.locator("players-strip").get_by_text("You", exact=True).wait_for()

    @property
    def players(self):
        """The players, as the screen says it: a name, and how far they are."""
        return self.page.locator("players-strip li .words").all_inner_texts()

    def at_table(self, script, argument=None):
        """Runs statements with `copy`, the page's copy of the space of all, and `game`, the one that is played."""
        return self.page.evaluate(f"async (argument) => {{ {_COPY} {script} }}", argument)

    def is_sent(self):
        """Waits until the server has acknowledged all that was entered at the table."""
        self.wait(lambda: self.at_table("return copy.waiting.value.records;") == 0, "Something waits here")

    @property
    def entries(self):
        """How many entries of the game this browser holds."""
        return self.at_table("return copy.records('entry').filter((entry) => entry.game === game.id).length;")

    def fills_table(self):
        """Seven more seats at the game, as pages write them."""
        self.at_table("""await copy.transaction((t) => ['Ben', 'Cy', 'Dee', 'Eli', 'Florentine-Amélie', 'Gus', 'محمد']
            .forEach((name, at) => t.create('seat', {
                game: game.id, name, color: at + 1, satAt: null, filled: at, seconds: null })));""")
        self.page.locator("players-strip li").nth(7).wait_for()

    def pairing_link(self):
        sheet = self.menu("Your devices")
        sheet.get_by_role("button", name="Add a device").click()
        link = sheet.get_by_role("textbox", name="Link for your other device").input_value()
        self.close()
        return link


class Table:
    """A book's server, a browser, and the people of one group of journeys."""

    def __init__(self, browser, program):
        self.browser, self.program, self.people = browser, program, []
        # The folder of the files that people choose.
        self.folder = program.folder.parent

    def player(self, name, link=None, size=(1000, 760), **options):
        person = Player(self.browser, name, **options)
        person.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.people.append(person)
        return person.open(link or self.program.line("Guests"))

    def phone(self, name, link=None, **options):
        return self.player(name, link, (360, 740), has_touch=True, **options)

    def leave(self, *people):
        """Checks these people's pages, or everyone's, and closes them."""
        for person in people or self.people[:]:
            person.check()
            person.context.close()
            self.people.remove(person)


@contextlib.contextmanager
def table():
    with Program(PROGRAM, "sudoku", LAN) as program, chromium() as browser:
        yield Table(browser, program)
