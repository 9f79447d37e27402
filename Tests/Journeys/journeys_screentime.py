"""Screen time: parents, a wrist and a child at once, a real desktop, a server that is killed, and who forges."""

import time

from accessibility import examine, examine_further, fits
from album import LAN
from journey import Group, ensure, frozen
from journeys_pages import weight
from page_model import has_the_servers_model, says_it_is_old
from screentime import house, saved

WEIGHT_MAX = 60_000

group = Group(house)


@group.journey("a first visit weighs at most 60 KB, and who looks on may change nothing")
def first(stage):
    parent = stage.parent()
    parent.follow("Ada")
    guest = stage.looker("a guest", stage.program.line("Guests"))
    guest.card("Ada").wait_for()
    for name in ("Menu", "Change limits", "Give 15 min more"):
        ensure(not guest.page.get_by_role("button", name=name).count(), f"A guest has the button {name}")
    refused = guest.page.evaluate("""async () => {
        const paths = [['/people', 'POST', '{"name":"Bo"}'], ['/link', 'POST', '{}'], ['/looking', 'POST', '{}'],
          ['/people/x/history', 'DELETE']];
        return Promise.all(paths.map(([path, method, body]) =>
          fetch(path, { method, body }).then(({ status }) => status))); }""")
    ensure(refused == [403] * 4, f"A guest may: {refused}")
    new = stage.looker("somebody new", stage.program.line("Guests"))
    new.card("Ada").wait_for()
    total = weight(new, page="screentime")
    print(f"    {total} bytes gzip until everybody is shown", flush=True)
    ensure(0 < total <= WEIGHT_MAX, f"The page weighs {total} bytes")
    # A child's link opens that child's spaces, and no way leads from there to the family.
    child = stage.looker("Ada", parent.link("Ada"))
    child.card("Ada").wait_for()
    refused = child.page.evaluate("""async (family) => Promise.all(
        [['/keys', 'POST', '{}'], ['/looking', 'POST'], ['/link', 'POST', '{}'], [`/sync?space=${family}`, 'GET']]
          .map(([path, method, body]) => fetch(path, { method, body }).then(({ status }) => status)))""",
        parent.store("({ family }) => family.replica.space"))
    ensure(refused == [403] * 4, f"A child may: {refused}")
    url = child.page.evaluate("fetch('/invite').then((answer) => answer.json()).then(({ url }) => url)")
    ensure("#" not in url, f"A child gets a link: {url}")
    stage.leave()


@group.journey("a real desktop is seen live by a parent and by the child itself, and quiet where nothing comes")
def live(stage):
    parent = stage.parent()
    link = parent.follow("Bo")
    with stage.desktop() as desktop:
        desktop.use(parent, "xterm")
        desktop.start(link.replace(LAN, "127.0.0.1"))
        child = stage.looker("Bo", link, (360, 740))
        parent.shows("Bo", "xterm\u2069, since")
        child.shows("Bo", "xterm\u2069, since")
        took = []
        for program in ("xcalc", "xterm", "xcalc"):
            began = time.monotonic()
            desktop.use(parent, program)
            parent.shows("Bo", f"{program}\u2069, since")
            took.append(time.monotonic() - began)
        print(f"    seen after {', '.join(f'{each:.2f} s' for each in took)}", flush=True)
        child.shows("Bo", "xcalc\u2069, since")
        # The last word has a second to leave, and otherwise leaves after the next start.
        began = 0

        def has_ended():
            nonlocal began
            if "its agent was ended at" in parent.card("Bo").inner_text():
                return True
            if time.monotonic() - began > 10:
                if began:
                    desktop.start(link.replace(LAN, "127.0.0.1"))
                    parent.shows("Bo", ", since")
                desktop.agent.terminate()
                desktop.agent.wait()
                began = time.monotonic()
            return False
        parent.wait(has_ended, "The end of the agent is not told")
    # What was last seen an hour ago is said to be so.
    time_of_day = child.page.evaluate("""async () => {
        const { use } = document.querySelector('family-page').store.people[0], seenAt = Date.now() - 3600000;
        await use.transaction((t) => t.create('device', { name: 'Old', sees: 'programs', seenAt }));
        return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(seenAt); }""")
    parent.shows("Bo", f"Old\u2069: quiet since {time_of_day}")
    stage.leave()


@group.journey("a child asks, a wrist gives, and parent, wrist and child see the same at once")
def asks(stage):
    parent = stage.parent()
    child = stage.looker("Cy", parent.follow("Cy"), (360, 740))
    wrist = stage.wrist(stage.parents_link(parent))
    child.used("game", 35)
    child.used("editor", 20, number=2)
    parent.budget("Cy", 60)
    for person in (parent, child, wrist):
        person.shows("Cy", "0:05 left")
    ensure("Ask for" not in parent.card("Cy").inner_text(), "A parent is offered to ask")
    child.page.get_by_role("button", name="Ask for 15 min more: Everything").click()
    child.shows("Cy", "Nobody answered yet")
    for person in (parent, wrist):
        person.shows("Cy", "asks for 15 minutes more")
    # A wrist shows the name, the time and what is left, one below the other, and large.
    card = wrist.card("Cy")
    ensure(card.locator(".digits").inner_text() == "0:55", card.inner_text())
    size = card.locator(".digits").evaluate("(it) => parseFloat(getComputedStyle(it).fontSize)")
    ensure(size >= 48, f"The digits are {size} px high")
    give = card.get_by_role("button", name="Give 15 min")
    box = give.bounding_box()
    ensure(box["height"] >= 44 and box["x"] >= 0 and box["x"] + box["width"] <= 184, f"The button stands at {box}")
    give.click()
    for person in (parent, child, wrist):
        person.shows("Cy", "0:20 left")
    child.shows("Cy", "Your parents gave you 15 minutes more.")
    # A category, a rest, and a no.
    parent.category("Cy", "Games")
    parent.card("Cy").get_by_role("button", name="Change limits").click()
    sheet = parent.page.locator("dialog.sheet")
    sheet.get_by_role("button", name="Add a rest").click()
    sheet.get_by_role("button", name="Remove 20:30").wait_for()
    parent.close()
    parent.budget("Cy", 40, "Games")
    parent.details("Cy")
    parent.page.get_by_role("combobox", name="Category of game").select_option("Games")
    for person in (parent, child):
        person.shows("Cy", "Games: 20 min left of 55 min")
    child.page.get_by_role("button", name="Ask for 15 min more: Games").click()
    parent.shows("Cy", "15 minutes more: Games")
    parent.card("Cy").get_by_role("button", name="Not now").click()
    child.shows("Cy", "Your parents said: not now.")
    child.shows("Cy", "Games: 20 min left of 55 min")
    stage.leave()


@group.journey("a second link in one browser, of host, parent and child, leaves everything open")
def second_links(stage):
    parent = stage.parent()
    link = parent.follow("Jo")
    host = stage.looker("the host", stage.program.line("Here").replace("localhost", LAN))
    child = stage.looker("Jo", link, (360, 740))
    for person in (host, child):
        person.card("Jo").wait_for()
    # Each start prints other links.
    stage.program.end()
    stage.program.start()
    parents_link = stage.parents_link(parent)
    for person, another in ((host, stage.program.line("Here").replace("localhost", LAN)), (host, parents_link),
                            (child, parent.link("Jo")), (parent, parents_link)):
        person.page.goto("about:blank")
        person.open(another)
        person.card("Jo").wait_for()
        person.is_saved()
    child.used("game", 35)
    for person in (parent, host, child):
        person.shows("Jo", "0:35")
    # The person who only looked on is a parent now.
    host.budget("Jo", 60)
    child.shows("Jo", "0:25 left")
    child.page.get_by_role("button", name="Ask for 15 min more: Everything").click()
    parent.shows("Jo", "asks for 15 minutes more")
    parent.card("Jo").get_by_role("button", name="Give 15 min more").click()
    for person in (host, child):
        person.shows("Jo", "0:40 left")
    stage.leave()


@group.journey("a parent gives more of one category, unasked, and the other categories have no more of it")
def gift(stage):
    parent = stage.parent()
    child = stage.looker("Ivo", parent.follow("Ivo"), (360, 740))
    child.used("game", 35)
    child.used("editor", 20, number=2)
    parent.budget("Ivo", 60)
    parent.details("Ivo")
    for category, program, minutes in (("Games", "game", 40), ("Work", "editor", 30)):
        parent.category("Ivo", category)
        parent.budget("Ivo", minutes, category)
        parent.page.get_by_role("combobox", name=f"Category of {program}").select_option(category)
    for person in (parent, child):
        person.shows("Ivo", "Games: 5 min left of 40 min")
        person.shows("Ivo", "Work: 10 min left of 30 min")
    ensure("Give" not in child.card("Ivo").inner_text(), "A child is offered to give")
    parent.card("Ivo").get_by_role("button", name="Give 15 min more: Games").click()
    for person in (parent, child):
        person.shows("Ivo", "Games: 20 min left of 55 min")
        # What a category has more of, the whole day has too.
        person.shows("Ivo", "Everything: 20 min left of 1 h 15 min")
        ensure("Work: 10 min left of 30 min" in person.card("Ivo").inner_text(), "Another category has more of it")
    parent.is_saved()
    stage.leave()


@group.journey("parents who change limits apart keep what the other decided, and an open sheet shows it")
def limits_apart(stage):
    one = stage.parent()
    one.follow("Ben")
    one.budget("Ben", 60)
    other = stage.parent("another parent", stage.parents_link(one))
    other.shows("Ben", "of 1 h")
    monday, tuesday = [f"Everything, {day}, minutes" for day in ("Mon", "Tue")]
    for person in (one, other):
        person.card("Ben").get_by_role("button", name="Change limits").click()
    fields = [[person.page.get_by_role("spinbutton", name=name) for name in (monday, tuesday)]
              for person in (one, other)]
    for field in (fields[0][0], fields[1][1]):
        ensure(field.input_value() == "60", f"The sheet shows {field.input_value()!r}")
    other.context.set_offline(True)
    other.until("({ standing }) => standing.phase === 'offline'", "It does not notice that it is offline")
    fields[0][0].fill("30")
    fields[0][0].blur()
    one.is_saved()
    fields[1][1].fill("90")
    fields[1][1].blur()
    other.context.set_offline(False)
    for person, (first, second) in zip((one, other), fields):
        person.wait(lambda: (first.input_value(), second.input_value()) == ("30", "90"),
                    lambda: f"Monday has {first.input_value()!r} and Tuesday {second.input_value()!r} minutes")
        person.is_saved()
        person.close()
    stage.leave()


@group.journey("days and months are bars with a table behind them")
def days(stage):
    parent = stage.parent()
    child = stage.looker("Di", parent.follow("Di"), (360, 740))
    for number, (program, minutes, days_ago) in enumerate((("game", 65, 0), ("editor", 30, 1), ("game", 120, 20)), 1):
        child.used(program, minutes, days_ago, number)
    parent.shows("Di", "1:05")
    parent.details("Di")
    card = parent.card("Di")
    # Each use comes by itself.
    parent.wait(lambda: card.locator(".bars rect").count() == 2, "A week has two days with bars")
    parent.wait(lambda: "missing" not in card.inner_text(), "Uses are missing")
    card.get_by_text("As a table").click()

    def rows():
        return card.get_by_role("row").all_inner_texts()
    parent.wait(lambda: len(shown := rows()) == 8 and "1 h 5 min" in shown[1] and "30 min" in shown[2]
                and "nothing" in shown[3], lambda: f"{rows()}")
    card.get_by_role("radio", name="30 days").check()
    parent.wait(lambda: card.locator(".bars rect").count() == 3, "A month has three days with bars")
    parent.wait(lambda: card.get_by_role("row").count() == 31, "The table has 30 days")
    # The numbers 4 and 5 never came.
    child.used("editor", 1, 0, 6)
    parent.shows("Di", "2 uses are missing between others.")
    # One comes late, of a day that is long over.
    child.used("editor", 45, 10, 5)
    parent.shows("Di", "1 use is missing between others.")
    parent.wait(lambda: card.locator(".bars rect").count() == 4, "The chart does not show what came late")
    stage.leave()


@group.journey("a wrist names what is at its end: a category where there is no other limit, and a rest that is on")
def glance(stage):
    parent = stage.parent()
    child = stage.looker("Lu", parent.follow("Lu"), (360, 740))
    wrist = stage.wrist(stage.parents_link(parent))
    left = wrist.card("Lu").locator(".left")

    def glances(line):
        wrist.wait(lambda: left.is_visible() and left.inner_text() == line,
                   lambda: f"The glance does not say “{line}”, but {left.inner_text()!r}")
    child.used("game", 35)
    child.used("editor", 20, number=2)
    parent.details("Lu")
    for category, program, minutes in (("Games", "game", 40), ("Work", "editor", 90)):
        parent.category("Lu", category)
        parent.budget("Lu", minutes, category)
        parent.page.get_by_role("combobox", name=f"Category of {program}").select_option(category)
    glances("Games: 5 min left of 40 min")
    parent.budget("Lu", 120)
    glances("1:05 left")
    line = parent.page.evaluate("""async () => {
        const now = new Date(), minute = 60 * now.getHours() + now.getMinutes();
        const [from, to] = [minute + 1200, minute + 240].map((each) => each % 1440);
        await document.querySelector('family-page').store.people.find(({ name }) => name === 'Lu')
          .addRest(from, to, 127);
        const said = (each) => `${Math.floor(each / 60)}:${each % 60}`.replaceAll(/\\b\\d\\b/g, '0$&');
        return `Rest ${said(from)} to ${said(to)}, now`; }""")
    glances(line)
    fits(wrist.page, "the wrist")
    stage.leave()


@group.journey("the server is killed in the middle of a grant, and nothing that was acknowledged is lost")
def killed(stage):
    parent = stage.parent()
    child = stage.looker("Ed", parent.follow("Ed"), (360, 740))
    child.used("game", 50)
    parent.budget("Ed", 60)
    card = parent.card("Ed")
    given = 0
    for turn in range(3):
        # Acknowledged.
        card.get_by_role("button", name="Give 15 min more").click()
        given += 15
        parent.is_saved()
        # On its way: the server has it in its hands, or has it not.
        with frozen(stage.program.process.pid):
            card.get_by_role("button", name="Give 15 min more").click()
            parent.until("({ standing }) => standing.records > 0", "The grant does not wait")
            stage.program.process.kill()
        stage.program.process.wait()
        given += 15
        parent.shows("Ed", f"of {'1 h 30 min' if turn == 0 else '2 h' if turn == 1 else '2 h 30 min'}")
        stage.program.start()
        for person in (parent, child):
            person.hears_of_the_network()
        parent.is_saved()
        child.until("""({ people }, minutes) => minutes
                    === people[0].grants.reduce((sum, grant) => sum + grant.minutes, 0)""",
                    f"Not all of {given} minutes arrive", given)
    fresh = stage.parent("another parent", stage.parents_link(parent))
    fresh.shows("Ed", "of 2 h 30 min")
    stage.leave()


@group.journey("a limit that a child's page forges is refused and told; a use that it takes back stays")
def forged(stage):
    parent = stage.parent()
    child = stage.looker("Flo", parent.follow("Flo"), (360, 740))
    child.used("game", 50)
    parent.budget("Flo", 60)
    child.shows("Flo", "0:10 left")
    child.page.evaluate("document.querySelector('family-page').store.people[0].give('day', 600)")
    child.notice("The server did not accept a change")
    child.page.evaluate("document.querySelector('family-page').store.people[0].setWeekday(null, 0, 900)")
    child.notice("The server did not accept a change")
    child.shows("Flo", "0:10 left")
    parent.shows("Flo", "0:10 left")
    child.page.evaluate("""async () => {
        const { use } = document.querySelector('family-page').store.people[0];
        const [record] = use.records('use');
        await use.transaction((t) => t.delete(record)); }""")
    child.notice("What was used is not deleted by a device")
    child.shows("Flo", "0:50")
    parent.shows("Flo", "0:50")
    # With the parents' hands the same is taken: it is the role that counts.
    parent.page.evaluate("""() => document.querySelector('family-page').store.people
        .find(({ name }) => name === 'Flo').give('day', 600)""")
    child.shows("Flo", "10:10 left")
    stage.leave()


@group.journey("a history is saved as a file and deleted for good; who is followed no more is let in no more")
def deleted(stage):
    parent = stage.parent(accept_downloads=True)
    link = parent.follow("Gus")
    child = stage.looker("Gus", link, (360, 740))
    child.used("game", 50)
    parent.shows("Gus", "0:50")
    parent.details("Gus")
    card = parent.card("Gus")
    kept = saved(parent, lambda: card.get_by_role("button", name="Save the history").click())
    ensure([use["program"] for use in kept["use"]] == ["game"] and kept["name"] == "Gus", f"{kept}")
    card.get_by_role("button", name="Delete the history").click()
    parent.page.get_by_role("button", name="Delete it for good").click()
    for person in (parent, child):
        person.shows("Gus", "nothing today")
    parent.page.reload()
    parent.shows("Gus", "nothing today")
    child.used("editor", 5, number=2)
    parent.shows("Gus", "0:05")
    parent.details("Gus")
    parent.card("Gus").get_by_role("button", name="Follow no more").click()
    parent.page.get_by_role("button", name="Delete everything").click()
    parent.card("Gus").wait_for(state="detached")
    child.page.get_by_role("heading", name="No longer let in").wait_for()
    held = """async () => {
        const done = (request) => new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
        let count = 0;
        for (const { name } of await indexedDB.databases()) {
          const database = await done(indexedDB.open(name));
          if (database.objectStoreNames.contains('records')) {
            count += await done(database.transaction('records').objectStore('records').count());
          }
          database.close();
        }
        return count + Object.keys(localStorage).filter((name) => /member|keys/.test(name)).length; }"""
    child.wait(lambda: not child.page.evaluate(held), "The child's page keeps what it had")
    child.page.reload()
    child.page.get_by_role("heading", name="Ask for the link").wait_for()
    again = stage.looker("nobody", stage.program.line("Guests"))
    again.page.goto("about:blank")
    again.page.goto(link)
    again.page.get_by_role("heading", name="This link").wait_for()
    stage.leave(again)
    stage.leave()


@group.journey("axe finds nothing on phone, laptop and wrist, light, dark and mirrored; nothing is cut at 200 % text")
def accessible(stage):
    parent = stage.parent()
    link = parent.follow("Hanna-Magdalena")
    child = stage.looker("Hanna", link, (320, 640))
    child.used("a-program-with-a-rather-long-name", 75)
    parent.budget("Hanna-Magdalena", 90)
    parent.category("Hanna-Magdalena", "Whatever-has-no-other-name")
    parent.budget("Hanna-Magdalena", 30, "Whatever-has-no-other-name")
    child.page.get_by_role("button", name="Ask for 15 min more: Everything").click()
    parent.shows("Hanna-Magdalena", "asks for")
    examine(child.page, "the child's page")
    fits(child.page, "the child's page")
    parents = stage.parents_link(parent)
    for size, options in (((320, 640), {"color_scheme": "light"}), ((1600, 900), {"color_scheme": "dark"}),
                          ((900, 700), {"color_scheme": "light", "locale": "ar"}),
                          ((184, 224), {"color_scheme": "dark"})):
        what = f"{size[0]} px {options}"
        other = stage.looker(what, parents, size, **options)
        page = other.page
        other.shows("Hanna-Magdalena", "asks for")
        # Each person's name comes in a space of its own.
        other.wait(lambda: all(page.locator("person-card h2").all_inner_texts()), "Somebody has no name")
        examine(page, what)
        fits(page, what)
        if size[0] > 240:
            other.details("Hanna-Magdalena")
            other.card("Hanna-Magdalena").locator(".bars").wait_for()
            other.card("Hanna-Magdalena").get_by_text("As a table").click()
            examine_further(page, f"{what}, days")
            fits(page, f"{what}, days")
            other.card("Hanna-Magdalena").get_by_role("button", name="Change limits").click()
            page.locator("fieldset.budget").first.wait_for()
            examine_further(page, f"{what}, limits")
            fits(page, f"{what}, limits")
            other.close()
            page.get_by_role("button", name="Menu").click()
            examine_further(page, f"{what}, menu")
            other.close()
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        fits(page, f"{what} at 200 %")
        stage.leave(other)
    stage.leave()


@group.journey("screen time: the page's model is its server's; a page that is too old says so, and loads again")
def model(stage):
    parent = stage.parent()
    has_the_servers_model(parent)
    says_it_is_old(parent)
    stage.leave()
