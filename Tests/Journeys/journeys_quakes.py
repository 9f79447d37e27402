"""The map of earthquakes: dots as the feed says, live, by hand, keyboard and ear, and offline."""

import contextlib
import signal
from datetime import datetime, timedelta, timezone

import quake_feed
from accessibility import examine
from journey import Group, ensure, until
from journeys_pages import WEIGHT_MAX, loaded, weight
from page_model import SENTENCE, grows_old, has_the_servers_model
from quake_feed import FeedServer, atom, generated, quake
from quakes import close_to, world

TONGA = quake("tonga001", "63 km SE of Hihifo, Tonga", -16.36, -173.37, 12, 6.4, 5)
DEEP = quake("okhotsk1", "310 km W of Esso, Russia", 54.9, 153.2, 600, 5.0, 8)
CHILE = quake("chile001", "41 km W of Calama, Chile", -22.4, -69.3, 110, 4.0, 50)
QUARRY = quake("tx000001", "5 km N of Butte, Montana", 46.05, -112.5, 0, None, 90, "mb", "Quarry Blast")
OLD = quake("iceland1", "20 km SW of Reykjanesbær, Iceland", 63.8, -22.8, 8, 5.2, 300)
# Where the older and larger one is: what comes later is drawn above it.
ABOVE = quake("iceland2", "20 km SW of Reykjanesbær, Iceland (aftershock)", 63.8, -22.8, 90, 3.0, 200)
SAMPLE = [TONGA, DEEP, CHILE, QUARRY, ABOVE, OLD]
# How many milliseconds a new quake pulses.
PULSE = 3200
_BEGUN = datetime.now(timezone.utc)


@contextlib.contextmanager
def setting():
    # As old as they are meant to be, however late this begins.
    late = timedelta(seconds=int((datetime.now(timezone.utc) - _BEGUN).total_seconds()))
    for each in SAMPLE:
        each.update(at=each["at"] + late, updated=each["updated"] + late)
    with world(FeedServer(atom(SAMPLE))) as stage:
        stage.begin = lambda: begin(stage.feed)
        yield stage


def begin(feed):
    """The feed is the sample again, and has been read: the second request after that is for no more."""
    asked = len(feed.asked)
    feed.data = atom(SAMPLE)
    until(lambda: len(feed.asked) > asked + 1 and feed.asked[-1] == 304,
          lambda: f"The feed is not read: {feed.asked[asked:]}")


group = Group(setting)


@group.journey("a first visit weighs at most 60 KB; land comes once the map is there")
def weighs(stage):
    stage.begin()
    watcher = stage.watcher("Ada", (1280, 720))
    watcher.wait(lambda: "/land.js" in {path for path, _, _ in loaded(watcher)}, "The map has no land")
    total = weight(watcher, page="quakes")
    print(f"    {total} bytes gzip until the map is there", flush=True)
    ensure(("/land.js", True) in {(path, is_later) for path, _, is_later in loaded(watcher)},
           "Land comes with the page")
    ensure(0 < total <= WEIGHT_MAX, f"The page weighs {total} bytes")
    # In the middle of Australia, between grid lines.
    inland = watcher.map("""(map, { pixelOf, project }) => {
        const at = pixelOf(project(134, -25), map.view, map.frame), box = map.getBoundingClientRect();
        return [at.left + box.left, at.top + box.top]; }""")
    watcher.wait(lambda: close_to(watcher.color(*inland), watcher.wanted_color("--land")), "No land is painted")
    stage.leave()


@group.journey("the map shows the feed's quakes: where, how strong, how deep, the newest on top")
def shows(stage):
    stage.begin()
    watcher = stage.watcher("Ada", (1280, 720))
    page = watcher.page
    watcher.until("(store) => store.quakes.length === 6", "Not all quakes are there")
    watcher.says("Live. Last updated at ")
    stage.quakes.says("USGS All Earthquakes, Past Day: 6 quakes, 6 new.")
    dots = watcher.map("(map) => map.dots.map(({ quake, radius, depth }) => [quake.place, radius, depth])")
    ensure([place for place, _, _ in dots][-1] == TONGA["place"], "The newest is not the last drawn")
    found = {place: (round(radius, 2), depth) for place, radius, depth in dots}
    # The area doubles with each magnitude; below 1 and unknown are alike.
    for each, radius, depth in ((TONGA, 22.97, 0), (DEEP, 14.14, 2), (CHILE, 10, 1), (QUARRY, 3.54, 0)):
        ensure(found[each["place"]] == (radius, depth), f"{each['place']} is drawn as {found[each['place']]}")
    sea = watcher.wanted_color("--sea")
    for each, name in ((TONGA, "--depth-0"), (DEEP, "--depth-2")):
        at = watcher.dot(each["place"])
        ensure(close_to(watcher.color(at["x"], at["y"]), watcher.wanted_color(name)),
               f"The dot of {each['place']} is not of the colour of its depth")
        ensure(not close_to(watcher.color(at["x"], at["y"] - at["radius"] - 9), watcher.wanted_color(name)),
               f"The dot of {each['place']} is larger than it should be")
    at = watcher.dot(DEEP["place"])
    ensure(close_to(watcher.color(at["x"] - 12, at["y"] - 12), sea), "What is deep is not a diamond")
    at = watcher.dot(CHILE["place"])
    ensure(watcher.color(at["x"] + 7, at["y"]) != watcher.color(at["x"], at["y"]), "No ring in Chile")
    at = watcher.dot(ABOVE["place"])
    under = watcher.color(at["x"] - 11, at["y"])
    ensure(watcher.color(at["x"] - 5, at["y"]) != under, "The aftershock is under the older quake")
    rows = page.locator("quake-list .place").all_inner_texts()
    ensure(len(rows) == 6 and "Hihifo" in rows[0] and "Iceland" in rows[-1], f"The list is {rows}")
    ensure("Quarry Blast" in watcher.row("Butte").inner_text(), "A quarry blast is told as a quake")
    page.get_by_role("radio", name="4.5+").check()
    watcher.wait(lambda: watcher.map("(map) => map.dots.length") == 3, "The weak ones stay")
    ensure("3 of 6 earthquakes" in page.locator(".count").inner_text(), "The count is wrong")
    page.get_by_role("radio", name="All").check()
    stage.leave()


@group.journey("a quake appears without a reload and pulses, is updated in place, and goes when withdrawn")
def live(stage):
    stage.begin()
    watcher, still = stage.watcher("Ada"), stage.phone("Ben", reduced_motion="reduce")
    for each in (watcher, still):
        each.until("(store) => store.quakes.length === 6", "Not all quakes are there")
        each.page.evaluate("window.loadedOnce = true")
        each.holds(PULSE)
    asked = len(stage.feed.asked)
    new = quake("peru0001", "14 km S of Camaná, Peru", -16.75, -72.7, 35, 5.8, 1)
    stage.feed.data = atom([new, *SAMPLE])
    for each in (watcher, still):
        each.page.locator(".pulse").wait_for(state="attached")
        each.wait(lambda: each.dot(new["place"]), "The new quake has no dot")
        at, box = each.dot(new["place"]), each.page.locator(".pulse").bounding_box()
        ensure(abs(box["x"] + box["width"] / 2 - at["x"]) < 1
               and abs(box["y"] + box["height"] / 2 - at["y"]) < 1, "The pulse is not at the dot")
        each.row("Camaná").wait_for()
    names = [each.page.locator(".pulse").evaluate("(at) => getComputedStyle(at, '::after').animationName")
             for each in (watcher, still)]
    ensure(names == ["spread", "none"], f"The pulses are {names}")
    for each in (watcher, still):
        each.lets_go()
        each.page.locator(".pulse").wait_for(state="detached")
    stage.quakes.says("Past Day: 7 quakes, 1 new.")
    before = watcher.dot(new["place"])
    watcher.row("Camaná").click()
    watcher.page.locator("quake-details h2").wait_for()
    stage.feed.data = atom([{**new, "magnitude": 6.2, "longitude": -74.7, "depth": 80.0,
                             "updated": datetime.now(timezone.utc)}, *SAMPLE])
    watcher.until("(store) => store.quakes.some(({ magnitude }) => magnitude === 6.2)", "No update came")
    after = watcher.dot(new["place"])
    ensure(after["id"] == before["id"] and after["depth"] == 1, "The update is another record")
    ensure(watcher.store("(store) => store.count") == 7, "The update is one more quake")
    stage.quakes.says("Past Day: 7 quakes, 1 changed.")
    watcher.wait(lambda: "6.2" in watcher.page.locator("quake-details").inner_text(),
                 "The open card shows the old magnitude")
    stage.feed.data = atom(SAMPLE)
    watcher.until("(store) => store.quakes.length === 6", "What was withdrawn stays")
    stage.quakes.says("Past Day: 6 quakes, 1 withdrawn.")
    watcher.page.locator("quake-details").wait_for(state="hidden")
    until(lambda: stage.feed.asked[-1] == 304, "The feed is fetched again and again")
    ensure(stage.feed.asked[asked:].count(200) == 3, f"Three versions took {stage.feed.asked[asked:]}")
    spoken = watcher.page.locator(".unseen[role=status]")
    watcher.wait(lambda: spoken.text_content() == "New: magnitude 5.8, 9 mi S of Camaná, Peru.",
                 lambda: f"A screen reader hears “{spoken.text_content()}”")
    ensure(all(each.page.evaluate("window.loadedOnce") for each in (watcher, still)), "A page reloaded")
    stage.leave()


@group.journey("a feed withdraws its oldest quake, and its last one; what is broken or away withdraws none")
def withdraws(stage):
    stage.begin()
    watcher = stage.watcher("Ada")
    watcher.until("(store) => store.quakes.length === 6", "Not all quakes are there")
    stage.feed.data = atom(SAMPLE).replace(b"</feed>", b"")
    stage.quakes.says("cannot be read on at line ")
    stage.feed.data = atom([])[:-8]
    stage.quakes.says("The document ends before it is whole.")
    stage.feed.data = b"<html><body>Service unavailable</body></html>"
    stage.quakes.says("is a web page")
    asked, stage.feed.data = len(stage.feed.asked), b""
    until(lambda: len(stage.feed.asked) > asked + 1, "Nothing is not read")
    ensure(watcher.store("(store) => store.count") == 6, "What is no feed withdrew quakes")
    stage.feed.data = atom(SAMPLE[:-1])
    stage.quakes.says("Past Day: 5 quakes, 1 withdrawn.")
    watcher.until("(store) => store.quakes.length === 5", "The oldest stays")
    stage.feed.data = atom([])
    stage.quakes.says("Past Day: 0 quakes, 5 withdrawn.")
    watcher.until("(store) => store.quakes.length === 0", "The last ones stay")
    stage.begin()
    watcher.until("(store) => store.quakes.length === 6", "They do not come back")
    stage.leave()


@group.journey("a feed that breaks or is away is told of in a sentence, asked less, and taken up again")
def troubled(stage):
    stage.begin()
    watcher = stage.watcher("Ada")
    good = atom(SAMPLE)
    early = quake("early001", "9 km W of Petrolia, California", 40.3, -124.4, 20, 3.2, 2)
    broken = atom([early, *SAMPLE]).replace(b"<title>M 5.0", b"<title><M 5.0")
    stage.feed.data = broken
    line = broken[:broken.index(b"<M 5.0")].count(b"\n") + 1
    watcher.says(f"127.0.0.1 cannot be read on at line {line}, column ")
    ensure("Last updated at" in watcher.state, "Nobody says of when the map is")
    watcher.wait(lambda: watcher.dot(early["place"]), "What came before the fault is not shown")
    stage.quakes.says(f"at line {line}, column ")
    until(lambda: stage.feed.asked[-2:] == [304, 304], "What is broken is fetched again")
    # First of all: later the doubled wait would be longer than the one that is asked for.
    stage.feed.retry_after = 1
    stage.feed.status = 429
    stage.quakes.says("127.0.0.1 answers 429. Next try in 1 s.")
    stage.feed.retry_after = None
    stage.feed.status = 200
    stage.quakes.says("127.0.0.1 answers again.")
    stage.feed.status = 503
    watcher.says("127.0.0.1 answers 503.")
    stage.quakes.says("127.0.0.1 answers 503. Next try in 0.2 s.")
    stage.quakes.says("127.0.0.1 answers 503. Next try in 0.4 s.")
    stage.feed.cut, stage.feed.data, stage.feed.status = True, good, 200
    stage.quakes.says("The connection to 127.0.0.1 broke off. Next try in ")
    ensure(watcher.store("(store) => store.count") == 7, "The map lost quakes")
    stage.feed.cut = False
    watcher.says("Live.")
    stage.leave()


@group.journey("odd entries: other titles, no depth, no place, a hostile link, one id twice, and RSS")
def odd(stage):
    stage.begin()
    watcher = stage.watcher("Ada")
    watcher.until("(store) => store.quakes.length === 6", "Not all quakes are there")
    mad = quake("mad00001", "<b>5 km</b> & a bit of Nowhere", 10, 20, None, -0.4, 12)
    bare = quake("bare0001", "Where?", 11, 21, 5, 2, 11)
    twice = [quake("twice001", "2 km N of Twice", 12, 22, 5, magnitude, 10) for magnitude in (1.0, 2.5)]
    text = atom([*twice, mad, bare, *SAMPLE]).decode()
    text = text.replace("<georss:point>11 21</georss:point>", "").replace(
        "https://earthquake.usgs.gov/earthquakes/eventpage/usmad00001", "javascript:alert(1)")
    stage.feed.data = text.encode()
    stage.quakes.says("9 quakes, 3 new, 1 without a place or time.")
    watcher.until("(store) => store.quakes.length === 9", "The odd ones did not come")
    quakes = watcher.store("(store) => store.quakes.map((quake) => ({ ...quake }))")
    found = {each["event"].split(":")[-1]: each for each in quakes}
    ensure(found["twice001"]["magnitude"] == 1.0
           and sorted(each["magnitude"] for each in quakes if "Twice" in each["place"]) == [1.0, 2.5],
           "Of two that have one name one is lost")
    ensure(found["mad00001"]["magnitude"] == -0.4 and found["mad00001"]["depth"] is None, "It is tidied up")
    watcher.row("Nowhere").click()
    card = watcher.page.locator("quake-details")
    watcher.wait(lambda: "<b>5 km</b> & a bit of Nowhere" in card.inner_text(),
                 lambda: f"The title is no plain text, but “{card.inner_text()}”")
    ensure("\u22120.4" in card.inner_text() and "unknown" in card.inner_text(), "The card invents facts")
    ensure(card.locator("a").is_hidden(), "A script is offered as a page")
    now = datetime.now(timezone.utc)
    stage.feed.data = f"""<rss version="2.0" xmlns:georss="{quake_feed.GEORSS}"><channel>
      <title>Elsewhere</title><item><guid>e-1</guid><title>Tremor near Basel</title><georss:point>47.56 7.59
      </georss:point><pubDate>{now:%a, %d %b %Y %H:%M:%S} GMT</pubDate></item></channel></rss>""".encode()
    stage.quakes.says("Elsewhere: 1 quake, 1 new.")
    watcher.row("Tremor near Basel").wait_for()
    stage.leave()


@group.journey("the map is moved, enlarged and asked by mouse, wheel, touch and keyboard")
def by_hand(stage):
    stage.begin()
    watcher, phone = stage.watcher("Ada", (1280, 720)), stage.phone("Ben")
    page = watcher.page
    view = lambda who=watcher: who.map("(map) => map.view")
    world = view()
    place = lambda who, x, y: who.map("""(map, { unproject }, [x, y]) => {
        const box = map.getBoundingClientRect(); return unproject({
        x: map.view.x + (x - box.left - map.frame.width / 2) / map.view.scale,
        y: map.view.y + (y - box.top - map.frame.height / 2) / map.view.scale }); }""", [x, y])
    near = lambda one, other: abs(one["longitude"] - other["longitude"]) < 0.01 and abs(
        one["latitude"] - other["latitude"]) < 0.01
    page.mouse.move(300, 300)
    before = place(watcher, 300, 300)
    page.mouse.wheel(0, -600)
    watcher.wait(lambda: view()["scale"] > world["scale"] * 2, "The wheel does not enlarge")
    ensure(near(place(watcher, 300, 300), before), "What is under the mouse does not stay there")
    page.mouse.down()
    page.mouse.move(360, 340, steps=3)
    page.mouse.up()
    ensure(near(place(watcher, 360, 340), before), "The map does not follow the mouse")
    page.get_by_role("button", name="Whole world").click()
    watcher.wait(lambda: view()["scale"] == world["scale"], "The world does not come back")
    at = watcher.dot(CHILE["place"])
    page.mouse.click(at["x"], at["y"])
    card = page.locator("quake-details")
    card.wait_for()
    text = card.inner_text()
    for part in ("4.0", "25 mi W of Calama, Chile", "When", "UTC", "68 mi, intermediate",
                 "22.400° S, 69.300° W"):
        ensure(text.count(part) == 1, f"The card does not say “{part}” once: {text}")
    # The browser is in UTC, so that its own time would be the same.
    ensure("Your time" not in text, f"The card says its time twice: {text}")
    ensure(card.get_by_role("link").get_attribute("href").endswith("/eventpage/uschile001"), "No link")
    page.get_by_role("button", name="Show kilometres").click()
    watcher.wait(lambda: "41 km W of Calama, Chile" in card.inner_text()
                 and "110 km" in card.inner_text(), lambda: f"It says “{card.inner_text()}”")
    page.mouse.click(at["x"], at["y"] - 120)
    card.wait_for(state="hidden")
    page.locator("quake-map").focus()
    keys = page.keyboard
    keys.press("+")
    keys.press("ArrowRight")
    ensure(view()["scale"] > world["scale"] and view()["x"] != world["x"], "Keys do not move the map")
    keys.press("0")
    ensure(view() == world, "0 does not show the world")
    keys.press("Enter")
    card.wait_for()
    keys.press("Escape")
    card.wait_for(state="hidden")
    ensure(page.evaluate("document.activeElement.tagName") == "QUAKE-MAP", "The focus is lost")
    at = phone.dot(TONGA["place"])
    phone.page.touchscreen.tap(at["x"], at["y"])
    phone.page.locator("quake-details", has_text="Hihifo").wait_for()
    phone.page.get_by_role("button", name="Close", exact=True).click()
    before = view(phone)
    hand = phone.context.new_cdp_session(phone.page)
    def fingers(kind, *points):
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
            {"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]})
    middle = place(phone, 180, 180)
    fingers("touchStart", (160, 180), (200, 180))
    for spread in (40, 60, 80):
        fingers("touchMove", (180 - spread, 180), (180 + spread, 180))
    fingers("touchEnd")
    ensure(view(phone)["scale"] > before["scale"] * 2, "Two fingers do not enlarge")
    ensure(near(place(phone, 180, 180), middle), "What is between the fingers does not stay there")
    ensure(phone.page.evaluate("document.documentElement.scrollWidth") == 360, "The page is too wide")
    stage.leave()


def overlay(watcher):
    """The overlay's rectangle and the one that it should fill, both in the layout viewport."""
    return watcher.page.evaluate("""() => {
        const box = document.querySelector('.matches').getBoundingClientRect();
        const field = document.querySelector('#search').getBoundingClientRect();
        const { offsetLeft: left, offsetTop: top, width, height } = visualViewport;
        return { is: [box.left, box.top, box.right, box.bottom],
            should: [left, field.bottom, left + width, top + height], height: box.height,
            viewport: [left, top, width, height] }; }""")


def is_exact(found):
    return all(abs(one - other) < 0.51 for one, other in zip(found["is"], found["should"]))


def fills(watcher, what):
    """Waits until the overlay is exactly what is visible below the field, and returns both."""
    return watcher.wait(lambda: is_exact(found := overlay(watcher)) and found,
                        lambda: f"{what}: {overlay(watcher)}")


@group.journey("the search's overlay fills exactly what is visible between the field and the keyboard")
def searched(stage):
    stage.begin()
    stage.feed.data = atom([*SAMPLE, *generated(150, seed=7, hours=4)])
    phone = stage.phone("Ada")
    page = phone.page
    phone.until("(store) => store.quakes.length > 100", "The quakes did not come")
    matches = page.locator(".matches")
    field = page.locator("#search")
    field.tap()
    matches.wait_for()
    ensure(page.evaluate("document.activeElement.id") == "search", "The field has no focus")
    whole = fills(phone, "Without a keyboard")
    ensure(whole["is"][3] == 740 and whole["height"] > 600, f"It is {whole['is']}")
    devtools = phone.context.new_cdp_session(page)

    # Real: the window itself gets lower, as where keyboards resize the content.
    page.set_viewport_size({"width": 360, "height": 420})
    low = fills(phone, "In a lower window")
    ensure(low["is"][3] == 420, f"It is {low['is']}")
    page.set_viewport_size({"width": 360, "height": 740})
    fills(phone, "In a window that is high again")

    # Real: the page is enlarged by two fingers, so that the visual viewport is a part of the layout's.
    devtools.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 1.6})
    near = fills(phone, "On an enlarged page")
    ensure(near["viewport"][2] < 230, f"The page is not enlarged: {near}")
    devtools.send("Input.synthesizeScrollGesture", {
        "x": 100, "y": 200, "xDistance": -90, "yDistance": 0, "speed": 4000})
    moved = phone.wait(lambda: (at := overlay(phone))["viewport"][0] > 20 and at,
                       lambda: f"The enlarged page does not move: {overlay(phone)}")
    fills(phone, "On an enlarged page that was moved")
    ensure(moved["viewport"][0] != near["viewport"][0], "Nothing moved")
    devtools.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 1})
    fills(phone, "On a page at its size again")

    # Stubbed: no desktop Chromium has an on-screen keyboard. Its visual viewport is made 310 pixels
    # lower, and then moved down by 40 as phones do, with the events that a keyboard brings.
    page.evaluate("""() => {
        const set = (name, get) => Object.defineProperty(visualViewport, name, { get, configurable: true });
        window.keyboard = (height, offset) => {
            set('height', () => innerHeight - height); set('offsetTop', () => offset);
            visualViewport.dispatchEvent(new Event(offset ? 'scroll' : 'resize')); };
        window.keyboard(310, 0); }""")
    typed = fills(phone, "Over a keyboard")
    ensure(typed["is"][3] == 430, f"It is {typed['is']}")
    page.evaluate("window.keyboard(310, 40)")
    ensure(fills(phone, "Over a keyboard that moved the page")["is"][3] == 470, "It does not follow")
    # Negative control: an overlay that is one pixel off is seen.
    page.evaluate("document.querySelector('.matches').style.marginTop = '1px'")
    ensure(not is_exact(overlay(phone)), "A pixel makes no difference")
    page.evaluate("document.querySelector('.matches').style.marginTop = ''")

    page.keyboard.type("alaska")
    rows = page.locator(".matches [role=option]")
    rows.first.wait_for()
    phone.wait(lambda: all("Alaska" in text for text in rows.all_inner_texts()),
               lambda: f"Something else matches: {rows.all_inner_texts()}")
    ensure(f"{rows.count()} match" in page.locator(".hint").inner_text(), "The count is wrong")
    fills(phone, "With matches")
    # Cancelled by a tap where no match is: at the start of the sentence above them.
    box = page.locator(".hint").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] - 12, box["y"] + box["height"] / 2)
    matches.wait_for(state="hidden")
    ensure(field.input_value() == "" and page.evaluate("document.activeElement.id") != "search",
           "A tap beside the matches leaves the field as it is")
    ensure(page.locator("quake-details").is_hidden(), "A tap beside the matches chooses one")
    field.tap()
    page.keyboard.type("m5+ deep")
    page.keyboard.press("Escape")
    matches.wait_for(state="hidden")
    ensure(field.input_value() == "", "Escape leaves the words")
    page.keyboard.type("esso")
    rows.first.wait_for()
    page.keyboard.press("ArrowDown")
    ensure(field.get_attribute("aria-activedescendant") == "match-0", "No match is marked")
    page.keyboard.press("Enter")
    page.locator("quake-details", has_text="Esso").wait_for()
    ensure(matches.is_hidden(), "The overlay stays over what was chosen")
    page.get_by_role("button", name="Close", exact=True).click()
    # What the magnitudes hide is counted, and a tap shows it.
    page.get_by_role("radio", name="4.5+").check()
    field.tap()
    page.keyboard.type("chile001")
    hint = page.locator(".hint p")
    phone.wait(lambda: hint.inner_text() == "Nothing matches; “4.5+” hides 1.",
               lambda: f"It says “{hint.inner_text()}”")
    page.get_by_role("button", name="Show all").tap()
    phone.wait(lambda: hint.inner_text() == "1 match." and rows.count() == 1, "It stays hidden")
    ensure(page.get_by_role("radio", name="All").is_checked(), "The magnitudes say something else")
    ensure(page.get_by_role("button", name="Show all").is_hidden(), "There is more to show")
    fills(phone, "With all matches")
    rows.first.tap()
    page.locator("quake-details", has_text="Calama").wait_for()
    stage.leave()


@group.journey("axe finds nothing on map, card and search, light, dark and from right to left")
def accessible(stage):
    stage.begin()
    for what, options in (("light", {"color_scheme": "light"}), ("dark", {"color_scheme": "dark"}),
                          ("from right to left", {"locale": "ar"})):
        who = stage.phone(what, **options) if what == "dark" else stage.watcher(what, **options)
        who.until("(store) => store.quakes.length === 6", "Not all quakes are there")
        who.row("Calama").click()
        who.page.locator("quake-details").wait_for()
        examine(who.page, f"The map with a card, {what}")
        if what != "dark":
            continue
        who.page.get_by_role("button", name="Close", exact=True).click()
        who.page.locator("#search").click()
        who.page.keyboard.type("a")
        who.page.locator(".matches [role=option]").first.wait_for()
        examine(who.page, f"The search, {what}")
    right = who.page.locator("quake-list").bounding_box()
    ensure(right["x"] < 10, "From right to left, the list is not at the left")
    stage.leave()


@group.journey("what was there is shown after a kill, a restart, and a reload without the server's answers")
def again(stage):
    stage.begin()
    watcher = stage.watcher("Ada")
    watcher.until("(store) => store.quakes.length === 6", "Not all quakes are there")
    stage.quakes.end(signal.SIGKILL)
    watcher.says("No connection to the map’s server.")
    ensure("Last updated at" in watcher.state, "Nobody says of when the map is")
    ensure(watcher.map("(map) => map.dots.length") == 6, "The map is empty without a server")
    asked = len(stage.feed.asked)
    stage.quakes.start()
    watcher.says("Live.")
    until(lambda: len(stage.feed.asked) > asked, "The feed is not asked after a restart")
    ensure(set(stage.feed.asked[asked:]) == {304}, f"After a restart: {stage.feed.asked[asked:]}")
    stage.quakes.says("6 quakes so far")
    # On plain HTTP the page's files come from the server; what it says of the map does not.
    for path in ("**/session", "**/invitation.json", "**/join", "**/sync*"):
        watcher.page.route(path, lambda route: route.abort())
    watcher.page.route_web_socket("**/sync*", lambda socket: socket.close())
    watcher.page.reload()
    watcher.page.locator("quakes-page h1").wait_for()
    watcher.until("(store) => store.quakes.length === 6", "The reloaded page is empty")
    watcher.says("No connection to the map’s server. Last updated at ")
    ensure(watcher.map("(map) => map.dots.length") == 6, "The reloaded map is empty")
    stage.leave()


@group.journey("the map: the page's model is its server's; a page that is too old says so")
def model(stage):
    stage.begin()
    watcher = stage.watcher("Ada")
    has_the_servers_model(watcher)
    grows_old(watcher)
    watcher.says(SENTENCE)
    watcher.until("(store) => store.quakes.length === 6", "The old page shows nothing")
    stage.leave()
