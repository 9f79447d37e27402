"""The word race on two screens: whole rounds, wrong clocks, lost connections, a killed server, and those who cheat."""

import shutil
import signal
import time

from accessibility import examine, examine_further, fits
from journey import Group, ensure
from journeys_clone import clone
from journeys_pages import weight
from page_model import has_the_servers_model, says_it_is_old
from word_race import long_table, table, unhurried

WEIGHT_MAX = 60_000

group = Group(table)
long_group = Group(long_table)
clone_group = Group(table)


@group.journey("a first visit is at the table at once: at most 60 KB; a reload stays there")
def begins(stage):
    ada = stage.phone("Ada")
    total = weight(ada, page="words")
    print(f"    {total} bytes gzip until one can play", flush=True)
    ensure(0 < total <= WEIGHT_MAX, f"The page weighs {total} bytes")
    ada.button("Open a table").click()
    problem = ada.page.locator(".problem")
    ada.wait(lambda: "Say what the others call you" in problem.inner_text(), "A name is not needed")
    ada.open_table()
    ada.page.locator("img.code").wait_for()
    link = ada.page.get_by_role("textbox", name="Link").input_value()
    ensure(link == stage.program.line("Guests"), f"The link is {link}")
    ada.page.reload()
    ada.page.locator("lobby-view").wait_for()
    ensure("#" not in ada.page.url, "The link's secret stays in the address")
    stage.leave()


@group.journey("once it is open, a page without a connection shows the history")
def history_offline(stage):
    ada = stage.phone("Ada")
    page = ada.page
    ada.wait(lambda: page.evaluate("performance.getEntriesByName('complete').length"), "Not all of it is loaded")
    ensure(weight(ada, page="words") <= WEIGHT_MAX, "What is for later comes at once")
    ada.context.set_offline(True)
    page.get_by_role("button", name="History").click()
    page.locator("dialog").get_by_text("Nobody has finished a round yet.").wait_for()
    ada.context.set_offline(False)
    stage.leave()


@group.journey("two play a round: live points, words that nobody sees, a table of all words, and a rematch")
@unhurried
def plays(stage):
    ada, ben = stage.two()
    ensure(ada.round["letters"] == ben.round["letters"], "They have other letters")
    words = ada.words(stage.lexicon)
    ensure(ada.round["wordCount"] == len(words) >= 40, f"{ada.round['wordCount']} words, and {len(words)} by the list")
    for word in words[:3]:
        ada.enter(word)
    # Whoever types is seen to, for a moment after each key, and not what.
    box, told = ada.page.get_by_role("textbox", name="Your word"), []
    types = ben.page.locator("players-strip li", has_text="Ada").locator(".about", has_text="types…")

    def is_told():
        box.press_sequentially(words[3][:2])
        told.extend(types.all_inner_texts())
        return told
    ben.wait(is_told, "Ben does not see that Ada types")
    ensure(not any(words[3][:2] in text.split() for text in told), f"Ben sees {told}")
    types.wait_for(state="detached")
    box.fill("")
    for word in words[2:4]:
        ben.enter(word)
    ada.sees("Ben", 2)
    ben.sees("Ada", 3)
    seen = ben.page.evaluate("""async () => {
        const { group, own } = document.querySelector('words-page').store;
        const rows = [...group.records('score'), ...group.records('round'), ...group.records('entry'),
            ...own.records('entry')];
        return JSON.stringify(rows, (name, value) => (name === 'sieve' ? null : value)); }""")
    ensure(words[0] not in seen and words[2] in seen, "Ben’s page holds what Ada typed")
    for typed, sentence in ((words[2], "You have that word already."), ("zzz", "There is no z"),
                            (words[3] + "  " + words[2], "letters alone"), ("ab", "three letters")):
        if typed == "zzz" and "z" in ben.round["letters"]:
            continue
        ben.type(typed)
        ben.wait(lambda: sentence in ben.said, lambda: f"{typed}: {ben.said}")
    for person in (ada, ben):
        person.sees_end()
    scores = ben.scores
    ensure(scores["Ada"]["words"] == " ".join(words[:3]) and scores["Ben"]["words"] == " ".join(words[2:4]),
           f"The words are {scores}")
    ensure(scores["Ada"]["points"] > scores["Ben"]["points"], f"The points are {scores}")
    missed = ben.round["missed"].split(" ")
    ensure(set(missed) <= set(words[4:]) and len(missed[0]) == len(words[4]), f"{missed} were missed, not {words[4:7]}")
    text = ben.page.locator("result-view").inner_text()
    ensure("Ada wins" in text and missed[0] in text, text)
    ensure(ben.page.locator(".card .everyones").count() == 2 and ben.page.locator(".card .only").count() == 3,
           "The table does not tell words of one from words of all")
    for person in (ada, ben):
        person.ready("Play again")
    ben.page.locator("play-view").wait_for()
    ensure(ben.round["number"] == 2, "There is no second round")
    # The history outlives the server, and who comes new sees it.
    stage.program.end()
    stage.program.start()
    eve = stage.player("Eve")
    eve.button("History").click()
    history = eve.page.locator("dialog.sheet")
    told = ("Ada", str(scores["Ada"]["points"]), words[0])
    eve.wait(lambda: all(word in history.inner_text() for word in told), history.inner_text)
    stage.leave(eve)
    # The second round is none that anybody waits for.
    for person in (ada, ben):
        person.hears_of_the_network()
    stage.leave()


@clone_group.journey("a server that is lost with its disk: a clone has the history, and the table plays on")
@unhurried
def takes_over(stage):
    owner = stage.program.line("Owner")
    ada, ben = stage.two()
    words = ada.words(stage.lexicon)
    ada.enter(words[0])
    ben.enter(words[1])
    for person in (ada, ben):
        person.sees_end()
    scores = ada.scores
    copy = stage.program.folder.parent / f"clone-{stage.seconds}"
    done = clone(owner, copy)
    ensure(done.returncode == 0, f"The clone failed: {done.stderr}")
    stage.program.end(signal.SIGKILL)
    shutil.rmtree(stage.program.folder)
    stage.program.folder = copy
    stage.program.start()
    # Pages that stayed open play on.
    for person in (ada, ben):
        person.hears_of_the_network()
        person.is_saved()
        ensure(person.scores == scores, f"The clone has {person.scores}, and not {scores}")
    for person in (ada, ben):
        person.ready("Play again")
    ada.sees_letters()
    ensure(ada.round["number"] == 2, "The second round is not the second")
    word = ada.words(stage.lexicon)[0]
    ada.enter(word)
    ben.sees("Ada", 1)
    stage.leave()


@group.journey("by keyboard alone, with the bot: from the name to the table of all words")
@unhurried
def keyboard(stage):
    ada = stage.player("Ada")
    press = ada.page.keyboard.press

    def tab_to(name):
        for _ in range(40):
            press("Tab")
            if name in ada.page.evaluate("""() => { const { activeElement } = document;
                return activeElement.getAttribute('aria-label') ?? activeElement.labels?.[0]?.textContent
                    ?? activeElement.textContent; }"""):
                return
        ensure(False, f"The tabulator does not lead to “{name}”")

    tab_to("Your name")
    ada.page.keyboard.type("Ada")
    tab_to("Practise with the bot")
    press("Enter")
    ada.page.locator("lobby-view").wait_for()
    tab_to("I am ready")
    press("Space")
    ada.sees_letters()
    word = ada.words(stage.lexicon)[5]
    ada.page.keyboard.type(word)
    ensure(ada.page.locator(".tile.used").count() == len(word), "The letters that are used are not marked")
    press("Enter")
    ada.wait(lambda: ada.found == [word], lambda: f"“{word}” does not count: {ada.said}")
    ada.wait(lambda: ada.scores["Bot"]["count"] > 0, "The bot finds nothing")
    ada.sees_end()
    focused = ada.page.evaluate("document.activeElement.textContent")
    ensure("win" in focused or "place" in focused, f"The focus is at “{focused}”")
    ensure(all(word in ada.words(stage.lexicon) for word in ada.scores["Bot"]["words"].split(" ")),
           f"The bot found {ada.scores['Bot']['words']}")
    stage.leave()


@long_group.journey("a clock wrong by hours, ten seconds offline, a closed tab and a killed server lose no word")
@unhurried
def hardships(stage):
    ada, ben = stage.player("Ada"), stage.phone("Ben", wrong_by=-5 * 3_600_000)
    ada.open_table()
    ben.sit()
    ada.ready()
    ben.ready()
    for person in (ada, ben):
        person.sees_letters()

    def ending(person):
        return int(person.page.locator(".clock").inner_text()) + time.monotonic()
    # One is read after the other, and each shows whole seconds: they differ by no more than one at some moment.
    ada.wait(lambda: abs(ending(ada) - ending(ben)) <= 1.2, "The clocks differ")
    words = ada.words(stage.lexicon)
    ben.enter(words[0])
    ada.sees("Ben", 1)
    ben.context.set_offline(True)
    for word in words[1:4]:
        ben.enter(word)
    ben.pause(10, "ten seconds pass without a connection")
    ensure(ada.scores["Ben"]["count"] == 1, "Something came without a connection")
    ben.has_time()
    ben.context.set_offline(False)
    ada.sees("Ben", 4)
    # A tab that is closed, and opened again.
    ada.enter(words[4])
    ada.is_saved()
    ada.page.close()
    ada.page = ada.context.new_page()
    ada.page.goto(stage.program.line("Guests").split("#")[0])
    ada.sees_letters()
    ensure(ada.found == [words[4]], f"Ada comes back to {ada.found}")
    ada.enter(words[5])
    ben.sees("Ada", 2)
    # A server that is killed in the middle of the round.
    ben.enter(words[6])
    ben.is_saved()
    stage.program.end(signal.SIGKILL)
    ada.enter(words[7])
    stage.program.start()
    # Nothing tells the pages that it is back.
    ben.sees("Ada", 3)
    ada.sees("Ben", 5)
    for person in (ada, ben):
        person.sees_end()
    scores = ada.scores
    ensure(sorted(scores["Ben"]["words"].split(" ")) == sorted([*words[:4], words[6]]), f"Ben has {scores['Ben']}")
    ensure(sorted(scores["Ada"]["words"].split(" ")) == sorted([*words[4:6], words[7]]), f"Ada has {scores['Ada']}")
    stage.leave()


@group.journey("forged points, words of 10,000 letters, of others and out of time: a sentence, and nothing changed")
@unhurried
def cheats(stage):
    ada, ben = stage.two()
    words = ada.words(stage.lexicon)
    ada.enter(words[0])
    ben.sees("Ada", 1)
    ben.page.get_by_role("textbox", name="Your word").evaluate(
        "(input) => { input.maxLength = 1e6; input.value = 'ab'.repeat(5000); }")
    ben.page.keyboard.press("Enter")
    ben.wait(lambda: "No word is longer" in ben.said, lambda: ben.said)
    forge = """async (store, { space, entity, values }) => {
        const { group, own, game } = store;
        const round = store.roundOf(game);
        const [score] = store.scoresOf(round).filter(({ id }) => id !== store.scoreIn(round).id);
        const known = { round: round.id, game: game.id, seat: store.scoreIn(round).seat, theirs: score.seat };
        const filled = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, known[value] ?? value]));
        if (values.typedAt !== undefined) {
            filled.typedAt = Math.round(store.now(round)) - store.scoreIn(round).offset + values.typedAt;
        }
        await { group, own }[space].transaction((t) => t.create(entity, filled)); }"""
    entry = {"round": "round", "seat": "seat", "word": words[1], "typedAt": 0}
    # No letter of the round's, at the end of a word that is short enough for one more.
    other = words[-1] + next(letter for letter in "zqxjkv" if letter not in ben.round["letters"])
    for space, entity, values, sentence in (
            ("group", "score", {"round": "round", "points": 9999, "name": "Ben"}, "the server's word"),
            ("group", "round", {"game": "game", "number": 9, "letters": "abc"}, "the server's word"),
            ("own", "entry", entry | {"word": other}, "among the letters"),
            ("own", "entry", entry | {"typedAt": -600_000}, "before the letters"),
            ("own", "entry", entry | {"typedAt": 600_000}, "after the end"),
            ("own", "entry", entry | {"seat": "theirs"}, "You do not play this round"),
            ("group", "entry", entry, "a space of your own"),
            ("own", "entry", entry | {"word": "ab" * 60}, "No word is longer")):
        ben.has_time()
        ben.store(forge, {"space": space, "entity": entity, "values": values})
        ben.page.locator(".notice", has_text=sentence).wait_for()
        ben.page.locator(".notice", has_text=sentence).get_by_role("button").click()
    # The same server takes what is right.
    ben.has_time()
    ben.store(forge, {"space": "own", "entity": "entry", "values": entry})
    ada.sees("Ben", 1)
    for person in (ada, ben):
        person.sees_end()
    scores = ada.scores
    ensure(set(scores) == {"Ada", "Ben"} and scores["Ada"]["words"] == words[0] and scores["Ben"]["words"] == words[1],
           f"The scores are {scores}")
    ben.store(forge, {"space": "own", "entity": "entry", "values": entry | {"word": words[2], "typedAt": -30_000}})
    ben.page.locator(".notice", has_text="That round is not running").wait_for()
    ensure(ada.scores == scores, "What came too late changed the points")
    stage.leave()


@group.journey("axe finds nothing from 320 to 1,600 px, light, dark, mirrored; nothing is cut at 200 % text")
@unhurried
def accessible(stage):
    people = [stage.player(name, size=size, **options) for name, size, options in (
        ("Ada", (320, 640), {"color_scheme": "light"}), ("Ben", (1600, 900), {"color_scheme": "dark"}),
        ("Maximiliane-Charlotte", (900, 700), {"color_scheme": "light", "locale": "ar"}))]

    def look(what, examine=examine_further):
        for person in people:
            size = person.page.viewport_size["width"]
            examine(person.page, f"{what}, {size} px")
            fits(person.page, f"{what}, {size} px")
            person.page.evaluate("document.documentElement.style.fontSize = '200%'")
            fits(person.page, f"{what}, {size} px at 200 %")
            person.page.evaluate("document.documentElement.style.fontSize = ''")

    people[0].open_table()
    for person in people[1:]:
        person.page.get_by_role("button", name="Sit down").first.wait_for()
    look("Tables", examine)
    for person in people[1:]:
        person.sit()
    people[0].page.locator("img.code").wait_for()
    people[0].ready()
    look("The lobby")
    for person in people[1:]:
        person.ready()
    for person in people:
        person.sees_letters()
    words = people[0].words(stage.lexicon)
    for index, person in enumerate(people):
        person.enter(words[index])
        person.enter(words[5])
        person.type("zzz")
    look("A round")
    # It was one to the end of that.
    people[0].has_time(1)
    for person in people:
        person.sees_end()
    look("The end")
    for person in people:
        person.button("History").click()
    look("The history")
    stage.leave()


@group.journey("the race: the page's model is its server's; a page that is too old says so, and loads again")
def model(stage):
    ada = stage.player("Ada")
    has_the_servers_model(ada)
    says_it_is_old(ada)
    stage.leave()
