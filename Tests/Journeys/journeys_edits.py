"""Crop and rotate in the album: beside the original, at once on every screen, and one tap back."""

import contextlib
import hashlib
import io
import sqlite3
import tempfile
import time

from PIL import Image

import photos
from accessibility import examine
from album import Album
from browser import NOTICE, Person, stage
from journey import Group, ensure, until
from journeys_clone import clone
from member import Member, Refused, refusal
from session import Session

group = Group(stage())
RED, GREEN, BLUE, YELLOW = photos.CORNERS
LEFT_HALF = bytes.fromhex("00" "0000" "0000" "8000" "ffff")
UPPER_HALF = bytes.fromhex("00" "0000" "0000" "ffff" "8000")
# The colour of an image's pixel, by its place from 0 to 1.
_PIXEL = """(image, [x, y]) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return [...context.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height),
        1, 1).data].slice(0, 3); }"""


def near(found, wanted):
    return all(abs(one - other) < 40 for one, other in zip(found, wanted))


class Tile:
    """A photo's picture in somebody's album."""

    def __init__(self, person, photo):
        self.person, self.photo = person, photo

    @property
    def image(self):
        index = [each["id"] for each in self.person.photos].index(self.photo)
        return self.person.page.locator(f"photo-grid li[aria-posinset='{index + 1}'] img")

    @property
    def source(self):
        return self.image.get_attribute("src") or ""

    def shows(self, place, color, size=None):
        """Waits until the picture has that colour at that place, and that size as it is shown."""
        def holds():
            if not self.image.evaluate("(at) => at.complete && at.naturalWidth > 0"):
                return False
            shown = self.person.photo(self.photo).get("shown") or {}
            return ((not size or (shown.get("width"), shown.get("height")) == size)
                    and near(self.image.evaluate(_PIXEL, list(place)), color))
        self.person.wait(holds, lambda: f"The tile shows {self.source} "
                                        f"{self.person.photo(self.photo).get('shown')}")


def share(person, file):
    """Adds a photo, waits until it is safe, and gives its id."""
    before = {each["id"] for each in person.photos}
    person.add(file)
    person.is_settled()
    return next(each["id"] for each in person.photos if each["id"] not in before)


def edit(person, photo):
    """Opens the editor of a photo."""
    person.view(photo).get_by_role("button", name="Crop and rotate").click()
    editor = person.page.locator("dialog.editor")
    editor.wait_for()
    person.wait(lambda: editor.locator("img").evaluate("(at) => at.naturalWidth > 0"), "No picture")
    return editor


def drag(person, editor, handle, to):
    """Pulls a handle to a place of the picture, from 0 to 1, with the mouse."""
    box = editor.locator(".box").bounding_box()
    at = editor.locator(f"[data-pulls='{handle}']").bounding_box()
    mouse = person.page.mouse
    mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.4)
    mouse.move(box["x"] + box["width"] * to[0], box["y"] + box["height"] * to[1])
    mouse.up()


def is_refused(act):
    try:
        act()
    except Refused:
        return True


def finish(person, editor, name="Done"):
    editor.get_by_role("button", name=name).click()
    editor.wait_for(state="detached")
    person.close_viewer()


# The end of it asks the server for that edit, for others and for the full size (docs/protocol.md 3.4).
@group.journey("a crop is seen at once here, then on every screen, and the original stays")
def crop(stage):
    ada, ben = stage.guest("Ada"), stage.guest("Ben")
    photo = share(ada, photos.orientation(6))
    ben.sees(len(ada.photos))
    blob = ada.photo(photo)["original"]["hash"]
    # No picture of the server's: what is seen now was drawn here.
    ada.page.route("**/renditions/*/*/*", lambda route: route.abort())
    editor = edit(ada, photo)
    drag(ada, editor, "top left", (0.5, 0.5))
    editor.get_by_role("button", name="Rotate right").click()
    finish(ada, editor)
    # The lower right quarter: its blue corner is at the lower left after the turn.
    mine = Tile(ada, photo)
    mine.shows((0.1, 0.9), BLUE, (300, 450))
    ada.wait(lambda: mine.source.startswith("blob:"),
             lambda: f"It was not drawn here, but is {mine.source}")
    theirs = Tile(ben, photo)
    theirs.shows((0.1, 0.9), BLUE, (300, 450))
    shown = ben.photo(photo)["shown"]["edit"]
    ben.wait(lambda: theirs.source.endswith(f"/renditions/{blob}/320/{shown}"),
             lambda: f"It is {theirs.source}")
    viewer = ben.view(photo)
    viewer.locator(".large.shown").wait_for()
    ensure(near(viewer.locator(".large").evaluate(_PIXEL, [0.1, 0.9]), BLUE), "The large one is old")
    ensure(not viewer.get_by_role("button", name="Crop and rotate").is_visible(), "Ben may edit")
    ben.close_viewer()
    ada.page.unroute("**/renditions/*/*/*")
    stage.leave(ada, ben)

    host, guest = Member(stage.album.owner), Member(stage.album.guests)
    original = host.get(f"/blobs/{blob}")
    ensure(hashlib.sha256(original).hexdigest() == blob, "The original is another")
    data = host.get(f"/renditions/{blob}/full/{shown}")
    full = Image.open(io.BytesIO(data))
    ensure(full.size == (300, 450) and near(full.getpixel((30, 420)), BLUE), f"It is {full.size}")
    ensure(b"Exif" in original and b"Exif" not in data, "The download tells more than it shows")
    ensure(refusal(lambda: guest.get(f"/renditions/{blob}/full/{shown}")).status == 403,
           "A guest has the full size")
    for other in ("0000000000ffff8000", shown[:-1], shown.upper() + "0", "x"):
        ensure(refusal(lambda: guest.get(f"/renditions/{blob}/320/{other}")).status == 404,
               f"There is a rendition {other}")


@group.journey("one tap reverts, and no screen and no server shows the edit any more")
def revert(stage):
    host, ben = stage.host, stage.guest("Ben")
    photo = share(host, photos.orientation(3))
    ben.sees(len(host.photos))
    host.store("""(store, [id, edit]) => store.setEdit(store.photo(id), new Uint8Array(edit))""",
               [photo, list(LEFT_HALF)])
    Tile(ben, photo).shows((0.1, 0.1), RED, (450, 600))
    blob = host.photo(photo)["original"]["hash"]
    path = f"/renditions/{blob}/320/{LEFT_HALF.hex()}"
    guest = Member(stage.album.guests)
    guest.get(path)
    host.holds(NOTICE)
    viewer = host.view(photo)
    links = {name: viewer.get_by_role("link", name=name).get_attribute("href")
             for name in ("Download", "Original")}
    ensure(links == {"Download": f"/renditions/{blob}/full/{LEFT_HALF.hex()}",
                     "Original": f"/blobs/{blob}"}, f"The links are {links}")
    viewer.get_by_role("button", name="Revert to original").click()
    Tile(ben, photo).shows((0.9, 0.1), GREEN)
    ensure(ben.photo(photo).get("shown") is None and host.photo(photo)["edit"] is None, "It stays")
    until(lambda: is_refused(lambda: guest.get(path)), "The old edit is still served")
    host.page.locator(".notice", has_text="Photo reverted to the original.").get_by_role("button").click()
    Tile(ben, photo).shows((0.1, 0.1), RED, (450, 600))
    host.close_viewer()
    # What was made of it is made again.
    for file in (stage.album.folder / "renditions").glob(f"{blob}-*"):
        file.unlink()
    ensure(Image.open(io.BytesIO(guest.get(path))).size == (240, 320), "It is not made again")
    stage.leave(ben)


@group.journey("a guest edits own photos alone, and of two edits the later one stands as a whole")
def merge(stage):
    ada, ben = stage.guest("Ada"), stage.guest("Ben")
    photo = share(ada, photos.unique_file(4711))
    ben.sees(len(ada.photos))
    stranger = Session(Member(stage.album.guests)).connect()
    stranger.set("photo", bytes.fromhex(photo), {"edit": LEFT_HALF})
    stranger.push()
    stranger.run(lambda: stranger.refused)
    stranger.close()
    one, other = (Session(Member(stage.album.owner)).connect() for _ in range(2))
    # Apart: neither has seen the other's.
    one.set("photo", bytes.fromhex(photo), {"edit": LEFT_HALF})
    # Later by the clock, whose ties would go to the higher site.
    until(lambda: time.time_ns() // 1_000_000 << 16 > one.last, "The clock stands still")
    other.set("photo", bytes.fromhex(photo), {"edit": UPPER_HALF})
    one.settle()
    other.settle()
    for person in (ada, ben):
        person.wait(lambda: (person.photo(photo).get("shown") or {}).get("edit") == UPPER_HALF.hex(),
                    lambda: f"It shows {person.photo(photo).get('shown')}")
    one.run(lambda: one.fields("photo", bytes.fromhex(photo))["edit"] == UPPER_HALF)
    one.close()
    other.close()
    with contextlib.closing(sqlite3.connect(
            f"file:{stage.album.folder}/store.sqlite?mode=ro", uri=True)) as store:
        lost = [row for row in store.execute("SELECT * FROM reunion_conflict")
                if any(isinstance(part, bytes) and LEFT_HALF in part for part in row)]
    ensure(len(lost) == 1, f"The other edit is kept {len(lost)} times")
    stage.leave(ada, ben)


@group.journey("the editor works with the keyboard alone, and says what it does")
def keyboard(stage):
    ada = stage.guest("Ada")
    photo = share(ada, photos.unique_file(4712))
    page, keys = ada.page, ada.page.keyboard
    editor = edit(ada, photo)
    wanted = page.locator("dialog.viewer .large").evaluate("(at) => at.wanted")

    def focus(label):
        for _ in range(30):
            if page.evaluate("""() => document.activeElement.getAttribute('aria-label')
                    || document.activeElement.textContent""").startswith(label):
                return
            keys.press("Tab")
        raise AssertionError(f"Tab does not reach “{label}”")
    focus("Left edge")
    for _ in range(2):
        keys.press("Shift+ArrowRight")
    keys.press("ArrowRight")
    slider = editor.get_by_role("slider", name="Left edge")
    ada.wait(lambda: slider.get_attribute("aria-valuetext") == "21 percent",
             lambda: f"The left edge is at {slider.get_attribute('aria-valuetext')}")
    focus("Crop")
    keys.press("Shift+ArrowLeft")
    ada.wait(lambda: editor.locator("[role=status]").text_content()
             == "379 by 360 pixels, 11 percent from the left, 0 percent from the top",
             lambda: f"It says “{editor.locator('[role=status]').text_content()}”")
    focus("Square")
    keys.press("Enter")
    ada.wait(lambda: editor.locator(".measure").text_content() == "360 × 360", "It is no square")
    focus("Rotate left")
    keys.press("Space")
    focus("Reset")
    keys.press("Enter")
    ada.wait(lambda: editor.locator(".measure").text_content() == "480 × 360", "It is not reset")
    focus("Bottom edge")
    keys.press("Shift+ArrowUp")
    keys.press("Escape")
    editor.wait_for(state="detached")
    ensure(ada.photo(photo)["edit"] is None, "Cancel writes")
    ada.wait(lambda: page.evaluate("document.activeElement.ariaLabel") == "Crop and rotate",
             "The focus is lost")
    keys.press("Enter")
    editor.wait_for()
    focus("Bottom edge")
    keys.press("Shift+ArrowUp")
    focus("Done")
    keys.press("Enter")
    ada.wait(lambda: (ada.photo(photo).get("shown") or {}).get("height") == 324, "It is not written")
    ensure(page.locator("dialog.viewer .large").evaluate("(at) => at.wanted").startswith(wanted),
           "The keys went on to another photo")
    # A phone's "back" leaves the editor, and not the photo.
    page.get_by_role("button", name="Crop and rotate").click()
    editor.wait_for()
    page.go_back()
    editor.wait_for(state="detached")
    ensure(page.locator("dialog.viewer").is_visible(), "Back leaves the photo as well")
    ada.close_viewer()
    stage.leave(ada)


@group.journey("a photo that is edited before it is sent is seen by others from its preview")
def early(stage):
    ada, ben = stage.guest("Ada"), stage.guest("Ben")
    before = {each["id"] for each in ada.photos}
    ada.page.route("**/uploads?use=original", lambda route: route.abort())
    ada.add(photos.unique_file(4713))
    ada.wait(lambda: len(ada.photos) == len(before) + 1, "It is not there")
    photo = next(each["id"] for each in ada.photos if each["id"] not in before)
    ben.wait(lambda: ben.photo(photo), "It did not come")
    editor = edit(ada, photo)
    drag(ada, editor, "right", (0.5, 0.5))
    finish(ada, editor)
    theirs = Tile(ben, photo)
    # The whole picture has that corner too: until its own is drawn, that is what stands there.
    ben.wait(lambda: theirs.source.startswith("blob:"), lambda: f"It is {theirs.source}")
    theirs.shows((0.1, 0.9), YELLOW, (240, 360))
    ada.page.unroute("**/uploads?use=original")
    ada.store("(store) => store.uploads.wake()")
    ada.is_settled()
    viewer = ben.view(photo)
    viewer.locator(".large.shown").wait_for()
    ensure(near(viewer.locator(".large").evaluate(_PIXEL, [0.1, 0.9]), YELLOW), "It is another part")
    ben.close_viewer()
    stage.leave(ada, ben)


@group.journey("a photo whose preview is still here is not said to be there")
def preview_waits(stage):
    ada = stage.guest("Ada")
    before = {each["id"] for each in ada.photos}
    ada.page.route("**/uploads?use=preview", lambda route: route.abort())
    ada.add(photos.unique_file(4716))
    ada.wait(lambda: len(ada.photos) == len(before) + 1, "It is not there")
    photo = next(each["id"] for each in ada.photos if each["id"] not in before)
    ada.until("""(store, id) => {
        const photo = store.photos.find((each) => each.id === id);
        return photo && store.writtenOf(photo).storedAt; }""", "The original does not come", photo)
    # By its file alone all would be there.
    ada.until("(store) => !store.uploads.state.value.files.size", "The original stays here")
    ensure(ada.standing["photos"] == 1, f"The page says that all is there: {ada.standing}")
    ada.page.unroute("**/uploads?use=preview")
    ada.store("(store) => store.uploads.wake()")
    ada.is_settled()
    stage.leave(ada)


@group.journey("an edit passes through a replica that does not know its field, and is shown behind it")
def clone_knows_nothing(stage):
    with contextlib.closing(Session(Member(stage.album.owner)).connect()) as host:
        answer = host.member.upload(photos.unique(4714))
        photo = host.create("photo", {"original": (answer["hash"], answer["bytes"])})
        host.settle()
        host.run(lambda: host.fields("photo", photo).get("storedAt"))
        host.set("photo", photo, {"edit": UPPER_HALF})
        host.settle()
    with tempfile.TemporaryDirectory(prefix="clone-") as folder:
        done = clone(stage.album.owner, folder)
        ensure(done.returncode == 0, f"The clone ended with {done.returncode}: {done.stderr}")
        with Album(folder) as second:
            guest = Member(second.guests)
            data = guest.get(f"/renditions/{answer['hash']}/320/{UPPER_HALF.hex()}")
            ensure(Image.open(io.BytesIO(data)).size == (320, 120), "It is another part")
            with contextlib.closing(Session(guest).connect()) as session:
                ensure(session.fields("photo", photo)["edit"] == UPPER_HALF, "The edit is lost")


@group.journey("the editor fits a small phone and a finger; axe finds nothing, light, dark, mirrored")
def phone(stage):
    for scheme, locale, width in (("light", "en", 360), ("dark", "ar", 390), ("light", "en", 1280)):
        person = Person(stage.browser, "a phone", color_scheme=scheme, locale=locale,
                        has_touch=width < 500, reduced_motion="reduce")
        stage.people.append(person)
        person.page.set_viewport_size({"width": width, "height": 740})
        person.open(stage.album.lan(stage.album.owner))
        photo = share(person, photos.unique_file(4800 + width))
        editor = edit(person, photo)
        if width < 500:
            examine(person.page, f"the editor, {scheme}, {locale}")
        for part in editor.locator("button, .handle").all():
            if not part.evaluate("(at) => at.closest('.chips')"):
                box = part.bounding_box()
                ensure(0 <= box["x"] and box["x"] + box["width"] <= width and box["y"] >= 0
                       and box["y"] + box["height"] <= 740, f"{part.inner_html()} leaves the screen")
                ensure(min(box["width"], box["height"]) >= 40, f"{box} is too small for a finger")
        ensure(person.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "Too wide")
        if width < 500:
            touch(person, editor)
        finish(person, editor, "Cancel")
        stage.leave(person)


def touch(person, editor):
    """Pulls the left edge with a finger, and then moves the crop."""
    chrome = person.context.new_cdp_session(person.page)
    box = editor.locator(".box").bounding_box()
    share = lambda edge: int(editor.get_by_role("slider", name=edge).get_attribute("aria-valuenow"))
    middle = box["y"] + box["height"] / 2
    for start, end, wanted in ((0, 0.4, 40), (0.7, 0.5, 20)):
        for kind, at in (("touchStart", start), ("touchMove", (start + end) / 2), ("touchMove", end)):
            chrome.send("Input.dispatchTouchEvent", {
                "type": kind, "touchPoints": [{"x": box["x"] + box["width"] * at, "y": middle}]})
        chrome.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        person.wait(lambda: abs(share("Left edge") - wanted) <= 1,
                    lambda: f"The left edge is at {share('Left edge')}, and not {wanted}")
