"""A guest's evening: joins, adds photos, names, captions, hearts; and what the host may do."""

import hashlib
import io
import pathlib

from PIL import Image

import photos
from browser import NOTICE, UNDO, stage
from journey import Group, ensure
from member import Member, refusal
from session import Session

group = Group(stage())
# For how many milliseconds the host is asked whether a photo is to go for good.
FOR_GOOD = 20_000


@group.journey("a guest joins by the link on plain HTTP and sees the album")
def joins(stage):
    guest = stage.guest("Ada")
    ensure(not guest.page.evaluate("isSecureContext"), "The page is in a secure context")
    ensure(guest.page.locator("h1").inner_text() == "Summer 2026", "The album's name is not shown")
    ensure("#" not in guest.page.url, "The secret stays in the address bar")
    guest.page.get_by_role("button", name="Add photos").wait_for()
    guest.page.get_by_role("img", name="QR code of the link for guests").wait_for()
    ensure(not guest.page.locator("button[aria-label='Edit the album’s name']").is_visible(),
           "A guest is offered to rename the album")
    stage.leave()


@group.journey("twelve photos of all kinds stand at once with a ring, and reach every screen")
def twelve(stage):
    ada, ben = stage.guest("Ada"), stage.guest("Ben")
    stage.host.page.bring_to_front()
    ada.slow_down(up_per_second=100_000)
    files = photos.twelve()
    ada.add(*files)
    ada.wait(lambda: ada.tiles.count() == 12, "Not all twelve stand on the guest's screen")
    ada.wait(lambda: ada.page.locator("photo-grid .ring").count(),
             "No photo shows a ring of progress")
    ada.wait(lambda: "Sending" in ada.state and "Keep this page open" in ada.state,
             lambda: f"The page does not say that it sends, but “{ada.state}”")
    ada.slow_down()
    ada.is_settled()
    for person in (ada, ben, stage.host):
        person.sees(12)
    names = {photo["fileName"] for photo in ben.photos}
    ensure(names == {file.name for file in files}, f"The names differ: {names}")
    sizes = {photo["fileName"]: (photo["width"], photo["height"]) for photo in ben.photos}
    for file in files:
        ensure(sizes[file.name] == photos.upright_size(file),
               f"{file.name} is {sizes[file.name]}, and not {photos.upright_size(file)}")
    ada.wait(lambda: ada.state == "Your 12 photos are safe on the server.",
             lambda: f"The page says “{ada.state}”")
    ada.wait(lambda: not ada.page.locator("photo-grid .ring").count(),
             "A ring stays after the upload")
    ben.is_still()
    stage.leave(ben)


@group.journey("a guest gives a name, a caption and a heart, and the others see them")
def words(stage):
    ada = next(person for person in stage.people if person.name == "Ada")
    ben = stage.guest("Ben")
    ada.page.get_by_text("Who took these photos?").wait_for()
    ada.page.get_by_role("textbox", name="Your name").fill("Ada")
    ada.page.get_by_role("button", name="Save").click()
    ada.page.get_by_text("Who took these photos?").wait_for(state="hidden")
    photo = ada.photos[0]["id"]
    ada.caption(photo, "عيد ميلاد سعيد 🎂")
    ben.wait(lambda: ben.photo(photo)["caption"] == "عيد ميلاد سعيد 🎂", "The caption did not come")
    viewer = ben.view(photo)
    viewer.get_by_text("Ada").wait_for()
    viewer.get_by_text("عيد ميلاد سعيد 🎂").wait_for()
    heart = viewer.get_by_role("button", name="Give a heart")
    heart.click()
    viewer.get_by_role("button", name="Take back your heart, 1 heart").wait_for()
    ben.close_viewer()
    for person in (ada, stage.host):
        person.wait(lambda: person.store(
            "(store, id) => store.hearts(store.photo(id)).count", photo) == 1,
            "The heart did not come")
    stage.leave(ben)


@group.journey("a long caption is seen whole by its author, and half a one outlives the page")
def long_caption(stage):
    ada = next(person for person in stage.people if person.name == "Ada")
    ada.page.set_viewport_size({"width": 390, "height": 844})
    photo, words = ada.photos[1]["id"], "Harbour at sunset, just before the storm came in " * 4
    ada.caption(photo, words)
    ada.wait(lambda: ada.photo(photo)["caption"] == words.strip(), "Enter does not save it")
    field = ada.view(photo).get_by_role("textbox", name="Caption")
    ada.wait(lambda: field.evaluate(
        "(at) => at.clientHeight > 60 && at.scrollHeight <= at.clientHeight"),
        "The caption is cut for the one who wrote it")
    field.press("Enter")
    ada.page.keyboard.press("ArrowRight")
    ada.wait(lambda: field.input_value() != words.strip(), "After Enter the arrows go nowhere")
    ada.close_viewer()
    ada.view(photo).get_by_role("textbox", name="Caption").fill("Half a capt")
    ada.page.reload()
    ada.page.locator("album-page h1").wait_for()
    ada.wait(lambda: ada.photo(photo)["caption"] == "Half a capt", "What was typed is lost")
    ada.is_settled()
    ada.page.set_viewport_size({"width": 900, "height": 700})


@group.journey("the host deletes a photo for good: its bytes go, and who wrote about it is told")
def for_good(stage):
    host, eve = stage.host, stage.guest("Eve")
    file = photos.unique_file(977)
    before = {photo["id"] for photo in eve.photos}
    eve.add(file)
    eve.wait(lambda: len(eve.photos) > len(before), "The photo does not stand on the screen")
    photo = next(each["id"] for each in eve.photos if each["id"] not in before)
    eve.is_settled()
    host.wait(lambda: host.photo(photo), "The host does not see the photo")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    original = pathlib.Path(stage.album.folder) / "blobs" / digest[:2] / digest
    ensure(original.exists(), "The original is not where this journey looks for it")
    # A guest who names others' bytes does not keep them.
    mallory = Session(Member(stage.album.guests)).connect()
    claimed = mallory.create("photo", {"original": (digest, file.stat().st_size)})
    mallory.settle()
    eve.holds(NOTICE)
    eve.context.set_offline(True)
    eve.until("(store) => store.standing.phase === 'offline'", "The page does not notice")
    eve.caption(photo, "Written while away")
    # Nobody but the host is asked, who takes their time.
    host.holds(NOTICE, UNDO, FOR_GOOD)
    viewer = host.view(photo)
    viewer.get_by_role("button", name="Delete photo").click()
    notice = host.page.locator(".notice", has_text="Photo deleted.")
    notice.get_by_role("button", name="For good…").click()
    asked = host.page.locator(".notice", has_text="Nobody can bring the photo back")
    asked.wait_for()
    ensure(original.exists(), "It went before the host agreed")
    asked.get_by_role("button", name="Delete for good").click()
    host.notice("Photo deleted for good.")
    host.wait(lambda: not original.exists(), "The original is still on the disk")
    # With the last photo the viewer goes by itself.
    if host.photos:
        host.close_viewer()
    eve.context.set_offline(False)
    eve.notice("A photo is no longer in the album, so what you wrote about it is gone.")
    eve.wait(lambda: not eve.photo(photo), "The photo is still on the guest's screen")
    eve.is_settled()
    # Neither comes it back by an edit, nor does a new phone hear of it.
    session = Session(Member(stage.album.guests)).connect()
    held = [key for key in session.records if key[1] == photo]
    session.close()
    ensure(not held, "A new phone is sent the photo")
    eve.page.reload()
    eve.page.locator("album-page h1").wait_for()
    ensure(not eve.photo(photo), "The photo is back after a reload")
    mallory.delete("photo", claimed)
    mallory.settle()
    mallory.close()
    stage.leave(eve)


@group.journey("an undone delete shows the photo again, in the viewer too")
def undone(stage):
    ada = next(person for person in stage.people if person.name == "Ada")
    ada.holds(UNDO)
    count, photo = len(ada.photos), ada.photos[3]["id"]
    viewer = ada.view(photo)
    source = "(at) => at.wanted"
    large = viewer.locator(".large")
    shown = large.evaluate(source)
    # Two taps at once are one: the second does not count as another photo.
    viewer.get_by_role("button", name="Delete photo").evaluate(
        "(button) => { button.click(); button.click(); }")
    ada.wait(lambda: large.evaluate(source) != shown, "The viewer stays on a deleted photo")
    told = ada.page.locator(".notice p").all_inner_texts()
    ensure(told == ["Photo deleted."], f"The page says {told}")
    ensure(len(ada.photos) == count - 1, f"{len(ada.photos)} of {count} photos are left")
    ada.page.get_by_role("button", name="Undo").click()
    ada.wait(lambda: ada.photo(photo) and large.evaluate(source) == shown,
             "The viewer stays on another photo")
    ada.close_viewer()
    ada.is_settled()


@group.journey("a guest may change what they added, and nothing else")
def own(stage):
    ada = next(person for person in stage.people if person.name == "Ada")
    ben = stage.guest("Ben")
    photo = ben.photos[0]["id"]
    viewer = ben.view(photo)
    for what in (viewer.get_by_role("button", name="Delete photo"),
                 viewer.get_by_role("textbox", name="Caption")):
        ensure(not what.is_visible(), "A guest may change another's photo")
    ben.close_viewer()
    before = ben.photo(photo)["caption"]
    ben.holds(NOTICE)
    ben.store("(store, id) => store.setCaption(store.photo(id), 'Not mine')", photo)
    ben.notice("You can change only photos that you added")
    ben.wait(lambda: ben.photo(photo)["caption"] == before, "The refused caption stays")
    ben.store("(store, id) => store.delete(store.photo(id))", photo)
    ben.wait(lambda: ben.photo(photo), "The photo stays deleted at the guest who may not")
    ben.store("(store) => store.setName('Mine now')")
    ben.notice("Only the host can change the album’s name")
    ben.until("(store) => store.name === 'Summer 2026'", "The refused name stays")
    ensure(ada.photo(photo)["caption"] == before, "Another's screen shows the refused caption")
    ada.holds(UNDO)
    mine = ada.photos[-1]["id"]
    ada.view(mine).get_by_role("button", name="Delete photo").click()
    ben.wait(lambda: not ben.photo(mine), "The guest's own photo is not deleted")
    ada.close_viewer()
    ada.page.get_by_role("button", name="Undo").click()
    ben.wait(lambda: ben.photo(mine), "The undone delete stays")
    stage.leave(ben)


@group.journey("a change of another's record is refused over the protocol too, and what stood stands")
def over_the_protocol(stage):
    intruder = Session(Member(stage.album.guests)).connect()
    watcher = Session(Member(stage.album.guests)).connect()
    record, before = next(iter(intruder.all("photo").items()))
    intruder.set("photo", record, {"caption": "Changed by somebody else"})
    intruder.settle()
    intruder.run(lambda: intruder.refused)
    ensure(intruder.fields("photo", record) == before, "The refusal does not bring what stands")
    intruder.delete("photo", record)
    intruder.settle()
    intruder.run(lambda: len(intruder.refused) == 2)
    intruder.create("heart", {"photo": record})
    intruder.settle()
    ensure(len(intruder.refused) == 2, "A heart on another's photo is refused")
    watcher.run(lambda: watcher.all("heart").keys() & intruder.all("heart").keys())
    ensure(watcher.fields("photo", record) == before, "A refused change reached another guest")
    for session in (intruder, watcher):
        session.close()


@group.journey("the host edits everything, and the album's name in place")
def host(stage):
    host, ada = stage.host, next(person for person in stage.people if person.name == "Ada")
    host.page.get_by_role("button", name="Edit the album’s name").click()
    field = host.page.get_by_role("textbox", name="Album name")
    field.fill("Summer at the lake")
    field.press("Enter")
    ada.until("(store) => store.name === 'Summer at the lake'", "The new name did not come")
    ada.wait(lambda: ada.page.locator("h1").inner_text() == "Summer at the lake",
             "The heading is the old")
    photo = ada.photos[3]["id"]
    host.caption(photo, "By the host")
    ada.wait(lambda: ada.photo(photo)["caption"] == "By the host", "The host's caption is missing")
    gone = ada.photos[5]["id"]
    host.view(gone).get_by_role("button", name="Delete photo").click()
    ada.wait(lambda: not ada.photo(gone), "The host's delete did not come")
    host.close_viewer()
    ensure(stage.album.health()["status"] == "ok", "The server is not well")


@group.journey("originals are the owner's alone, byte for byte")
def originals(stage):
    owner, guest = Member(stage.album.owner), Member(stage.album.guests)
    session = Session(owner).connect()
    by_name = {file.name: file.read_bytes() for file in photos.twelve()}
    found = session.all("photo").values()
    ensure(len(found) == 11, f"{len(found)} photos are there")
    for photo in found:
        hash_, size = photo["original"]
        data = owner.get(f"/blobs/{hash_}")
        ensure(data == by_name[photo["fileName"]], f"{photo['fileName']} is not what was added")
        ensure(hashlib.sha256(data).hexdigest() == hash_ and len(data) == size, "The hash is wrong")
        refused = refusal(lambda: guest.get(f"/blobs/{hash_}"))
        ensure(refused.status == 403, f"A guest who asks for an original gets {refused}")
    session.close()


# A rendition is made of the original, and has no metadata (docs/protocol.md 3.4).
@group.journey("renditions are upright from all eight orientations, and tell no place")
def renditions(stage):
    owner, guest = Member(stage.album.owner), Member(stage.album.guests)
    session = Session(owner).connect()
    for number in range(1, 9):
        data = photos.orientation(number).read_bytes()
        hash_ = owner.upload(data)["hash"]
        session.create("photo", {"original": (hash_, len(data))})
        session.settle()
        for edge, size in ((320, (320, 213)), (2048, (900, 600))):
            answer = guest.get(f"/renditions/{hash_}/{edge}")
            picture = Image.open(io.BytesIO(answer))
            ensure(picture.size == size, f"Orientation {number}: {picture.size} at {edge}")
            ensure(photos.is_upright(picture), f"Orientation {number} is not upright at {edge}")
            ensure(not picture.getexif() and b"Exif" not in answer and b"GPS" not in answer,
                   f"Orientation {number}: the rendition tells more than the picture")
    for photo in session.all("photo").values():
        answer = guest.get(f"/renditions/{photo['original'][0]}/2048")
        ensure(photos.is_upright(Image.open(io.BytesIO(answer))),
               f"{photo['fileName']} is not upright")
        ensure(b"test camera" not in answer, f"{photo['fileName']}: the rendition carries its EXIF")
    deleted = {hashlib.sha256(file.read_bytes()).hexdigest() for file in photos.twelve()} - {
        photo["original"][0] for photo in session.all("photo").values()}
    for hash_ in deleted:
        refused = refusal(lambda: guest.get(f"/renditions/{hash_}/320"))
        ensure(refused.status == 404, f"A deleted photo's rendition gets {refused}")
    session.close()
    stage.leave()
