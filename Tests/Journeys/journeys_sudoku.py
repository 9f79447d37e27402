"""The Sudoku book: played by hand, keyboard and ear, on two screens, apart, and while its server is killed."""

import json
import re
import signal
import subprocess

from PIL import Image

from accessibility import examine, examine_further, fits
from journey import Group, ensure
from journeys_pages import weight
from page_model import has_the_servers_model, says_it_is_old
from sudoku import EASY, EMPTY, PROGRAM, SHORT, SHORT_EMPTY, SOLUTION, table
from sudoku_photo import photograph

WEIGHT_MAX = 60_000
# Where a player's digit and its cell, as a page of eight colours and four themes shows them, have less contrast than
# the 4.5 of WCAG AA. The page draws nothing meanwhile.
_FAINT = """() => {
    const board = document.querySelector('sudoku-board');
    const [cell] = board.querySelectorAll('.cell:not(.given)');
    const { className, dataset: { player } } = cell;
    const { dataset } = document.documentElement;
    const { colour, scheme } = dataset;
    const lightness = (color) => {
        const most = color.startsWith('rgb') ? 255 : 1;
        const [red, green, blue] = color.match(/[\\d.]+/g).map((number) => Number(number) / most)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = () => {
        const behind = getComputedStyle(cell).backgroundColor;
        const [low, high] = [behind === 'rgba(0, 0, 0, 0)' ? getComputedStyle(board).backgroundColor : behind,
            getComputedStyle(cell.querySelector('.value')).color].map(lightness).sort((one, other) => one - other);
        return (high + 0.05) / (low + 0.05);
    };
    const faint = [];
    for (dataset.colour of ['sea', 'plum', 'moss', 'clay']) for (dataset.scheme of ['light', 'dark']) {
        for (const state of ['', 'peer', 'same', 'chosen', 'house', 'placed', 'wrong', 'mistaken']) {
            cell.className = `cell filled ${state}`;
            for (let each = 0; each < 8; each += 1) {
                cell.dataset.player = each;
                const found = contrast();
                if (found < 4.5) {
                    faint.push(`${dataset.colour} ${dataset.scheme} ${state} ${each + 1}: ${found.toFixed(2)}`);
                }
            }
        }
    }
    Object.assign(dataset, { colour, scheme });
    cell.className = className;
    cell.dataset.player = player;
    return faint;
}"""

group = Group(table)


@group.journey("a first visit plays at once: at most 60 KB, a puzzle without the server, the first move begins a book")
def begins(stage):
    ada = stage.phone("Ada")
    page = ada.page
    total = weight(ada, page="sudoku")
    print(f"    {total} bytes gzip until one can play", flush=True)
    ensure(0 < total <= WEIGHT_MAX, f"The page weighs {total} bytes")
    place = ada.cells.index(".")
    ensure(len(ada.store("(store) => store.puzzles")) == 0, "A puzzle is in the book that nobody touched")
    ada.tap(place)
    page.get_by_role("button", name="4, ").click()
    ada.shows(place, 4)
    ada.wait(lambda: page.locator("book-list button.row").count() == 1, "The first move begins no book")
    ada.is_saved()
    cells = ada.cells
    page.reload()
    ada.wait(lambda: ada.cells == cells, "A reload loses the move")
    stage.leave()


@group.journey("once it is open, a page without a connection plays on: new puzzles, hints, the menu, the table")
def offline(stage):
    ada = stage.phone("Ada")
    page = ada.page
    ada.wait(lambda: page.evaluate("performance.getEntriesByName('complete').length"), "Not all of it is loaded")
    ensure(weight(ada, page="sudoku") <= WEIGHT_MAX, "What is for later comes at once")
    ada.context.set_offline(True)
    before = ada.cells
    page.get_by_role("button", name="New", exact=True).click()
    page.locator(".grade", has_text="Medium").click()
    ada.wait(lambda: ada.cells != before, "No puzzle is made")
    page.get_by_role("button", name="Hint").click()
    page.locator(".said").get_by_role("button", name="Do it").click()
    ada.menu("Settings")
    page.get_by_role("radio", name="Plum").check()
    ada.close()
    ada.menu("Play together").get_by_text("Games").wait_for()
    ada.close()
    ada.enter(ada.cells.index("."), 1)
    ada.wait(lambda: "kept on this device" in ada.state, lambda: f"The page says “{ada.state}”")
    stage.leave()


@group.journey("by keyboard alone: digits, notes, undo and redo, to the end; each cell says what it is")
def keyboard(stage):
    ada = stage.player("Ada")
    ada.begin(SHORT)
    press = ada.page.keyboard.press
    ensure(ada.label(0) == "Row 1, column 1, box 1: 5, printed", ada.label(0))
    press("4")
    ada.shows(2, 4)
    press("Control+z")
    ada.shows(2, ".")
    press("Control+y")
    ada.shows(2, 4)
    press("ArrowRight")
    press("Shift+Digit2")
    press("Shift+Digit6")
    ada.wait(lambda: ada.notes == {"3": "26"}, lambda: f"The notes are {ada.notes}")
    ensure(ada.label(3) == "Row 1, column 4, box 2: notes 2 and 6", ada.label(3))
    # A digit takes the notes that it rules out.
    press("ArrowDown")
    press("ArrowDown")
    press("2")
    ada.wait(lambda: ada.notes == {"3": "6"}, lambda: f"The notes are {ada.notes}")
    press("Backspace")
    press("3")
    ada.shows(21, 3)
    ada.wait(lambda: "does not fit" not in ada.label(21), "A digit that fits is marked")
    press("8")
    ada.wait(lambda: ada.label(21) == "Row 3, column 4, box 2: 8, does not fit", ada.label(21))
    for place in SHORT_EMPTY:
        ada.page.evaluate("(place) => document.querySelector('sudoku-board').focusCell(place)", place)
        if ada.cells[place] != SOLUTION[place]:
            press(SOLUTION[place])
            ada.shows(place, SOLUTION[place])
    ada.page.locator(".said", has_text="Solved in").wait_for()
    ensure(ada.cells == SOLUTION, "The end is not the solution")
    ada.wait(lambda: "solved" in ada.page.locator("book-list li").first.inner_text(), "The book does not say so")
    ensure(ada.moves == 0, "The moves of what is solved are kept")
    ada.begin()
    ada.enter(2, 4)
    ensure(ada.moves == 1, "The moves are not kept")
    ada.page.get_by_role("button", name=re.compile("^Remove from the book: .*cells left")).click()
    ada.wait(lambda: ada.moves == 0, "The moves of what is removed are kept")
    stage.leave()


@group.journey("a hint names its technique, shows why in colours, and is done by a button; mistakes come first")
def hints(stage):
    ada = stage.player("Ada")
    ada.begin()
    said = ada.page.locator(".said")
    ada.enter(2, 7)
    ada.page.keyboard.press("h")
    ada.wait(lambda: "R1C3" in said.inner_text(), lambda: f"The mistake is not told: {said.inner_text()}")
    said.get_by_role("button", name="Do it").click()
    ada.shows(2, ".")
    ada.page.keyboard.press("h")
    ada.wait(lambda: said.inner_text().startswith("Hidden single: "), lambda: said.inner_text())
    place = int(ada.page.locator(".cell.placed").get_attribute("data-place"))
    ensure(ada.page.locator(".cell.house").count() >= 8, "The house is not shown")
    said.get_by_role("button", name="Do it").click()
    ada.shows(place, SOLUTION[place])
    # One that needs more: candidates are struck, and the next hint goes on from there.
    ada.take("35.6.....4.1.5...6...7....4......69...3...8...6.843.2..8..2....6...7.2.11....9...")
    ada.wait(lambda: ada.cells.startswith("35.6....."), "The second puzzle does not open")
    seen = []
    for _ in range(40):
        ada.page.keyboard.press("h")
        said.get_by_role("button", name="Do it").wait_for()
        seen.append(said.inner_text().split(":")[0])
        if ada.page.locator(".notes .out").count():
            ensure(ada.page.locator(".notes .why").count(), f"Nothing shows why: {said.inner_text()}")
        said.get_by_role("button", name="Do it").click()
        if "single" not in seen[-1]:
            break
    ensure("single" not in seen[-1], f"No hint strikes candidates: {seen}")
    stage.leave()


@group.journey("new puzzles of four grades have one solution, and are of the grade")
def grades(stage):
    ada = stage.player("Ada")
    for number, name in enumerate(("Easy", "Medium", "Hard", "Expert"), 1):
        before = ada.cells
        ada.page.get_by_role("button", name="New", exact=True).click()
        ada.page.locator(".grade", has_text=name).click()
        ada.wait(lambda: ada.cells != before, f"No {name} puzzle is made")
        found = ada.page.evaluate("""async (text) => {
            const { readPuzzle } = await import('/brain.js');
            return (await readPuzzle(text)).grade; }""", ada.cells)
        ensure(found == number, f"{name} is of grade {found}")
    stage.leave()


@group.journey("what is no puzzle is told in a sentence, and nothing is changed")
def bad(stage):
    ada = stage.player("Ada")
    ada.begin()
    for text, sentence in ((EASY[:80], "This has 80 cells"), ("x" + EASY[1:], "is no cell"),
                           ("55" + EASY[2:], "Two 5s stand in row 1"), ("." * 81, "more than one solution"),
                           ("9" * 20_000, "longer than"), ("zzzz", "more than 81 cells"),
                           ("534678912672195348198342567859761423426853791713924856961537284287419635.........",
                            "")):
        ada.take(text)
        if sentence:
            problem = ada.page.locator(".problem")
            ada.wait(lambda: sentence in problem.inner_text(), lambda: f"{text[:20]}: {problem.inner_text()}")
            ada.close()
            ensure(ada.cells == EASY, "A text that is no puzzle changed the page")
        else:
            ada.wait(lambda: ada.cells == text, "A nearly full puzzle is not taken")
    ensure(len(ada.store("(store) => store.puzzles")) == 2, "Something is in the book that is no puzzle")
    stage.leave()


@group.journey("two devices of one person: moves and settings on both; apart they come together cell by cell")
def together(stage):
    ada = stage.player("Ada")
    ada.begin()
    ada.enter(2, 4)
    phone = stage.phone("Ada’s phone", ada.pairing_link())
    phone.shows(2, 4)
    phone.enter(3, 6)
    ada.shows(3, 6)
    ada.menu("Settings")
    ada.page.get_by_role("radio", name="Plum").check()
    phone.wait(lambda: phone.page.evaluate("document.documentElement.dataset.colour") == "plum",
               "The setting does not roam")
    ada.close()
    ada.tap(28)
    for digit in (5, 9):
        ada.page.keyboard.press(f"Shift+Digit{digit}")
    phone.wait(lambda: phone.notes == {"28": "59"}, lambda: f"The notes are {phone.notes}")
    ada.is_saved()
    phone.is_saved()
    # Apart: different cells, the same cell, and an undo of one's own.
    stage.program.end(signal.SIGKILL)
    for person in (ada, phone):
        person.wait(lambda: "offline" in person.store("(store) => store.standing.phase"), "It does not part")
    # Digits on one; later, on the other, notes of the same cells: one that a digit takes, and all candidates.
    phone.enter(28, 5)
    phone.enter(30, 7)
    ada.enter(29, 9)
    ada.wait(lambda: ada.notes == {"28": "5"}, lambda: f"The notes are {ada.notes}")
    ada.page.keyboard.press("a")
    ada.wait(lambda: "30" in ada.notes, "Not all candidates are noted")
    ada.enter(5, 8)
    phone.enter(6, 9)
    ada.enter(7, 1)
    phone.enter(7, 2)
    stage.program.start()
    for person in (ada, phone):
        person.hears_of_the_network()
    for person in (ada, phone):
        person.is_saved()
        for place, digit in ((2, 4), (3, 6), (5, 8), (6, 9), (28, 5), (29, 9), (30, 7)):
            person.shows(place, digit)
    ada.wait(lambda: ada.cells == phone.cells, lambda: f"Apart for good: {ada.cells[7]} and {phone.cells[7]}")
    ada.wait(lambda: ada.notes == phone.notes, lambda: f"The notes are {ada.notes} and {phone.notes}")
    ensure(phone.cells[7] == "2", "The later entry does not stand")
    # What the phone has changed since is not Ada's to take back: of that move she takes back the notes that it took,
    # and then goes on to her move before.
    for _ in range(2):
        ada.page.keyboard.press("Control+z")
    for person in (ada, phone):
        person.shows(5, ".")
    ensure(ada.cells[7] == "2" and ada.cells[6] == "9", f"Ada took back what is the phone’s: {ada.cells[:9]}")
    ada.is_saved()
    # Whatever was once opened on the phone, it goes on where the other device stopped.
    phone.begin(SHORT)
    phone.is_saved()
    phone.page.close()
    before = ada.cells
    ada.page.get_by_role("button", name="New", exact=True).click()
    ada.page.locator(".grade", has_text="Easy").click()
    ada.wait(lambda: ada.cells != before, "No puzzle is made")
    ada.is_saved()
    phone.page = phone.context.new_page()
    phone.open(stage.program.line("Guests").split("#")[0])
    phone.wait(lambda: phone.cells == ada.cells, lambda: f"The phone shows {phone.cells}, and not {ada.cells}")
    stage.leave()


@group.journey("a phone that has a book already is paired: both books come together, on both devices")
def books_come_together(stage):
    ada = stage.player("Ada")
    ada.begin()
    ada.enter(2, 4)
    link = ada.pairing_link()
    phone = stage.phone("Ada’s phone")
    phone.begin(SHORT)
    place = SHORT.index(".")
    # The page's own word: a digit of no rule.
    phone.tap(place)
    phone.page.keyboard.press("Shift+Digit5")
    phone.wait(lambda: phone.notes == {str(place): "5"}, lambda: f"The notes are {phone.notes}")
    phone.is_saved()
    phone.page.goto("about:blank")
    phone.open(link)
    of = "(store) => store.puzzles.map(({ givens }) => givens).sort()"
    for person in (phone, ada):
        person.wait(lambda: set(person.store(of)) >= {EASY, SHORT}, lambda: f"The book has {person.store(of)}")
    cells = "(store) => store.replica.records('cell').map(({ value, notes }) => [value, notes]).sort()"
    ada.wait(lambda: ada.store(cells) == phone.store(cells) == [[0, 16], [4, 0]],
             lambda: f"Of cells {ada.store(cells)} came, and {phone.store(cells)} are on the phone")
    phone.page.reload()
    phone.page.locator("sudoku-board").wait_for()
    phone.wait(lambda: len(phone.store(of)) == 2, "A puzzle came twice")
    phone.is_saved()
    stage.leave()


@group.journey("the server is killed in the middle of play: what it acknowledged is there, from it alone")
def killed(stage):
    ada = stage.player("Ada")
    ada.begin()
    phone = stage.phone("Ada’s phone", ada.pairing_link())
    phone.wait(lambda: phone.cells == EASY, "The book does not come")
    phone.context.set_offline(True)
    entered = EMPTY[:12]
    for place in entered[:6]:
        ada.enter(place, SOLUTION[place])
    ada.is_saved()
    for place in entered[6:]:
        ada.enter(place, SOLUTION[place])
        if place == entered[9]:
            stage.program.end(signal.SIGKILL)
    # The player who entered them is gone, with what was not sent.
    stage.leave(ada)
    stage.program.start()
    phone.context.set_offline(False)
    for place in entered[:6]:
        phone.shows(place, SOLUTION[place])
    phone.is_saved()
    stage.leave()


@group.journey("a friend opens a shared puzzle in a book of their own, and sees nothing of the other")
def shares(stage):
    ada = stage.player("Ada")
    ada.begin()
    ada.enter(2, 4)
    sheet = ada.menu("Share this puzzle")
    link = sheet.get_by_role("textbox", name="Link").input_value()
    ensure(sheet.get_by_role("textbox", name="The puzzle as text").input_value() == EASY, "The text is another")
    ben = stage.phone("Ben", link)
    ben.wait(lambda: ben.cells == EASY, lambda: f"Ben sees {ben.cells}")
    ensure("#" not in ben.page.url, "The link's secret stays in the address")
    ben.enter(3, 6)
    ben.is_saved()
    ada.is_saved()
    ensure(ada.cells[3] == "." and ben.cells[2] == ".", "Books of two people are one")
    ben.page.goto(link.replace("puzzle=", "puzzle=1"))
    ben.notice("more than 81 cells")
    stage.leave()


def grab(*arguments, **options):
    """Runs the command: exit code, what it prints, and what it says of errors."""
    done = subprocess.run([PROGRAM, "grab", *map(str, arguments)], capture_output=True, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@group.journey("sudoku grab reads photographs of four formats, however they are turned, and says what it cannot")
def command(stage):
    folder = stage.folder
    files = [photograph(EASY, folder / name, turn) for name, turn in (
        ("a.jpg", 7), ("b.png", 90), ("c.webp", 184), ("d.heic", -94))]
    code, said, errors = grab(*files)
    ensure(code == 0 and said == "".join(f"{file}: {EASY}\n" for file in files), f"{code} {said} {errors}")
    code, said, _ = grab("-", input=files[0].read_bytes())
    ensure((code, said) == (0, EASY + "\n"), f"Standard input: {code} {said}")
    doubtful = photograph(EASY, folder / "doubt.jpg", 3, over={31: "8"})
    code, said, errors = grab(doubtful)
    ensure(code == 0 and "Look at R4C5" in errors, f"{code} {said} {errors}")
    letter, blank = folder / "letter.jpg", folder / "blank.png"
    letter.write_text("no picture")
    Image.new("RGB", (400, 300), "white").save(blank)
    code, said, _ = grab("--json", files[0], letter, blank)
    found = [json.loads(line) for line in said.splitlines()]
    ensure(code == 5 and found[0]["cells"] == EASY and found[0]["isSure"] and len(found[0]["corners"]) == 4
           and 0 < found[0]["confidence"] <= 1, f"{code} {said}")
    ensure("is not a picture" in found[1]["error"] and "No Sudoku" in found[2]["error"], said)
    # In the upright photograph, the grid's own top left is at the top left.
    (left, top), _, (right, bottom), _ = found[0]["corners"]
    ensure(left < right and top < bottom and right < found[0]["width"], f"{found[0]['corners']}")
    for arguments, wanted in (((blank,), 1), ((letter,), 1), ((folder / "none.jpg",), 1), ((), 2), (("--frob",), 2)):
        code, said, errors = grab(*arguments)
        ensure(code == wanted and not said and errors.startswith("sudoku: "), f"{arguments}: {code} {errors}")


@group.journey("a photograph becomes a puzzle: the grid lights up, doubts are corrected by a tap, also after a kill")
def photographs(stage):
    ada = stage.phone("Ada")
    other = "35.6.....4.1.5...6...7....4......69...3...8...6.843.2..8..2....6...7.2.11....9..."
    ada.begin(other)

    def choose(file):
        ada.page.get_by_role("button", name="New", exact=True).click()
        ada.page.locator("dialog input[type=file]").set_input_files(str(file))
        return ada.page.locator("dialog.sheet", has_text="From a photograph")

    letter = stage.folder / "a letter.jpg"
    letter.write_text("no picture")
    sheet = choose(letter)
    ada.wait(lambda: "is not a picture" in sheet.inner_text(), lambda: sheet.inner_text())
    ada.close()
    ensure(ada.cells == other and len(ada.store("(store) => store.puzzles")) < 2, "No picture changed the book")
    stage.program.end(signal.SIGKILL)
    sheet = choose(photograph(EASY, stage.folder / "doubt.jpg", 3, over={31: "8"}))
    ada.wait(lambda: sheet.get_by_role("button", name="Try again").is_visible(), "Nothing is said of the kill")
    stage.program.start()
    sheet.get_by_role("button", name="Try again").click()
    sheet.locator("polygon").wait_for()
    points = sheet.locator("polygon").get_attribute("points").split(" ")
    ensure(len(points) == 4, f"The grid has {points}")
    doubts = sheet.locator(".cell.wrong")
    ada.wait(lambda: doubts.count() == 1, lambda: f"{doubts.count()} doubts: {sheet.inner_text()[:80]}")
    ensure(doubts.get_attribute("data-place") == "31", "Another cell is in doubt")
    label = doubts.get_attribute("aria-label")
    ensure(label.endswith(", in doubt") and not doubts.get_attribute("aria-invalid"), f"It is told as “{label}”")
    examine(ada.page, "A photograph")
    sheet.get_by_role("button", name="6", exact=True).click()
    ada.wait(lambda: doubts.count() == 0, "The doubt stays")
    sheet.get_by_role("button", name="Play it").click()
    ada.wait(lambda: ada.cells == EASY, lambda: f"It becomes {ada.cells}")
    ada.wait(lambda: "from a photograph" in ada.page.locator("book-list").inner_text(), "The book does not say so")
    ada.is_saved()
    stage.leave()


@group.journey("axe finds nothing from 320 to 1,600 px, light, dark, mirrored; nothing is cut at 200 % text")
def accessible(stage):
    for size, options in (((320, 640), {"color_scheme": "light"}), ((1600, 900), {"color_scheme": "dark"}),
                          ((900, 700), {"color_scheme": "light", "locale": "ar"})):
        what = f"{size[0]} px {options}"
        ada = stage.player("Ada", size=size, **options)
        page = ada.page
        ada.begin()
        ada.enter(2, 5)
        page.keyboard.press("n")
        ada.tap(3)
        page.keyboard.press("6")
        examine(page, what)
        fits(page, what)
        ada.tap(2)
        page.keyboard.press("Backspace")
        page.keyboard.press("h")
        page.locator(".said").get_by_role("button", name="Do it").wait_for()
        examine_further(page, f"{what}, a hint")
        page.get_by_role("button", name="New", exact=True).click()
        examine_further(page, f"{what}, new")
        ada.close()
        for name in ("Settings", "Your devices"):
            ada.menu(name)
            examine_further(page, f"{what}, {name}")
            fits(page, f"{what}, {name}")
            ada.close()
        ada.sits("Together", "Ada Augusta of the long name")
        ada.fills_table()
        ada.enter(2, 4)
        examine_further(page, f"{what}, a game of eight")
        faint = page.evaluate(_FAINT)
        ensure(not faint, f"Digits are too faint: {faint}")
        fits(page, f"{what}, a game of eight")
        ada.menu("Play together")
        examine_further(page, f"{what}, the table")
        fits(page, f"{what}, the table")
        ada.close()
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        fits(page, f"{what} at 200 %")
        stage.leave()


@group.journey("the book: the page's model is its server's; a page that is too old says so, and loads again")
def model(stage):
    ada = stage.player("Ada")
    has_the_servers_model(ada)
    says_it_is_old(ada)
    stage.leave()
