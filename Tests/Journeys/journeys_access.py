"""Links and who they let in; the wall and its code."""

import hashlib
import io
import time

import zxingcpp
from PIL import Image

import photos
from browser import stage
from journey import Group, ensure, until
from member import Member, refusal, secret_of
from session import Session, new_id

group = Group(stage())


def decoded(locator):
    """What a phone's camera would read there."""
    def codes():
        return zxingcpp.read_barcodes(Image.open(io.BytesIO(locator.screenshot())))
    return until(codes, "No QR code can be read there")[0].text


@group.journey("the wall shows the newest photo, and a code that opens the album")
def wall(stage):
    ada = stage.guest("Ada")
    ada.add(photos.orientation(6))
    ada.is_settled()
    # The link as it is printed, in a browser that nobody joined with.
    wall = stage.guest("the wall", stage.album.lan(stage.album.wall), album=False)
    large = wall.page.locator(".slide.on .large.shown")
    large.wait_for()
    words = wall.page.locator(".words")
    wall.wait(lambda: words.inner_text() == "a guest",
              lambda: f"The wall says that “{words.inner_text()}” took it")
    first = large.get_attribute("src")
    ada.add(photos.half_megabyte())
    wall.wait(lambda: wall.page.locator(f".slide.on .large.shown:not([src='{first}'])").count(),
              "The newest photo is not on the wall")
    code = wall.page.get_by_role("img", name="QR code of the link for guests")
    link = decoded(code)
    ensure(link == stage.album.guests, f"The code on the wall opens {link}")
    newcomer = stage.guest("a newcomer", link)
    newcomer.wait(lambda: len(newcomer.photos) == 2,
                  "Who scans the wall's code does not see the album")
    stage.leave()


@group.journey("the invitation's code and link are the guests' link")
def invitation(stage):
    guest = stage.guest("Ada")
    guest.page.get_by_role("button", name="Invite people").click()
    sheet = guest.page.locator("dialog.sheet")
    code = decoded(sheet.get_by_role("img", name="QR code of the link for guests"))
    written = sheet.get_by_role("textbox", name="Link for guests").input_value()
    ensure(code == written == stage.album.guests,
           f"Code {code}, link {written}, terminal {stage.album.guests}")
    stage.leave()


@group.journey("the owner's link works twice, until the host makes a new one")
def owner(stage):
    album, old = stage.album, stage.album.owner
    first, second = Member(old), Member(old)
    ensure(first.facts["role"] == second.facts["role"] == "admin", "The link makes no owner")
    host = stage.guest("the host", album.lan(album.owner))
    host.page.get_by_role("button", name="Menu").click()
    host.page.get_by_role("button", name="New owner’s link").click()
    host.page.get_by_role("button", name="Make a new link").click()
    link = host.page.get_by_role("textbox", name="Owner’s link").input_value()
    ensure(secret_of(link) != secret_of(album.owner), "The new link is the old one")
    ensure(refusal(lambda: Member(old)).status == 410, "The old link works")
    ensure(first.get("/session"), "A device that used the old link is out")
    ensure(Member(link).facts["role"] == "admin", "The new link makes no owner")
    album.owner = link
    guest = Member(album.guests)
    ensure(refusal(lambda: guest.post("/owner-link")).status == 403, "A guest makes owner's links")
    late = stage.guest("a late host", album.lan(old), album=False)
    late.page.get_by_role("heading", name="This link has expired").wait_for()
    stage.leave()


@group.journey("a wrong, a cut and an expired link each say what to do")
def links(stage):
    album = stage.album
    for link, heading in (
            (album.guests[:-3], "This link does not work"),
            (album.guests.split("#")[0], "Ask for the code"),
            (expired_link(album), "This link has expired")):
        person = stage.guest("somebody", album.lan(link), album=False)
        person.page.get_by_role("heading", name=heading).wait_for()
        ensure(not person.page.locator("album-page").count(), "The album opens nevertheless")
        stage.leave(person)
    known = stage.guest("Ada")
    # Only the fragment is another, by which the page loads itself anew.
    known.page.evaluate("window.isOld = true")
    known.page.goto(album.lan(album.guests[:-3]))
    known.page.wait_for_function(
        "() => !window.isOld && document.querySelector('album-page h1')")
    stage.leave()


def expired_link(album):
    """Writes an invitation that ended a minute ago, as a full replica of the owner's may."""
    owner = Member(album.owner, is_replica=True)
    access = next(bytes.fromhex(space) for space in owner.facts["spaces"]
                  if bytes.fromhex(space) != owner.space)
    session = Session(owner, space=access)
    session.model["invitation"] = {"number": 16_777_201, "name": "reunion_invitation", "fields": [
        {"number": 1, "name": "secretHash", "kind": 5}, {"number": 2, "name": "role", "kind": 4},
        {"number": 3, "name": "expires", "kind": 6}, {"number": 4, "name": "isRevoked", "kind": 1}]}
    session.connect()
    session.create("invitation", {
        "secretHash": hashlib.sha256(b"gone-by-now").digest(), "role": "add",
        "expires": int(time.time() * 1000) - 60_000, "isRevoked": False}, new_id())
    session.settle().close()
    return album.guests.split("#")[0] + "#join=gone-by-now"


@group.journey("a device goes on as itself when its page is opened again, without the link")
def returns(stage):
    ada = stage.guest("Ada")
    ada.add(photos.orientation(1))
    ada.is_settled()
    mine = [photo["id"] for photo in ada.photos if ada.store(
        "(store, id) => store.isMine(store.photo(id))", photo["id"])]
    ada.page.goto(stage.album.lan(stage.album.guests).split("#")[0])
    ada.page.locator("album-page h1").wait_for()
    ada.wait(lambda: ada.photo(mine[0]), "The photo is not there after the return")
    ensure(ada.store("(store, id) => store.canEdit(store.photo(id))", mine[0]),
           "The guest's own photo is a stranger's after the return")
    stage.leave()
