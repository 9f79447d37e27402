"""What nobody should choose or write, as the page meets it."""

import codec
import photos
from browser import stage
from journey import Group, ensure
from member import Member
from session import Session

group = Group(stage())


@group.journey("the page names each bad file and why, and keeps none of them")
def bad_files(stage):
    guest = stage.guest("Ada")
    for file, words in (
            (photos.empty(), "is an empty file"), (photos.three_gigabytes(), "larger than 100 MB"),
            (photos.html_as_jpeg(), "was not added"), (photos.svg_as_jpeg(), "was not added")):
        guest.add(file)
        sentence = guest.notice(file.name)
        ensure(words in sentence, f"{file.name}: the page says “{sentence}”")
        print(f"    {sentence}", flush=True)
        guest.is_settled()
        guest.wait(lambda: not guest.photos, f"{file.name} stands in the album")
    guest.add(photos.html_as_jpeg(), photos.orientation(1), photos.empty())
    guest.is_settled()
    guest.sees(1)
    ensure(len(Session(Member(stage.album.guests)).connect().all("photo")) == 1,
           "A bad file left a record")
    stage.leave()


@group.journey("what cannot be shown stands in the album with a sentence, and who added it can save it")
def kept(stage):
    ada, ben = stage.guest("Ada"), stage.guest("Ben")
    before = len(ben.photos)
    ada.add(photos.bomb())
    sentence = ada.notice(photos.bomb().name)
    ensure("kept in the album, but cannot be shown" in sentence and "pixels" in sentence, f"It says “{sentence}”")
    ada.is_settled()
    for person in (ada, ben, stage.host):
        person.wait(lambda: len(person.photos) == before + 1, "Its tile is not there")
        person.page.locator(".tile .fate", has_text="cannot be shown").wait_for()
        viewer = person.view(person.photos[0]["id"])
        viewer.locator(".frame p", has_text="cannot be shown").wait_for()
        link = viewer.get_by_role("link", name="Download")
        ensure(link.is_visible() == (person is not ben), f"{person.name} may save it: {link.is_visible()}")
        ensure(not viewer.get_by_role("button", name="Crop and rotate").is_visible(), "It can be edited")
        person.close_viewer()
    ada.page.evaluate("""async () => {
        const { store } = document.querySelector('album-page'); await store.delete(store.photos[0]); }""")
    ben.wait(lambda: len(ben.photos) == before, "It is not deleted")
    stage.leave()


@group.journey("an original that is refused takes no photo away that others have seen")
def unkept(stage):
    ada, ben = stage.guest("Ada"), stage.guest("Ben")
    before = len(ben.photos)
    ada.add(photos.icon())
    sentence = ada.notice("favicon.ico")
    ensure("original" in sentence and "did not get into the album" in sentence, f"It says “{sentence}”")
    ada.is_settled()
    for person in (ada, ben):
        person.wait(lambda: len(person.photos) == before + 1 and person.photos[0]["contentType"]
                    == "application/octet-stream", "The photo is gone, or says nothing")
        viewer = person.view(person.photos[0]["id"])
        viewer.locator(".by", has_text="did not get into the album").wait_for()
        person.wait(lambda: viewer.locator("img.small").evaluate("(image) => image.naturalWidth > 0"),
                    "Its small picture is gone")
        ensure(not viewer.get_by_role("link", name="Download").is_visible(), "There is something to save")
        person.close_viewer()
    viewer = ada.view(ada.photos[0]["id"])
    viewer.get_by_role("button", name="Delete photo").click()
    ben.wait(lambda: len(ben.photos) == before, "It cannot be deleted")
    stage.leave()


@group.journey("records of odd values spoil nobody's album")
def odd_records(stage):
    guest = stage.guest("Ada")
    before = len(guest.photos)
    writer = Session(Member(stage.album.guests)).connect()
    hash_ = ("ab" * 32, 5)
    odd = [
        {"takenAt": 2 ** 62, "width": 2 ** 62, "height": -1, "color": -1},
        {"takenAt": -2 ** 63, "width": 0, "height": 2 ** 63 - 1, "color": 2 ** 40},
        {"caption": "\u202e" + "A" * 5000, "fileName": "<img src=x onerror=alert(1)>" * 9},
        {"caption": "\x00\x07 nul", "preview": ("cd" * 32, 2 ** 63), "storedAt": 1},
    ]
    for values in odd:
        writer.create("photo", {"original": hash_} | values)
    fields = {field["name"]: field for field in writer.model["photo"]["fields"]}
    for name in fields:
        real, fields[name]["kind"] = fields[name]["kind"], codec.KINDS["bytes"]
        writer.create("photo", {name: b"another kind"})
        fields[name]["kind"] = real
    writer.create("heart", {"photo": None})
    writer.settle()
    good = photos.unique(60)
    answer = writer.member.upload(good)
    writer.create("photo", {"original": (answer["hash"], answer["bytes"]), "caption": "A good one",
                            "storedAt": 1_780_000_000_000, "width": 4, "height": 3})
    writer.settle()
    guest.wait(lambda: any(photo["caption"] == "A good one" for photo in guest.photos),
               "The good photo did not come")
    guest.wait(lambda: guest.tiles.count() == len(guest.photos) > before,
               lambda: f"{guest.tiles.count()} of {len(guest.photos)} tiles stand")
    viewer = guest.view(guest.photos[0]["id"])
    for _ in range(len(guest.photos) - 1):
        guest.page.keyboard.press("ArrowRight")
    guest.wait(lambda: viewer.locator(".next").is_disabled(), "The viewer does not come to the last photo")
    ensure(viewer.is_visible(), "The viewer is gone")
    guest.close_viewer()
    ensure(not guest.page.locator("img[onerror]").count(), "A name became an element")
    writer.close()
    # The viewer leaves its place in the history a moment after it closes: a page that is opened before
    # would be left again.
    guest.page.wait_for_function("() => !history.state?.photo")
    guest.page.goto(guest.page.url.split("#")[0] + "wall")
    guest.page.locator(".slide.on").first.wait_for()
    stage.leave()
