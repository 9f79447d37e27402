"""The table of the Sudoku book: up to eight at one grid, a race, late, again, and what is forged there."""

import shutil
import signal

from accessibility import examine, fits
from journey import Group, ensure
from sudoku import EASY, EMPTY, SHORT, SHORT_EMPTY, SOLUTION, table

group = Group(table)


@group.journey("up to eight solve one puzzle at once, each in a colour; who comes late or again finds all, a ninth "
               "is told")
def table_of_eight(stage):
    ada = stage.player("Ada")
    ada.begin(SHORT)
    ada.sits("Together", "Ada")
    ben = stage.phone("Ben")
    ben.sits("Join", "Ben")
    ada.enter(2, 4)
    ben.shows(2, 4)
    ensure(ben.label(2) == "Row 1, column 3, box 1: 4, by Ada", ben.label(2))
    ben.enter(3, 6)
    ada.shows(3, 6)
    colors = [ada.page.locator(".cell").nth(place).evaluate(
        "(cell) => getComputedStyle(cell.querySelector('.value')).color") for place in (2, 3)]
    ensure(colors[0] != colors[1], f"Both have the colour {colors[0]}")
    ben.wait(lambda: ben.entries == 2, lambda: f"Ben's browser holds {ben.entries} entries")
    # Each sees where the other's finger is, in the other's colour, and not their own.
    def fingers(person):
        return person.page.locator(".cell .finger").evaluate_all(
            "(list) => list.map((finger) => [Number(finger.parentElement.dataset.place), finger.dataset.player])")
    ada.tap(40)
    ben.tap(44)
    ben.wait(lambda: fingers(ben) == [[40, "0"]], lambda: f"Ben sees fingers at {fingers(ben)}")
    ada.wait(lambda: fingers(ada) == [[44, "1"]], lambda: f"Ada sees fingers at {fingers(ada)}")
    # Notes are one's own; what somebody else has changed is not one's to take back.
    ada.tap(5)
    ada.page.keyboard.press("Shift+Digit8")
    ada.wait(lambda: ada.notes == {"5": "8"}, lambda: f"The notes are {ada.notes}")
    ben.enter(2, 1)
    ada.shows(2, 1)
    ensure(ben.notes == {}, "Ben sees Ada's notes")
    ada.page.keyboard.press("Control+z")
    ada.wait(lambda: ada.notes == {}, "The note is not taken back")
    ada.page.keyboard.press("Control+z")
    ensure(ada.cells[2] == "1", "Ada took back what is Ben's")
    # "Take out what I entered" leaves what others entered.
    ada.enter(6, 9)
    ada.menu("Take out what I entered")
    ben.shows(6, ".")
    ensure(ben.cells[2] == "1" and ben.cells[3] == "6", "Ada took out what is Ben's")
    # All seats are taken by pages that do no more than that; Ben drops out, and comes back.
    others = [stage.phone(name) for name in ("Cy", "Dee", "Eli", "Flo", "Gus", "Hal")]
    for person in others:
        person.sits("Join", person.name)
    ada.wait(lambda: len(ada.players) == 8, lambda: f"{ada.players} sit here")
    others[-1].wait(lambda: others[-1].cells == ada.cells, "Who comes late does not catch up")
    ida = stage.phone("Ida")
    sheet = ida.menu("Play together")
    ida.wait(lambda: sheet.get_by_role("button", name="Join").first.is_disabled(), "A ninth may join")
    stage.leave(*others, ida)
    ada.wait(lambda: len(fingers(ada)) == 1, lambda: f"Those who left show fingers at {fingers(ada)}")
    ben.page.reload()
    ben.is_seated()
    ada.wait(lambda: ben.cells == ada.cells, "Ben does not come back to where he was")
    for place in SHORT_EMPTY:
        person = ada if place % 2 else ben
        if person.cells[place] != SOLUTION[place]:
            person.enter(place, SOLUTION[place])
    for person in (ada, ben):
        person.page.locator(".said", has_text="Solved together").wait_for()
    ben.page.get_by_role("button", name="My book").click()
    ben.wait(lambda: ben.cells != SOLUTION, "The book does not come back")
    stage.leave()


@group.journey("in a race each has an own grid and sees how far the others are, and nothing else")
def race(stage):
    ada = stage.player("Ada")
    ada.begin(SHORT)
    ada.sits("A race", "Ada")
    ben = stage.phone("Ben")
    ben.sits("Join", "Ben")
    ben.wait(lambda: ben.cells == SHORT, "The race has another puzzle")
    first, count = SHORT_EMPTY[0], len(SHORT_EMPTY)
    for place in SHORT_EMPTY[:3]:
        ada.enter(place, SOLUTION[place])
    ada.enter(SHORT_EMPTY[3], SOLUTION[SHORT_EMPTY[4]])
    ben.wait(lambda: ben.players[0] == f"Ada\n3 of {count}", lambda: f"Ben sees {ben.players}")
    ensure(ben.cells == SHORT, "Ben sees Ada's digits")
    ensure(ben.entries == 0, "A race leaves digits on the table")
    ben.page.keyboard.press("h")
    ben.enter(first, SOLUTION[first])
    ben.page.reload()
    ben.is_seated()
    ben.wait(lambda: ben.cells[first] == SOLUTION[first], "Ben does not come back to where he was")
    ada.wait(lambda: f"1 of {count}" in ada.players[1], lambda: f"Ada sees {ada.players}")
    for place in SHORT_EMPTY[3:]:
        ada.enter(place, SOLUTION[place])
    ben.wait(lambda: "\nin " in ben.players[0], lambda: f"Ben sees {ben.players}")
    examine(ada.page, "A race that is won")
    fits(ben.page, "A race on a phone")
    stage.leave()


@group.journey("an invitation leads to its game, and what is forged there is nothing")
def invited(stage):
    ada = stage.player("Ada")
    ada.begin()
    ada.sits("A race", "Ada")
    ada.begin(EASY)
    ada.sits("Together", "Ada")
    ada.page.get_by_role("button", name="Invite").click()
    sheet = ada.page.locator("dialog.sheet")
    link = sheet.get_by_role("textbox", name="Link").input_value()
    sheet.get_by_role("img", name="QR code").wait_for()
    ada.close()
    # The longest name in bytes that the field takes.
    ben = stage.phone("山" * 24, link)
    sheet = ben.page.locator("dialog.sheet")
    sheet.get_by_role("button", name="Join").first.wait_for()
    sheet.get_by_role("button", name="Join").first.click()
    ensure("what the others call you" in sheet.get_by_role("alert").inner_text(), "A seat is taken without a name")
    joins(ben)
    ada.wait(lambda: len(ada.players) == 2, lambda: f"{ada.players} sit here")
    ben.enter(2, 4)
    ada.shows(2, 4)
    # What another page would write: turns that nobody could follow, cells and digits that are none, a printed cell,
    # and what somebody without a seat enters.
    cy = stage.phone("Cy")
    cy.menu("Play together")
    cy.at_table("""await copy.transaction((t) => t.create('entry', {
        game: argument, place: 5, value: 8, notes: 0, turn: 1 }));""", ada.at_table("return game.id;"))
    cy.is_sent()
    ben.at_table("""const entry = { game: game.id, notes: 0 };
        await copy.transaction((t) => {
            t.create('entry', { ...entry, place: 3, value: 9, turn: 2n ** 60n });
            t.create('entry', { ...entry, place: 5, value: 12, turn: 1 });
            t.create('entry', { ...entry, place: 200, value: 1, turn: 1 });
            t.create('entry', { ...entry, place: 0, value: 1, turn: 1 });
            t.create('game', { givens: '1', grade: 9, isRace: false, openedAt: null });
        });
        await copy.transaction((t) => t.create('entry', { ...entry, place: 6, value: 9, turn: 1 }));""")
    ada.shows(6, 9)
    ensure(ada.cells[:6] == "534.7.", f"Forged entries are shown: {ada.cells}")
    ada.enter(3, 6)
    ben.shows(3, 6)
    # The record that Ada's page would make of her next cell is Ben's already.
    taken = ben.at_table("""
        const seat = copy.records('seat').find((each) => each.game === game.id && each.name === 'Ada');
        return copy.transaction((t) => t.create('entry', {
            game: game.id, place: 8, value: 0, notes: 0, turn: 0 }, seat.id.slice(0, 30) + '08'));""")
    ada.wait(lambda: ada.at_table("return Boolean(copy.get('entry', argument));", taken), "Ben's entry does not come")
    for digit in (2, 1):
        ada.enter(8, digit)
        ben.shows(8, digit)
    ada.is_sent()
    ensure(ada.cells[8] == "1", "Ada's digit is taken back")
    # Numbers beyond those of JavaScript: the list of games, and the race, are there all the same.
    race = ada.at_table("""
        const own = copy.records('seat').filter(({ creator }) => creator === copy.device).map(({ game }) => game);
        return copy.records('game').find(({ id, isRace }) => isRace && own.includes(id)).id;""")
    cy.at_table("""const most = 2n ** 60n;
        await copy.transaction((t) => {
            t.create('game', { givens: argument.givens, grade: most, isRace: false, openedAt: most });
            t.create('seat', {
                game: argument.race, name: 'Cy', color: most, satAt: most, filled: most, seconds: most });
        });""", {"race": race, "givens": EASY})
    cy.is_sent()
    sheet = ada.menu("Play together")
    games = sheet.locator(".games li")
    ada.wait(lambda: games.filter(has_text="Nobody is there yet").count(),
             lambda: f"{games.all_inner_texts()} are the games")
    games.filter(has_text="A race").get_by_role("button", name="Go back").click()
    ada.wait(lambda: "Cy" in str(ada.players), lambda: f"{ada.players} race")
    ensure("0 of 51" in str(ada.players), f"Forged counts are shown: {ada.players}")
    stage.leave()


@group.journey("the server is killed in the middle of a game: what it acknowledged is there, from it alone")
def killed(stage):
    """Three players one after the other: each is gone with what was not sent, and a fourth sees the server's."""
    reader = stage.player("Dee")
    reader.begin()
    reader.sits("Together", "Dee")
    reader.is_sent()
    # A copy from before, for the negative control.
    stage.program.end()
    shutil.copytree(stage.program.folder, stage.folder / "before")
    stage.program.start()
    places = iter(EMPTY)
    acknowledged = []
    for unsent, name in enumerate(("Ada", "Ben", "Cy"), 1):
        person = stage.phone(name)
        person.sits("Join", name)
        reader.wait(lambda: name in str(reader.players), lambda: f"{reader.players} sit here")
        reader.context.set_offline(True)
        kept = [next(places) for _ in range(5)]
        for place in kept:
            person.enter(place, SOLUTION[place])
        person.is_sent()
        # In the middle of what is being sent, after one, two and three more.
        for number in range(4):
            place = next(places)
            person.enter(place, SOLUTION[place])
            if number == unsent:
                stage.program.end(signal.SIGKILL)
        stage.leave(person)
        stage.program.start()
        reader.context.set_offline(False)
        acknowledged += kept
        reader.wait(lambda: not lost(reader, acknowledged), lambda: f"{lost(reader, acknowledged)} of {name} are lost")
    # Dee's own moves while the server is away come later.
    stage.program.end(signal.SIGKILL)
    place = next(places)
    reader.enter(place, SOLUTION[place])
    stage.program.start()
    reader.hears_of_the_network()
    reader.is_sent()
    game = reader.at_table("return game.id;")
    late = stage.phone("Eli", f"{stage.program.line('Guests')}&game={game}")
    joins(late)
    late.wait(lambda: not lost(late, [*acknowledged, place]), lambda: f"Eli lacks {lost(late, acknowledged)}")
    stage.leave()
    # A server that went back to before has none of it, and this would be seen.
    stage.program.end()
    shutil.rmtree(stage.program.folder)
    shutil.move(stage.folder / "before", stage.program.folder)
    stage.program.start()
    late = stage.phone("Flo", f"{stage.program.line('Guests')}&game={game}")
    joins(late)
    ensure(lost(late, acknowledged) == acknowledged, "The control sees what its server does not have")
    stage.leave()


def lost(person, entered):
    """Which of these cells a screen does not show."""
    return [place for place in entered if person.cells[place] != SOLUTION[place]]


def joins(person):
    """Takes a seat at the game to which a link has led."""
    sheet = person.page.locator("dialog.sheet")
    sheet.get_by_role("textbox", name="Your name").fill(person.name)
    sheet.get_by_role("button", name="Join").first.click()
    person.is_seated()
