"""Without a connection, over a bad one, and with a tab that dies in the middle."""

import contextlib
import hashlib
import itertools
import re

from playwright.sync_api import Error

import photos
from browser import Person, stage
from journey import Group, ensure, frozen
from link import Link
from member import Member
from session import Session

group = Group(stage())
CHUNK = 64 * 1024
# What sends files, and not the modules of that name.
SENDING = re.compile(r"(?<!/reunion)/uploads([?/]|$)")


@group.journey("offline, a caption, a heart and a photo wait, and go when the page is back")
def offline(stage):
    ada, host = stage.guest("Ada"), stage.host
    ada.add(photos.orientation(1))
    ada.is_settled()
    photo = ada.photos[0]["id"]
    host.wait(lambda: host.photo(photo), "The photo did not reach the host")
    ada.context.set_offline(True)
    ada.until("(store) => store.standing.phase === 'offline'", "The page does not notice")
    ada.caption(photo, "Written on the train")
    ada.view(photo).get_by_role("button", name="Give a heart").click()
    ada.close_viewer()
    ada.wait(lambda: ada.standing["records"] == 2, lambda: f"{ada.standing} wait")
    ada.wait(lambda: ada.state == "No connection. 2 changes are kept on this phone and will be sent "
             "when it returns.", lambda: f"The page says “{ada.state}”")
    ada.add(photos.arabic())
    ada.has_entered(1)
    ensure(len(ada.photos) == 2, f"{len(ada.photos)} photos stand here")
    ada.wait(lambda: "1 photo is kept on this phone" in ada.state,
             lambda: f"The page says “{ada.state}”")
    reader = Session(Member(stage.album.guests)).connect()
    ensure(not reader.fields("photo", bytes.fromhex(photo))["caption"],
           "The caption left a phone without a connection")
    reader.close()
    ada.context.set_offline(False)
    ada.is_settled()
    host.wait(lambda: host.photo(photo)["caption"] == "Written on the train", "No caption came")
    host.wait(lambda: len(host.photos) == 2, "The photo did not come")
    host.wait(lambda: host.store("(store, id) => store.hearts(store.photo(id)).count", photo) == 1,
              "The heart did not come")
    stage.leave(ada)


@group.journey("a page whose conversation does not load at first comes online by itself")
def half_loaded(stage):
    for file in ("session.js", "conversation.js", "conversation.wasm"):
        bo, lost = Person(stage.browser, "Bo"), []
        stage.people.append(bo)

        def lose(route):
            lost.append(route.request.url)
            route.abort()
        bo.context.route(f"**/{file}", lose, times=1)
        bo.open(stage.album.lan(stage.album.guests))
        ensure(len(lost) == 1, f"{file} was not asked for")
        stage.leave(bo)


@group.journey("a change is on its way until the server has it, and safe from then on")
def on_its_way(stage):
    ada = stage.guest("Ada")
    ada.add(photos.orientation(4))
    ada.is_settled()
    ada.wait(lambda: ada.state == "Your photo is safe on the server.",
             lambda: f"The page says “{ada.state}”")
    ensure(_dot(ada) == "safe", "The dot is not green")
    ada.page.locator("p.state").evaluate("""(line) => {
        window.told = [];
        const tell = () => window.told.push(`${line.dataset.phase}: ${line.innerText}`);
        new MutationObserver(tell).observe(
            line, { attributes: true, childList: true, characterData: true, subtree: true }); }""")
    with frozen(stage.album.process.pid):
        ada.store("(store) => store.setCaption(store.photos[0], 'Not there yet')")
        # At some moment: in time the page notices that nobody answers.
        ada.wait(lambda: "sending: Sending 1 change…" in ada.page.evaluate("window.told"),
                 lambda: f"The page says “{ada.state}”")
    ada.is_settled()
    ada.wait(lambda: ada.state == "Your photo is safe on the server." and _dot(ada) == "safe",
             lambda: f"The page says “{ada.state}”")
    stage.leave(ada)


def _dot(person):
    return person.page.locator("p.state").get_attribute("data-phase")


def _kept(person):
    """How many rows and pieces of photos the browser keeps."""
    return person.store("""(store) => store.replica.database.run(['uploads', 'chunks'], 'readonly',
        (at) => Promise.all(['uploads', 'chunks'].map((name) => new Promise((resolve) => {
          const request = at(name).count(); request.onsuccess = () => resolve(request.result);
        }))))""")


@group.journey("photos that wait under the names of an earlier page are still sent")
def waiting_since_before(stage):
    ada = stage.guest("Ada")
    ada.context.set_offline(True)
    ada.until("(store) => store.standing.phase === 'offline'", "The page does not notice")
    before = {photo["id"] for photo in ada.photos}
    # Of the one this browser makes a record and a preview, of the other nothing.
    ada.add(photos.orientation(2), photos.heic())
    ada.has_entered(2)
    # A page of version 0.1 named the record by its entity, and the file among what its record says.
    rows = ada.store("""(store) => store.replica.database.run(['uploads'], 'readwrite', async (at) => {
        const rows = await new Promise((resolve) => {
            at('uploads').getAll().onsuccess = ({ target }) => resolve(target.result); });
        for (const { record, name, ...row } of rows) at('uploads').put({ ...row, photo: record });
        return rows.map(({ use, about }) => [use, Object.keys(about ?? {}).sort()]).sort(); })""")
    said = ["contentType", "fileName", "takenAt"]
    ensure(rows == [["original", said], ["original", said], ["preview", []]], f"Other rows wait: {rows}")
    address = ada.page.url
    ada.page.close()
    # They stand in sight before they are sent.
    ada.context.route(SENDING, lambda route: route.abort())
    ada.context.set_offline(False)
    ada.page = ada.context.new_page()
    ada.page.goto(address)
    ada.page.locator("album-page h1").wait_for()
    ada.has_entered(2)
    names = ada.store("""(store) => [...store.uploads.state.value.files.values()]
        .map(({ name, record }) => [name, Boolean(record)])""")
    ensure(sorted(names) == [[photos.heic().name, False], [photos.orientation(2).name, True]], f"There wait {names}")

    def own():
        return {photo["fileName"]: photo for photo in ada.photos if photo["id"] not in before}
    ada.wait(lambda: own().keys() == {name for name, _ in names}, lambda: f"{own()} are shown")
    ada.context.unroute(SENDING)
    ada.store("(store) => store.uploads.wake()")
    ada.is_settled()
    ada.wait(lambda: len(own()) == 2 and all(photo.get("storedAt") for photo in own().values()),
             lambda: f"Not all originals are at the server: {own()}")
    for photo in own().values():
        ensure(photo["width"] and photo["color"] and photo["takenAt"] and photo["preview"],
               f"The record does not say what its picture is: {photo}")
    ensure(_kept(ada) == [0, 0], f"{_kept(ada)} rows and pieces stay")
    stage.leave(ada)


@group.journey("a photo that this browser cannot show waits in sight, and can be given up")
def given_up(stage):
    ada = stage.guest("Ada")
    before = len(ada.photos)
    ada.context.set_offline(True)
    ada.until("(store) => store.standing.phase === 'offline'", "The page does not notice")
    ada.add(photos.heic())
    ada.has_entered(1)
    viewer = ada.view(ada.photos[0]["id"])
    viewer.get_by_text("On its way").wait_for()
    ada.wait(lambda: viewer.locator(".small").evaluate(
        "(at) => !at.hasAttribute('src') && getComputedStyle(at).opacity === '0'"),
        "An image without a source is drawn as an empty box")
    ensure(not viewer.get_by_role("textbox", name="Caption").is_visible(), "It takes a caption")
    ensure(_kept(ada)[1] > 0, "No bytes are kept")
    viewer.get_by_role("button", name="Remove").click()
    ada.wait(lambda: len(ada.photos) == before and _kept(ada) == [0, 0],
             lambda: f"{len(ada.photos)} photos are there, and {_kept(ada)} rows and pieces")
    ada.wait(lambda: viewer.is_visible() == (before > 0),
             "The viewer shows nothing, or hides the next one")
    if before:
        ada.close_viewer()
    ada.context.set_offline(False)
    ada.until("(store) => store.standing.phase === 'online'", "The page is not back")
    ada.is_settled()
    # One that has begun is given up at the server too.
    ada.slow_down(up_per_second=8_000)
    ada.page.locator("input[type=file]").set_input_files(
        {"name": "begun.heic", "mimeType": "image/heic", "buffer": bytes(4_000_000)})
    ada.wait(lambda: _begun(stage), "The upload does not begin")
    ada.view(ada.photos[0]["id"]).get_by_role("button", name="Remove").click()
    ada.slow_down()
    ada.wait(lambda: _kept(ada) == [0, 0] and not _begun(stage),
             lambda: f"It is kept: {_kept(ada)} here, {_begun(stage)} at the server")
    ada.wait(lambda: len(ada.photos) == before, "The photo stays")
    ensure(ada.page.locator(".notice").count() == 0, "It is told of as a failure")
    stage.leave(ada)


def _begun(stage):
    """The files of uploads that the server has begun."""
    return [file.name for file in (stage.album.folder / "uploads").iterdir() if file.is_file()]


@group.journey("what waits survives a closed tab")
def closed(stage):
    ada = stage.guest("Ada")
    count = len(ada.photos)
    ada.context.set_offline(True)
    ada.until("(store) => store.standing.phase === 'offline'", "The page does not notice")
    ada.add(photos.emoji())
    ada.keeps(1)
    ada.page.close()
    ada.context.set_offline(False)
    ada.page = ada.context.new_page()
    ada.page.goto(stage.album.lan(stage.album.guests).split("#")[0])
    ada.page.locator("album-page h1").wait_for()
    ada.is_settled()
    ensure(not ada.standing["missing"], f"The photo is named as missing: {ada.standing}")
    host = stage.host
    host.wait(lambda: len(host.photos) == count + 1, "The photo did not come after the return")
    stage.leave(ada)


@group.journey("a page that the browser sets aside holds nobody up, and goes on where it stopped")
def set_aside(stage):
    ada = stage.guest("Ada")
    # In the middle of a transaction the page is set aside, and later gone back to.
    events = ada.store("""async (store) => {
        const { database } = store.replica;
        const { result } = await import('/reunion/replica/database.js');
        const events = [];
        let reached;
        const isInside = new Promise((resolve) => { reached = resolve; });
        let count = 0;
        const written = database.run(['meta'], 'readwrite', async (stores) => {
          const isFirst = ++count === 1;
          do {
            await result(stores('meta').get('lease'));
            reached();
          } while (isFirst);
          stores('meta').put('taken up', 'aside');
        }).then(() => events.push('written'));
        await isInside;
        dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
        const other = database.run(['meta'], 'readwrite',
          (stores) => result(stores('meta').get('aside')));
        const late = new Promise((resolve) => setTimeout(resolve, 60_000, 'held up'));
        events.push(await Promise.race([other, late]) ?? 'nothing yet');
        if (events[0] === 'held up') return events;
        // The server cannot be reached: the page goes on as it is.
        window.fetch = () => Promise.reject(new TypeError());
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
        await written;
        events.push(await database.run(['meta'], 'readonly',
          (stores) => result(stores('meta').get('aside'))));
        return [...events, count]; }""")
    ensure(events == ["nothing yet", "written", "taken up", 2], f"It went {events}")
    ada.until("(store) => store.standing.phase === 'online'", "The page does not come back")
    ada.store("(store) => store.replica.database.run(['meta'], 'readwrite', "
              "(stores) => { stores('meta').delete('aside'); })")
    stage.leave(ada)


@group.journey("a phone that was restored from a copy issues what waits anew, deletes too")
def renewed(stage):
    ada, host = stage.guest("Ada"), stage.host
    photo = "5a" * 16
    ada.context.set_offline(True)
    ada.until("(store) => store.standing.phase === 'offline'", "The page does not notice")
    ada.store("""async (store, photo) => {
        const { replica } = store;
        const make = () => replica.transaction((t) => t.create('heart', { photo }));
        window.made = [await make(), await make()];
        await replica.transaction((t) => t.delete(replica.get('heart', window.made[1])));
        const before = replica.site;
        await replica.renewSite();
        if (replica.site === before) throw new Error('It writes as before');
    }""", photo)
    alive = "(store, made) => made.map((id) => store.replica.get('heart', id)?.alive ?? null)"
    made = ada.page.evaluate("window.made")
    ensure(ada.store(alive, made) == [True, False], "The delete does not name what it saw")
    ada.context.set_offline(False)
    ada.is_settled()
    host.wait(lambda: host.store(alive, made) == [True, False],
              lambda: f"The host sees {host.store(alive, made)}")
    ada.store("(store, id) => store.replica.transaction((t) => "
              "t.delete(store.replica.get('heart', id)))", made[0])
    host.wait(lambda: host.store(alive, made) == [False, False], "The heart stays")
    stage.leave(ada)


@group.journey("edits of different fields made apart are both kept")
def different_fields(stage):
    ada, host = stage.guest("Ada"), stage.host
    ada.add(photos.png())
    ada.is_settled()
    photo = ada.photos[0]["id"]
    host.wait(lambda: host.photo(photo), "The photo did not reach the host")
    for person in (ada, host):
        person.context.set_offline(True)
        person.until("(store) => store.standing.phase === 'offline'", "It is not offline")
    ada.caption(photo, "The guest's words")
    host.store("""(store, id) => store.replica.transaction((t) =>
        t.set(store.photo(id), { takenAt: 1234567890000 }))""", photo)
    for person in (ada, host):
        person.context.set_offline(False)
    for person in (ada, host):
        person.wait(lambda: (person.photo(photo)["caption"], person.photo(photo)["takenAt"])
                    == ("The guest's words", 1234567890000), "One of the two edits is lost")
        person.is_settled()
    stage.leave(ada)


@group.journey("of edits of the same field made apart, the later wins everywhere alike")
def same_field(stage):
    ada, host = stage.guest("Ada"), stage.host
    ada.add(photos.webp())
    ada.is_settled()
    photo = ada.photos[0]["id"]
    host.wait(lambda: host.photo(photo), "The photo did not reach the host")
    for person in (ada, host):
        person.context.set_offline(True)
        person.until("(store) => store.standing.phase === 'offline'", "It is not offline")
    host.caption(photo, "The earlier words")
    # Later by the clock of both, which has milliseconds.
    now = host.page.evaluate("Date.now()")
    ada.wait(lambda: ada.page.evaluate("Date.now()") > now, "The clock stands still")
    ada.caption(photo, "The later words")
    # The earlier edit arrives last.
    ada.context.set_offline(False)
    ada.is_settled()
    host.context.set_offline(False)
    for person in (host, ada):
        person.wait(lambda: person.photo(photo)["caption"] == "The later words",
                    lambda: f"The caption is “{person.photo(photo)['caption']}”")
        person.is_settled()
    reader = Session(Member(stage.album.guests)).connect()
    captions = [each["caption"] for each in reader.all("photo").values()]
    ensure("The later words" in captions and "The earlier words" not in captions,
           f"The server holds {captions}")
    reader.close()
    stage.leave(ada)


@group.journey("a tab killed in the middle of an upload sends at most 64 KiB again")
def killed_tab(stage):
    file = photos.twelve_megapixels()
    size, hash_ = file.stat().st_size, hashlib.sha256(file.read_bytes()).hexdigest()
    with Link(stage.album.port) as link:
        address = stage.album.lan(stage.album.guests, link.port)
        ada = stage.guest("Ada", address)
        link.most = size * 0.3
        ada.add(file)
        for share, more in ((0.3, 0.6), (0.6, float("inf"))):
            ada.wait(lambda: link.received >= link.most,
                     lambda: f"The upload does not go on after {link.received} bytes")
            before = len(link.patches)
            ada.crash()
            # What was on its way is lost with the tab.
            link.cut()
            link.most = size * more
            ada.page.goto(address.split("#")[0])
            ada.wait(lambda: len(link.patches) > before, "The upload is not resumed")
            goes_on = link.patches[before].offset
            ensure(size * share - 2 * CHUNK < goes_on < size * share + 2 * CHUNK,
                   f"It goes on from byte {goes_on} of {size}, and not from {size * share:.0f}")
        ada.page.locator("album-page h1").wait_for()
        ada.is_settled()
        original = [sent for sent in link.patches if sent.path == link.patches[-1].path]
        again = sum(sent.received for sent in original) - size
        ensure(again <= CHUNK, f"{again} bytes were sent again")
        print(f"    {again} bytes of {size} were sent again after two kills", flush=True)
    owner = Member(stage.album.owner)
    ensure(owner.get(f"/blobs/{hash_}") == file.read_bytes(), "The photo is not what was added")
    ada.page.close()
    stage.people.remove(ada)
    ada.context.close()


@group.journey("a guest whose connections are lost one time in five still finishes")
def lossy(stage):
    with Link(stage.album.port, loss=0.2, span=60_000, seed=2026) as link:
        ada = stage.guest("Ada", stage.album.lan(stage.album.guests, link.port), album=False)
        # A busy machine needs longer, and would never get there if it began anew each time.
        seconds = itertools.chain((2, 4, 8, 16), itertools.repeat(32))

        def is_there():
            """The album, or a page that asks again; one whose modules were lost is loaded anew."""
            with contextlib.suppress(Error):
                ada.page.locator("album-page h1, .stand-in").first.wait_for(timeout=1000 * next(seconds))
                return ada.page.locator("album-page h1").count()
            ada.page.reload()

        ada.wait(is_there, "The page does not come over this link")

        def added():
            return {photo["id"] for photo in
                    ada.store("(store) => store.photos.filter((photo) => store.isMine(photo))")}
        ada.add(*(photos.orientation(number) for number in range(2, 8)), photos.half_megabyte(31))
        ada.wait(lambda: len(added()) == 7, "The photos are not on the screen")
        ada.is_settled()
        ensure(link.cuts > 0, "No connection was cut")
        print(f"    {link.cuts} of {link.connections} connections were cut", flush=True)
        own = added()
    host = stage.host
    host.wait(lambda: own <= {photo["id"] for photo in host.photos}, "Not all photos came")
    ada.context.close()
    stage.people.remove(ada)
    stage.leave()
