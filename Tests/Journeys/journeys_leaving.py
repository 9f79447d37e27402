"""How people leave an album: by themselves, put out by the host, or by staying away; and the way back."""

import contextlib
import hashlib
import json
import re
import subprocess
import time

from playwright.sync_api import Error

import photos
from accessibility import examine
from album import CLONER
from browser import stage
from journey import PATIENCE, Group, ensure
from member import Member, refusal
from session import Session

group = Group(stage())
DAY = 86_400_000
UPLOADS = re.compile(r"(?<!/reunion)/uploads(\?|/|$)")


def kept(person):
    """What a browser keeps of the album: databases with records or files, and words in localStorage."""
    return person.page.evaluate("""async () => {
        const found = [];
        for (const { name } of await indexedDB.databases()) {
          const open = await new Promise((resolve, reject) => {
            const request = indexedDB.open(name);
            [request.onsuccess, request.onerror] = [() => resolve(request.result), reject]; });
          for (const store of ['records', 'uploads', 'chunks']) {
            if (!open.objectStoreNames.contains(store)) continue;
            const count = await new Promise((resolve) => {
              const request = open.transaction(store).objectStore(store).count();
              request.onsuccess = () => resolve(request.result); });
            if (count) found.push(`${count} ${store}`);
          }
          open.close();
        }
        return found.concat(Object.keys(localStorage)
          .filter((key) => key !== 'reunion-gone')); }""")


def pictures(person):
    """The addresses of the pictures that this page shows."""
    return person.page.locator("photo-grid img").evaluate_all("(all) => all.map(({ src }) => src)")


def cached(person, urls):
    """Which of them the browser still has, without asking anybody."""
    return person.page.evaluate("""async (urls) => {
        const found = [];
        for (const url of urls) {
          const answer = await fetch(url, { cache: 'only-if-cached', mode: 'same-origin' })
            .catch(() => null);
          if (answer?.ok) found.push(url);
        }
        return found; }""", [url for url in urls if url.startswith("http")])


def put_out(host, person):
    device = person.store("(store) => store.member.device")
    ensure(host.request("DELETE", f"/devices/{device}?guests-link=new")[0] == 204, "Nobody is put out")


def holds_uploads(person):
    """What this person adds does not get through from now on."""
    person.page.route(UPLOADS, lambda route: route.abort())


def heading(person, name):
    person.page.get_by_role("heading", name=name).wait_for()


def fresh_link(stage, host):
    stage.album.guests = json.loads(host.get("/invite"))["url"]
    return stage.album.lan(stage.album.guests)


@group.journey("who signs out is asked, keeps nothing in the browser, and is a stranger from then on")
def signs_out(stage):
    other = stage.guest("Ben")
    other.add(photos.unique_file(2901))
    other.is_settled()
    ada = stage.guest("Ada")
    ada.add(photos.unique_file(2902))
    ada.is_settled()
    ada.sees(2)
    shown = pictures(ada)
    ensure(cached(ada, shown), "Nothing is cached, so that this tests nothing")
    ada.page.get_by_role("button", name="Menu").click()
    ada.page.get_by_role("button", name="Sign out").click()
    sheet = ada.page.get_by_role("dialog", name="Sign out of this album")
    examine(ada.page, "the sheet “Sign out”")
    ensure("lost" not in sheet.inner_text(), "Something would be lost")
    sheet.get_by_role("button", name="Stay").click()
    ensure(ada.standing["phase"] not in ("out", "off"), "Who stays is out")
    # A second tab of the same browser goes, too.
    tab = ada.context.new_page()
    tab.goto(stage.album.lan(stage.album.guests).split("#")[0])
    tab.locator("album-page h1").wait_for()
    ada.page.get_by_role("button", name="Menu").click()
    ada.page.get_by_role("button", name="Sign out").click()
    sheet.get_by_role("button", name="Sign out").click()
    heading(ada, "You are signed out")
    examine(ada.page, "the page “You are signed out”")
    tab.get_by_role("heading", name="Ask for the code").wait_for()
    ada.wait(lambda: not kept(ada), lambda: f"The browser keeps {kept(ada)}")
    ensure(not cached(ada, shown), f"Pictures stay in the cache: {cached(ada, shown)}")
    ensure(not ada.context.cookies(), f"A cookie stays: {ada.context.cookies()}")
    ada.page.reload()
    heading(ada, "You are signed out")
    tab.close()
    # Its photo stays, and the way back is the link.
    other.sees(2)
    ada.open(stage.album.lan(stage.album.guests)).sees(2)
    stage.leave()


@group.journey("who signs out with photos that are not sent is told how many would be lost, while it is so")
def signs_out_early(stage):
    ada = stage.guest("Ada")
    before = len(ada.photos)
    holds_uploads(ada)
    ada.add(photos.unique_file(2903), photos.unique_file(2904))
    ada.has_entered(2)
    ada.page.get_by_role("button", name="Menu").click()
    ada.page.get_by_role("button", name="Sign out").click()
    sheet = ada.page.get_by_role("dialog", name="Sign out of this album")
    sheet.get_by_text("2 photos are not sent yet, and would be lost.").wait_for()
    examine(ada.page, "the sheet “Sign out” that warns")
    # Where nobody answers nothing is lost, and nobody is out.
    ada.context.set_offline(True)
    sheet.get_by_role("button", name="Sign out and lose 2 photos").click()
    sheet.get_by_text("The album does not answer just now").wait_for()
    ensure(ada.standing["photos"] == 2 and len(kept(ada)) > 2, f"The browser keeps {kept(ada)}")
    sheet.get_by_role("button", name="Close").click()
    ada.context.set_offline(False)
    ada.page.get_by_role("button", name="Menu").click()
    ada.page.get_by_role("button", name="Sign out").click()
    sheet.get_by_role("button", name="Sign out and lose 2 photos").wait_for()
    ada.page.unroute(UPLOADS)
    sheet.get_by_role("button", name="Sign out", exact=True).wait_for()
    ensure(not sheet.get_by_text("would be lost").is_visible(), "It still warns")
    ada.is_settled()
    sheet.get_by_role("button", name="Sign out", exact=True).click()
    heading(ada, "You are signed out")
    other = stage.guest("Ben")
    other.sees(before + 2)
    stage.leave()


@group.journey("who signs out and does without photos leaves no empty places in the album")
def gives_up(stage):
    ada, ben = stage.guest("Ada"), stage.guest("Ben")
    before = len(ben.photos)
    holds_uploads(ada)
    ada.add(photos.unique_file(2911))
    ada.has_entered(1)
    ben.wait(lambda: len(ben.photos) == before + 1, "Its record does not come")
    # However slow the machine is, the page waits until its places are given up.
    ada.holds(3000)
    ada.page.get_by_role("button", name="Menu").click()
    ada.page.get_by_role("button", name="Sign out").click()
    ada.page.get_by_role("button", name="Sign out and lose 1 photo").click()
    heading(ada, "You are signed out")
    ben.sees(before)
    ada.wait(lambda: not kept(ada), lambda: f"The browser keeps {kept(ada)}")
    stage.leave()


@group.journey("what a removed device had not sent is refused, told and saved, and never sent")
def removed(stage):
    host = Member(stage.album.owner)
    ada, ben = stage.guest("Ada", accept_downloads=True), stage.guest("Ben")
    ada.add(photos.unique_file(2905))
    ada.is_settled()
    before = len(ada.photos)
    ada.sees(before)
    shown = pictures(ada)
    mine = ada.photos[0]["id"]
    # Nothing leaves this phone from now on.
    ada.context.set_offline(True)
    ada.add(photos.unique_file(2906), photos.unique_file(2907))
    ada.has_entered(2)
    ada.caption(mine, "Never sent")
    put_out(host, ada)
    link = fresh_link(stage, host)
    ada.context.set_offline(False)
    # The page goes away by itself, too, once it hears that its device is out.
    with contextlib.suppress(Error):
        ada.page.reload()
    heading(ada, "You are no longer in this album")
    ada.page.get_by_text("2 photos and 1 change such as captions or hearts were not sent").wait_for()
    examine(ada.page, "the page of who was removed")
    ada.wait(lambda: not cached(ada, shown), "Pictures stay in the cache")
    ensure(not [each for each in kept(ada) if "records" in each], f"The browser keeps {kept(ada)}")
    # In again by a new link, it is the same: asked, not sent.
    ada.page.goto(link)
    heading(ada, "You are in the album again")
    ada.page.get_by_text("2 photos and 1 change such as captions or hearts were not sent").wait_for()
    rows = ada.page.get_by_role("list", name="Photos that were not sent").get_by_role("listitem")
    ensure(rows.count() == 2, f"{rows.count()} files are shown")
    for number in (2906, 2907):
        with ada.page.expect_download() as download:
            ada.page.get_by_role("link", name=f"Save unique-{number}.jpg").click()
        saved = open(download.value.path(), "rb").read()
        ensure(saved == photos.unique_file(number).read_bytes(), "What is saved is another photo")
        ensure(download.value.suggested_filename == f"unique-{number}.jpg", "Its name is another")
    ada.page.get_by_role("button", name="Do without them").click()
    ensure(ada.page.get_by_role("heading", name="You are in the album again").is_visible(),
           "One tap is enough")
    ada.page.get_by_role("button", name="Delete 2 photos from this phone for good").click()
    ada.page.locator("album-page h1").wait_for()
    ada.sees(before)
    ensure(ada.photo(mine)["caption"] == "" and ben.photo(mine)["caption"] == "",
           "The caption of the removed device is taken")
    for number in (2906, 2907):
        ensure(hashlib.sha256(photos.unique_file(number).read_bytes()).hexdigest()
               not in {photo["original"]["hash"] for photo in ben.photos}, "It is in the album")
    # Chosen anew, they are welcome.
    ada.add(photos.unique_file(2906))
    ben.sees(before + 1)
    ada.is_settled()
    stage.leave()


@group.journey("a page that is open when its device is removed shows at once what was not sent")
def removed_open(stage):
    host = Member(stage.album.owner)
    ada, ben = stage.guest("Ada"), stage.guest("Ben")
    holds_uploads(ada)
    ada.add(photos.unique_file(2908))
    ada.has_entered(1)
    ben.wait(lambda: ben.photos and ben.photos[0]["fileName"] == "unique-2908.jpg",
             "Its record does not come")
    empty = ben.photos[0]["id"]
    put_out(host, ada)
    heading(ada, "You are no longer in this album")
    ada.page.get_by_text("1 photo was not sent, and will not be.").wait_for()
    # It stays until its person decides, over as many visits as they like.
    ada.page.reload()
    ada.page.get_by_text("1 photo was not sent, and will not be.").wait_for()
    ada.page.get_by_role("button", name="Do without them").click()
    ada.page.get_by_role("button", name="Delete 1 photo from this phone for good").click()
    ada.page.get_by_text("its copy of the album is deleted").wait_for()
    ada.wait(lambda: not kept(ada), lambda: f"The browser keeps {kept(ada)}")
    # Its record came before; the host takes it away.
    owner = Session(host).connect()
    owner.delete("photo", bytes.fromhex(empty))
    owner.settle().close()
    put_out(host, ben)
    heading(ben, "You are no longer in this album")
    ben.wait(lambda: not kept(ben), lambda: f"The browser keeps {kept(ben)}")
    link = fresh_link(stage, host)
    ben.page.goto(link)
    ben.page.locator("album-page h1").wait_for()
    stage.leave()


def lapse(stage, device):
    """Has a device's last use been 61 days ago, as a full replica of the owner's may."""
    owner = Member(stage.album.owner, is_replica=True)
    access = next(bytes.fromhex(space) for space in owner.facts["spaces"]
                  if bytes.fromhex(space) != owner.space)
    session = Session(owner, space=access)
    session.model["member"] = {"number": 16_777_202, "name": "reunion_member", "fields": [
        {"number": 3, "name": "device", "kind": 2}, {"number": 6, "name": "usedAt", "kind": 6}]}
    session.connect()
    number = int.from_bytes(bytes.fromhex(device), signed=True)
    found = [record for record, values in session.all("member").items()
             if values["device"] == number]
    ensure(found, "The device has no membership")
    for record in found:
        session.set("member", record, {"usedAt": int(time.time() * 1000) - 61 * DAY})
    session.settle().close()


@group.journey("who stays away for long comes back by the link as the same device, with what waited")
def lapses(stage):
    ada, ben = stage.guest("Ada"), stage.guest("Ben")
    ada.add(photos.unique_file(2909))
    ada.is_settled()
    before = len(ada.photos)
    mine, device = ada.photos[0]["id"], ada.store("(store) => store.member.device")
    holds_uploads(ada)
    ada.add(photos.unique_file(2910))
    ada.has_entered(1)
    ada.page.goto("about:blank")
    lapse(stage, device)
    ada.page.goto(stage.album.lan(stage.album.guests).split("#")[0])
    heading(ada, "Welcome back")
    examine(ada.page, "the page “Welcome back”")
    ada.page.unroute(UPLOADS)
    ada.page.goto(stage.album.lan(stage.album.guests))
    ada.page.locator("album-page h1").wait_for()
    ensure(ada.store("(store) => store.member.device") == device, "It is another device now")
    ada.is_settled()
    ben.sees(before + 1)
    ada.caption(mine, "Still mine")
    ben.wait(lambda: ben.photo(mine)["caption"] == "Still mine", "The own photo is a stranger's")
    stage.leave()


@group.journey("a host who lost every link gets one by a command, while the album runs")
def owner_link(stage):
    album = stage.album

    def ask(*options):
        return subprocess.run([CLONER, "owner-link", album.folder, *options], capture_output=True,
                              text=True, timeout=PATIENCE)
    done = ask()
    ensure(done.returncode == 0, f"{done.returncode} {done.stderr}")
    link = done.stdout.strip()
    ensure(link.split("#")[0] == album.guests.split("#")[0], f"It leads to {link}")
    host = stage.guest("the host", album.lan(link))
    ensure(host.store("(store) => store.isHost"), "The link makes no host")
    host.page.get_by_role("button", name="Menu").click()
    host.page.get_by_role("button", name="New owner’s link").click()
    examine(host.page, "the sheet “New owner’s link”")
    host.page.get_by_role("button", name="Make one for one device").click()
    single = host.page.get_by_role("textbox", name="Owner’s link").input_value()
    ensure(refusal(lambda: Member(link)).status == 410, "The earlier link still opens")
    ensure(Member(single).facts["role"] == "admin", "The new link makes no owner")
    ensure(refusal(lambda: Member(single)).status == 410, "It opens for two")
    found = json.loads(ask("--at", "https://album.example", "--json").stdout)
    ensure(found["url"].startswith("https://album.example/#join="), f"{found}")
    album.owner = album.guests.split("#")[0] + "#" + found["url"].split("#")[1]
    ensure(Member(album.owner).facts["role"] == "admin", "The link of another address opens nothing")
    ensure(ask("--at", "nonsense").returncode == 2, "An address is taken that is none")
    stage.leave()
