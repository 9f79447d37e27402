"""How the pages look and feel to everyone: contrast, labels, the keyboard, their weight."""

import gzip
import urllib.request

from axe_playwright_python.sync_playwright import Axe

import photos
from album import WEB
from browser import Person, stage
from journey import Group, ensure
from member import Member
from session import Session

group = Group(stage())
WEIGHT_MAX = 60 * 1024


def examine(page, what):
    """No rule of WCAG that axe can check is broken."""
    answer = Axe().run(page, options={"resultTypes": ["violations"]})
    found = [f"{each['id']} ({each['nodes'][0]['html'][:120]})"
             for each in answer.response["violations"]]
    ensure(not found, f"{what}: {'; '.join(found)}")


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
        guest.page.locator(".slide.on .large.shown").wait_for()
        guest.page.locator(".corner .code").wait_for()
        examine(guest.page, f"the wall, {scheme}")
        stage.leave(guest)
        stranger = stage.guest("a stranger", stage.album.lan(stage.album.guests[:-3]), album=False,
                               color_scheme=scheme, reduced_motion="reduce")
        stranger.page.locator(".stand-in").wait_for()
        examine(stranger.page, f"the stand-in, {scheme}")
        stage.leave(stranger)


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


def packed(path):
    """The compressed size of one of our files; 0 for what is none, such as a photo."""
    name = "index.html" if path == "/" else path.lstrip("/")
    for file in (WEB / f"{name}.gz", WEB / "page" / f"{name}.gz"):
        if file.exists():
            return file.stat().st_size
    return 0


def loaded(guest):
    """What a page has loaded: path, size and whether it is of its own server."""
    return guest.page.evaluate("""() => performance.getEntriesByType('resource').concat(
        performance.getEntriesByType('navigation')).map(({ name, encodedBodySize }) =>
        [new URL(name).pathname, encodedBodySize, new URL(name).origin === location.origin])""")


def weight(guest):
    """The compressed bytes of page, modules and core that a visit loads."""
    return sum(packed(path) for path, _, _ in loaded(guest))


@group.journey("page, modules and core weigh at most 60 KB together")
def weighs(stage):
    guest = stage.guest("Ada")
    files = loaded(guest)
    ensure(all(is_own for path, _, is_own in files if not path.startswith("image/")),
           f"Something comes from elsewhere: {files}")
    total = weight(guest)
    print(f"    {total} bytes gzip, all that the album loads", flush=True)
    ensure(total <= WEIGHT_MAX, f"The page weighs {total} bytes")
    for path, size, _ in files:
        if path.startswith("/reunion/") or path.endswith((".js", ".css")):
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
