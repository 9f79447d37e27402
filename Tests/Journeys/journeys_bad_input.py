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
            (photos.html_as_jpeg(), "was not added"), (photos.svg_as_jpeg(), "was not added"),
            (photos.truncated(), "was not added"), (photos.bomb(), "was not added")):
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
    guest.page.wait_for_timeout(200)
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
