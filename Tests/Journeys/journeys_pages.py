"""How the pages look and feel to everyone: contrast, labels, the keyboard, their weight."""

import gzip
import urllib.request

import photos
from accessibility import examine
from album import WEB
from browser import NOTICE, UNDO, Person, stage
from journey import Group, ensure
from member import Member, refusal
from page_model import has_the_servers_model, says_it_is_old
from session import Session

group = Group(stage())
WEIGHT_MAX = 60 * 1024


@group.journey("axe finds nothing on album, viewer, sheets, wall and stand-in, light and dark")
def axe(stage):
    first = stage.guest("Ada")
    first.add(photos.orientation(1), photos.png(), photos.webp())
    first.is_settled()
    first.store("(store) => store.toggleHeart(store.photos[0])")
    stage.leave(first)
    for scheme in ("light", "dark"):
        guest = stage.guest("Ben", color_scheme=scheme, reduced_motion="reduce")
        guest.sees(3)
        examine(guest.page, f"the album, {scheme}")
        guest.view(guest.photos[0]["id"])
        guest.page.locator("dialog.viewer .large.shown").wait_for()
        examine(guest.page, f"the viewer, {scheme}")
        guest.close_viewer()
        for sheet in ("Invite people", "Menu"):
            guest.page.get_by_role("button", name=sheet).click()
            guest.page.locator("dialog.sheet :is(.code, .item)").first.wait_for()
            examine(guest.page, f"the sheet “{sheet}”, {scheme}")
            guest.page.locator("dialog.sheet").get_by_role("button", name="Close").click()
        guest.page.goto(guest.page.url.split("#")[0] + "wall")
        guest.page.locator(".slide.on .large.shown").first.wait_for()
        guest.page.locator(".corner .code").wait_for()
        examine(guest.page, f"the wall, {scheme}")
        stage.leave(guest)
        stranger = stage.guest("a stranger", stage.album.lan(stage.album.guests[:-3]), album=False,
                               color_scheme=scheme, reduced_motion="reduce")
        stranger.page.locator(".stand-in").wait_for()
        examine(stranger.page, f"the stand-in, {scheme}")
        stranger.page.goto(stranger.page.url.split("#")[0] + "wall")
        stranger.page.locator(".wall .stand-in button").first.wait_for()
        examine(stranger.page, f"the wall of a stranger, {scheme}")
        stage.leave(stranger)


@group.journey("the page of someone who reads from right to left is mirrored, its sentences are not")
def right_to_left(stage):
    guest = stage.guest("Huda", locale="ar", reduced_motion="reduce")
    guest.add(photos.unique_file(71), photos.orientation(1))
    guest.is_settled()
    guest.sees(len(guest.photos))
    page = guest.page
    box = page.locator("photo-grid button.tile").first.bounding_box()
    grid = page.locator("photo-grid").bounding_box()
    ensure(abs(box["x"] + box["width"] - grid["x"] - grid["width"]) < 1, "The rows begin at the left")
    heading, menu = (page.locator(at).bounding_box()["x"] for at in ("h1", "[aria-label=Menu]"))
    ensure(menu < heading, "The header is not mirrored")
    for at in (".state span", "p.count"):
        first, last, edge = page.locator(at).evaluate("""(at) => {
            const range = document.createRange();
            const { firstChild: text } = at;
            const x = (from) => { range.setStart(text, from); range.setEnd(text, from + 1);
                return range.getBoundingClientRect(); };
            return [x(0).left, x(text.length - 1).left, x(text.length - 1).right]; }""")
        ensure(first < last, f"The English of {at} ends at its left")
        ensure(edge > grid["x"] + grid["width"] - 40, f"{at} does not stand at the right")
    examine(page, "the album from right to left")
    viewer = guest.view(guest.photos[1]["id"])
    viewer.locator(".large.shown").wait_for()
    examine(page, "the viewer from right to left")
    wanted = lambda: viewer.locator(".large").evaluate("(at) => at.wanted")
    before = wanted()
    page.keyboard.press("ArrowLeft")
    ensure(wanted() != before, "The left arrow leads nowhere")
    page.keyboard.press("ArrowRight")
    ensure(wanted() == before, "The right arrow does not lead back")
    guest.close_viewer()
    guest.store("(store) => store.uploads.onnotice({ code: 'empty', name: 'صورة.jpg' })")
    sentence = guest.notice("is an empty file")
    ensure("صورة.jpg" in sentence, f"The page says “{sentence}”")
    stage.leave(guest)


@group.journey("a mangled link is called a wrong link, and a member goes on without it")
def mangled(stage):
    address = stage.album.lan(stage.album.guests).split("#")[0] + "#join=%E0%A4%A"
    stranger = stage.guest("a stranger", address, album=False)
    stranger.page.get_by_role("heading", name="This link does not work").wait_for()
    stage.leave(stranger)
    guest = stage.guest("Ada")
    guest.page.goto("about:blank")
    guest.open(address)
    stage.leave(guest)


@group.journey("a screen reader hears of what is new, and not of the album that it comes into")
def heard(stage):
    sender = Member(stage.album.guests)
    session = Session(sender).connect()

    def bring(seed):
        answer = sender.upload(photos.unique(seed, 400, 300))
        session.create("photo", {
            "original": (answer["hash"], answer["bytes"]), "width": 400, "height": 300,
            "storedAt": 1_780_000_000_000})
        session.settle()
    bring(949)
    guest = stage.guest("Ben", "about:blank", album=False)
    # Every three seconds something is said; here, every tenth of one.
    guest.context.add_init_script("""const { setTimeout: after } = window;
        window.setTimeout = (act, delay, ...more) => after(act, delay === 3000 ? 100 : delay, ...more);""")
    guest.open(stage.album.lan(stage.album.guests))
    guest.wait(lambda: guest.tiles.count() == len(guest.photos) > 0, "The album is empty")
    spoken = guest.page.locator(".unseen[role=status]")
    # What would be said is said before this: it waits as long, and began before.
    guest.page.evaluate("() => new Promise((done) => setTimeout(done, 3000))")
    ensure(spoken.text_content() == "", f"The first visit hears “{spoken.text_content()}”")
    bring(950)
    session.close()
    guest.wait(lambda: spoken.text_content() == "1 new photo in the album.",
               lambda: f"It hears “{spoken.text_content()}”")
    stage.leave(guest)


def covered(page):
    """The controls of the open dialogs that a notice touches."""
    return page.evaluate("""() => {
        const boxes = [...document.querySelectorAll('.notice')].map((at) => at.getBoundingClientRect());
        const shown = [...document.querySelectorAll('dialog[open] :is(button, a, textarea)')].filter(
            (at) => !at.closest('.notice') && at.checkVisibility({ visibilityProperty: true,
                opacityProperty: true }));
        return shown.filter((at) => {
            const { left, top, right, bottom } = at.getBoundingClientRect();
            return boxes.some((box) => left < box.right && box.left < right && top < box.bottom
                && box.top < bottom); }).map((at) => at.ariaLabel || at.textContent); }""")


@group.journey("that a photo was not added stays until it is closed, by the keyboard too")
def stays(stage):
    guest = stage.guest("Ada")
    guest.add(photos.unique_file(63), photos.unique_file(64), photos.unique_file(65))
    guest.is_settled()
    before = len(guest.photos)
    guest.holds(NOTICE, UNDO)
    guest.add(photos.empty(), photos.svg_as_jpeg())
    notes = guest.page.locator(".notice[role=alert]")
    guest.wait(lambda: notes.count() == 2, "Not both are told of")
    # Over a photo, at the size of a phone.
    guest.page.set_viewport_size({"width": 390, "height": 760})
    viewer = guest.view(guest.photos[0]["id"])
    viewer.get_by_role("button", name="Delete photo").click()
    undo = guest.page.locator(".notice:not([role])")
    undo.filter(has_text="Photo deleted.").wait_for()
    # The viewer is on the next one by then.
    guest.wait(lambda: len(guest.photos) == before - 1, "The photo is not deleted")
    viewer.get_by_role("button", name="Delete photo").click()
    undo.filter(has_text="2 photos deleted.").wait_for()
    ensure(undo.count() == 1, "What was told before stays beside it")
    ensure(viewer.locator(".notice").count() == 3, "The notices are not in front of the photo")
    ensure(not covered(guest.page), f"The notices cover {covered(guest.page)}")
    guest.page.evaluate("document.querySelector('.notices').style.marginTop = '80vh'")
    ensure(covered(guest.page), "Notices over the controls go unseen (negative control)")
    guest.page.evaluate("document.querySelector('.notices').style.marginTop = ''")
    guest.wait(lambda: len(guest.photos) == before - 2, "The photos are not deleted")
    undo.get_by_role("button", name="Undo").click()
    guest.wait(lambda: len(guest.photos) == before, "Not both photos are back")
    undo.wait_for(state="detached")
    viewer.get_by_role("button", name="Delete photo").click()
    undo.filter(has_text="Photo deleted.").wait_for()
    guest.close_viewer()
    guest.wait(lambda: guest.page.locator(".overlay .notice").count() == 3,
               "They are gone with the photo")
    guest.page.set_viewport_size({"width": 900, "height": 700})
    guest.lets_go()
    undo.wait_for(state="detached")
    ensure(notes.count() == 2, "What was not added is told in passing")
    for left in (1, 0):
        for _ in range(25):
            guest.page.keyboard.press("Tab")
            if guest.page.evaluate("document.activeElement.closest('.notice') !== null"):
                break
        guest.page.keyboard.press("Enter")
        guest.wait(lambda: notes.count() == left, "Enter does not close it")
    stage.leave(guest)


@group.journey("the host sees who has joined, and removes somebody with two taps")
def people(stage):
    host, guest = stage.host, stage.guest("Mallory")
    guest.store("(store) => store.setGuestName('Mallory')")
    guest.is_settled()
    host.wait(lambda: host.store("(store, device) => store.nameOf(device)",
                                 guest.store("(store) => store.member.device")) == "Mallory",
              "The name did not come")
    guest.page.get_by_role("button", name="Menu").click()
    ensure(not guest.page.get_by_role("button", name="People", exact=True).count(), "A guest sees who is here")
    host.page.get_by_role("button", name="Menu").click()
    host.page.get_by_role("button", name="People", exact=True).click()
    row = host.page.locator(".person", has_text="Mallory")
    row.wait_for()
    ensure(host.page.locator(".person", has_text="Host").count() == 0, "The host may remove itself")
    examine(host.page, "the sheet “People”")
    row.get_by_role("button", name="Remove").click()
    row.get_by_role("button", name="Remove, and replace the guests’ link").wait_for()
    # The server still takes what the guest writes.
    guest.store("(store) => store.setGuestName('Mallory, who stays')")
    guest.is_settled()
    ensure(guest.standing["phase"] != "out", "One tap is enough")
    examine(host.page, "the sheet “People” that asks")
    old = stage.album.guests
    row.get_by_role("button", name="Remove, and replace the guests’ link").click()
    row.wait_for(state="detached")
    guest.page.get_by_role("heading", name="You are no longer in this album").wait_for()
    ensure(not guest.page.get_by_role("button", name="Add photos").count(),
           "Who is out is offered to add photos")
    ensure(refusal(lambda: Member(old)).status == 410, "The old link lets the guest in again")
    host.page.locator("dialog.sheet").get_by_role("button", name="Close").click()
    host.page.get_by_role("button", name="Menu").click()
    host.page.get_by_role("button", name="New guests’ link").click()
    host.page.get_by_role("button", name="Make a new link").click()
    fresh = host.page.get_by_role("textbox", name="Link for guests").input_value()
    host.page.get_by_role("img", name="QR code of the link for guests").last.wait_for()
    examine(host.page, "the sheet “New guests’ link”")
    ensure(Member(fresh).facts["role"] == "add", "The new link makes no guest")
    asked = host.page.evaluate("() => fetch('/invite').then((answer) => answer.json())")
    ensure(asked["url"] == fresh, "The page invites by another link")
    host.page.locator("dialog.sheet").get_by_role("button", name="Close").click()
    stage.album.guests = fresh
    stage.leave(guest)


@group.journey("the wall grows with the screen that it hangs on")
def wall_sizes(stage):
    guest = stage.guest("Ada")
    page = guest.page
    page.goto(page.url.split("#")[0] + "wall")
    page.locator(".corner .code").wait_for()
    sizes = []
    for width, height in ((1280, 720), (1920, 1080), (3840, 2160)):
        page.set_viewport_size({"width": width, "height": height})
        code = page.locator(".corner .code").bounding_box()
        sizes.append((page.locator("h1").bounding_box()["height"] / height, code["width"] / height,
                      float(page.locator(".names p").evaluate(
                          "(at) => parseFloat(getComputedStyle(at).fontSize)")) / height))
        for at in ("h1", ".corner p", ".corner .code"):
            box = page.locator(at).bounding_box()
            ensure(box["x"] >= 0 and box["x"] + box["width"] <= width
                   and box["y"] + box["height"] <= height, f"{at} leaves the screen at {width}")
    for heading, code, text in sizes:
        ensure(heading > 0.045 and code > 0.2 and text > 0.02,
               f"Too small to read from afar: {heading:.3f} {code:.3f} {text:.3f} of the height")
    stage.leave(guest)


@group.journey("the whole journey of a guest works with the keyboard alone")
def keyboard(stage):
    guest = stage.guest("Cleo")
    page, keys = guest.page, guest.page.keyboard
    # From the start: Chromium hears of it in its own time, and would open a real dialog until then.
    choosers = []
    page.on("filechooser", lambda chooser: choosers.append(chooser))
    guest.add(photos.unique_file(61))
    guest.is_settled()
    before = len(guest.photos)

    def focus(name, role="button", most=25):
        for _ in range(most):
            keys.press("Tab")
            label = page.evaluate("""() => { const { activeElement: at } = document;
                return at.getAttribute('aria-label') || at.querySelector?.('img')?.alt
                    || at.textContent; }""")
            if label and name in label:
                return
        raise AssertionError(f"Tab does not reach “{name}”")
    focus("Add photos")
    keys.press("Enter")
    guest.wait(lambda: choosers, "No dialog for files opens")
    choosers[0].set_files(str(photos.avif()))
    guest.is_settled()
    guest.wait(lambda: len(guest.photos) == before + 1, "The photo is not there")
    page.reload()
    page.locator("album-page h1").wait_for()
    guest.sees(before + 1)
    focus("Photo by")
    keys.press("ArrowRight")
    keys.press("ArrowLeft")
    keys.press("Enter")
    page.locator("dialog.viewer").wait_for()
    focus("Caption")
    keys.type("By keyboard")
    keys.press("Enter")
    guest.wait(lambda: guest.photos[0]["caption"] == "By keyboard", "The caption is not there")
    focus("Give a heart")
    keys.press("Space")
    guest.wait(lambda: guest.store("(store) => store.hearts(store.photos[0]).mine.length") == 1,
               "The heart is not there")
    focus("Delete photo")
    keys.press("Enter")
    guest.wait(lambda: len(guest.photos) == before, "The photo is not deleted")
    keys.press("Escape")
    page.locator("dialog.viewer").wait_for(state="hidden")
    guest.wait(lambda: page.evaluate("document.activeElement.matches('button.tile')"),
               "The focus is not back on the album's photos")
    stage.leave()


def packed(path, page="page"):
    """The compressed size of one of our files; 0 for what is none, such as a photo."""
    name = "index.html" if path == "/" else path.lstrip("/")
    for file in (WEB / f"{name}.gz", WEB / page / f"{name}.gz"):
        if file.exists():
            return file.stat().st_size
    return 0


def loaded(guest):
    """What a page has loaded: path, whether it is of its own server, and whether after photos
    could be added."""
    return guest.page.evaluate("""() => {
        const [ready] = performance.getEntriesByName('ready');
        return performance.getEntriesByType('resource').concat(
            performance.getEntriesByType('navigation')).map(({ name, startTime }) =>
            [new URL(name).pathname, new URL(name).origin === location.origin,
             startTime > ready.startTime]); }""")


# What the connection loads as soon as there is a page, and the button does not wait for: on a busy machine some of it
# comes before the button, and otherwise after it.
BESIDE = {"/reunion/conversation.wasm"} | {
    f"/reunion/conversation/{name}.js" for name in ("session", "block", "conversation", "codes")}


def weight(guest, later=False, page="page"):
    """The compressed bytes of page, modules and core that a visit loads until photos can be added,
    or those that it loads later, or beside."""
    return sum(packed(path, page) for path, _, is_later in loaded(guest)
               if (is_later or path in BESIDE) == later)


# What comes by itself, after the button.
LATER = {"/photo-viewer.js", "/kit/sheets.js", "/menu.js", "/missing.js", "/later-words.js",
         "/picture-reader.js", "/reunion/uploads/transfer.js", "/copies.js", "/reunion/standing/standing.js"}


def wait_for_later(guest):
    """Waits until all is there that comes by itself."""
    guest.wait(lambda: LATER <= {path for path, _, _ in loaded(guest)}, "Not all of it comes")


@group.journey("page, modules and core weigh at most 60 KB until photos can be added")
def weighs(stage):
    guest = stage.guest("Ada")
    # All that comes by itself is there, as is the button.
    guest.page.get_by_role("button", name="Add photos").wait_for()
    wait_for_later(guest)
    files = loaded(guest)
    ensure(all(is_own for path, is_own, _ in files if not path.startswith("image/")),
           f"Something comes from elsewhere: {files}")
    total = weight(guest)
    print(f"    {total} bytes gzip until photos can be added, {weight(guest, later=True)} later: "
          f"{', '.join(sorted(path for path, _, is_later in files if is_later and packed(path)))}",
          flush=True)
    ensure(not LATER & {path for path, _, is_later in files if not is_later},
           "What is for later comes at once")
    ensure(total <= WEIGHT_MAX, f"The page weighs {total} bytes")
    for path, _, _ in files:
        if path.startswith(("/reunion/", "/kit/")) or path.endswith((".js", ".css")):
            with urllib.request.urlopen(urllib.request.Request(
                    f"http://127.0.0.1:{stage.album.port}{path}",
                    headers={"Accept-Encoding": "gzip"})) as answer:
                ensure(answer.headers["Content-Encoding"] == "gzip", f"{path} is not compressed")
                gzip.decompress(answer.read())
    stage.leave()


@group.journey("nothing moves while photos arrive, at the size of a phone")
def stillness(stage):
    watcher = Person(stage.browser, "a phone", device_scale_factor=2, has_touch=True)
    stage.people.append(watcher)
    watcher.page.set_viewport_size({"width": 390, "height": 760})
    watcher.open(stage.album.lan(stage.album.guests))
    sender = Member(stage.album.guests)
    session = Session(sender).connect()
    before = len(watcher.photos)
    for number in range(6):
        data = photos.unique(900 + number, 400, 300)
        answer = sender.upload(data)
        session.create("photo", {
            "original": (answer["hash"], answer["bytes"]), "width": answer["width"],
            "height": answer["height"], "fileName": f"{number}.jpg", "color": answer["color"],
            "storedAt": 1_780_000_000_000})
        session.settle()
    session.close()
    watcher.sees(before + 6)
    watcher.is_still()
    ensure(watcher.page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
           "The page is wider than the phone")
    stage.leave()


@group.journey("the album: the page's model is its server's; a page that is too old says so, and loads again")
def model(stage):
    guest = stage.guest("Ada")
    has_the_servers_model(guest)
    says_it_is_old(guest)
    stage.leave()
