"""The host's laptop dies: a clone takes over, and phones bring what they still held."""

import contextlib
import hashlib
import json
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import photos
from album import CLONER, LAN, Album, blob_files, contents, free_port, run_to_end
from browser import Stage, chromium
from journey import PATIENCE, Group, Skipped, ensure
from member import Member
from session import Session


@contextlib.contextmanager
def setting():
    with tempfile.TemporaryDirectory(prefix="clone-") as folder:
        first = Album(Path(folder) / "first")
        with first, chromium() as browser:
            stage = Stage(browser, first)
            stage.folder, stage.clone = Path(folder), None
            try:
                yield stage
            finally:
                if stage.clone and stage.clone.is_running:
                    stage.clone.kill()


group = Group(setting)
backups = Group(setting)


def reachable(link):
    """A link as this machine reaches it: the name is known to the browser alone."""
    return link.replace(f"//{LAN}:", "//127.0.0.1:")


def clone(link, folder, *options):
    return subprocess.run([CLONER, "clone", reachable(link), folder, "--once", *options],
                          capture_output=True, text=True, timeout=PATIENCE)


def reunion(*arguments):
    return subprocess.run([CLONER, *map(str, arguments)], capture_output=True, text=True,
                          timeout=PATIENCE)


@backups.journey("a backup of the running album restores to one that has every photo")
def backup(stage):
    data, kept = stage.album.folder, stage.folder / "backup"
    bo = stage.guest("Bo")
    bo.add(photos.unique_file(90))
    bo.is_settled()
    done = reunion("backup", data, kept, "--json")
    ensure(done.returncode == 0, f"backup ended with {done.returncode}: {done.stderr}")
    first = json.loads(done.stdout.splitlines()[-1])
    ensure(first["blobs"] == first["copied"] == len(blob_files(data)), f"It says {first}")
    bo.add(photos.unique_file(91))
    bo.is_settled()
    again = json.loads(reunion("backup", data, kept, "--json").stdout.splitlines()[-1])
    ensure(0 < again["copied"] < again["blobs"], f"The second copies {again}")
    plain, again_made = stage.folder / "plain", stage.folder / "imported"
    done = reunion("export", data, plain)
    ensure(done.returncode == 0, f"export ended with {done.returncode}: {done.stderr}")
    done = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=plain)
    ensure(done.returncode == 0, "sha256sum finds a difference")
    done = reunion("import", "archive", plain, again_made)
    ensure(done.returncode == 0, f"import ended with {done.returncode}: {done.stderr}")
    ensure(blob_files(again_made).keys() == blob_files(data).keys(), "The import has other blobs")
    before = contents(kept)
    code, says = run_to_end("--port", str(free_port()), "--data", kept)
    ensure(code == 1 and "reunion restore" in says, f"A backup is served: {code} {says}")
    ensure(contents(kept) == before, "A backup that was refused is changed")
    restored = stage.folder / "restored"
    done = reunion("restore", kept, restored, "--verify")
    ensure(done.returncode == 0 and "They are equal." in done.stdout, f"{done.stdout}{done.stderr}")
    ensure(reunion("restore", kept, restored).returncode == 1, "It restores over a store")
    ensure(reunion("verify", data).returncode == 0, "The running album is not sound")
    with Album(restored) as album:
        album.owner = stage.album.owner.replace(f":{stage.album.port}/", f":{album.port}/")
        ensure(album.counts()["blobs"] == again["blobs"], f"{album.counts()}")
        reader = Session(Member(stage.album.owner.replace(f":{stage.album.port}/",
                                                          f":{album.port}/"))).connect()
        ensure(len(reader.all("photo")) == 2, "Photos are missing")
        reader.close()
    name, file = next(iter(blob_files(restored).items()))
    file.chmod(0o600)
    file.write_bytes(b"other")
    found = reunion("verify", restored)
    ensure(found.returncode == 5 and name in found.stderr, f"{found.returncode} {found.stderr}")
    stage.leave(bo)


@backups.journey("sqlite3 looks at the running album and copies it while a guest adds photos")
def looked_at(stage):
    """The shell opens the file for writing: by that the album once lost what came next."""
    database, copy = stage.album.folder / "store.sqlite", stage.folder / "copy.sqlite"

    def shell(*words):
        done = subprocess.run(["sqlite3", "-cmd", ".timeout 60000", *map(str, words)],
                              capture_output=True, text=True)
        ensure(done.returncode == 0, f"sqlite3 says {done.stderr}")
        return done.stdout.strip()

    cy = stage.guest("Cy")
    before = int(shell(database, "SELECT count(*) FROM photo"))
    for number in range(4):
        cy.add(photos.unique_file(120 + number))
        shell(database, "SELECT count(*) FROM photo", f".backup {copy}")
        cy.is_settled()
        count = int(shell(database, "SELECT count(*) FROM photo"))
        ensure(count == before + number + 1, f"{count} photos after {number + 1} were added")
    ensure(shell(copy, "PRAGMA integrity_check") == "ok", "The copy is damaged")
    stage.album.kill()
    stage.album.start()
    cy.hears_of_the_network()
    cy.until("(store) => store.standing.phase === 'online'", "The page does not come back")
    cy.add(photos.unique_file(130))
    cy.is_settled()
    done = reunion("verify", stage.album.folder)
    if done.returncode:
        # What is not here: of which record it is, and whether its file is.
        told = shell(database, "SELECT hex(r.hash), hex(r.record), r.field, r.entity FROM reunion_blob_reference r"
                     " WHERE NOT EXISTS (SELECT 1 FROM reunion_blob b WHERE b.hash = r.hash)")
        files = sorted(file.name[:8] for file in (stage.album.folder / "blobs").rglob("*") if file.is_file())
        raise AssertionError(f"The album is not sound: {done.stdout}{done.stderr}\n{told}\n{files}\n{cy.standing}")
    ensure(int(shell(database, "SELECT count(*) FROM photo")) == before + 5, "A photo is missing")
    stage.leave(cy)


@contextlib.contextmanager
def live_clone(link, folder):
    """A clone that goes on, once it is complete."""
    process = subprocess.Popen([CLONER, "clone", reachable(link), folder],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stdout:
            if line.startswith("Complete"):
                ensure("stays live" in line, f"It says {line!r}")
                break
        yield process
    finally:
        process.kill()
        process.communicate()


@group.journey("a clone holds every record, and every original byte for byte")
def copies(stage):
    ada = stage.guest("Ada")
    files = [photos.orientation(6), photos.heic(), photos.twelve_megapixels(), photos.emoji()]
    ada.add(*files)
    ada.is_settled()
    ada.caption(ada.photos[0]["id"], "Before the fall")
    ada.is_settled()
    done = clone(stage.album.owner, stage.folder / "second")
    ensure(done.returncode == 0, f"clone ended with {done.returncode}: {done.stderr.strip()}")
    ensure("Complete" in done.stdout, f"clone says {done.stdout!r}")
    ensure("stays live" not in done.stdout, "A clone made once says that it stays live")
    held = blob_files(stage.folder / "second")
    for file in files:
        hash_ = hashlib.sha256(file.read_bytes()).hexdigest()
        ensure(hash_ in held, f"The original of {file.name} is not in the clone")
        ensure(held[hash_].read_bytes() == file.read_bytes(), f"{file.name} differs in the clone")
    guests = clone(stage.album.here, stage.folder / "third")
    ensure(guests.returncode == 3 and "owner's link" in guests.stderr,
           f"A guests' link clones: {guests.returncode} {guests.stderr}")
    wrong = clone("http://127.0.0.1:9/#join=x", stage.folder / "fourth")
    ensure(wrong.returncode == 4 and "cannot be reached" in wrong.stderr,
           f"An unreachable server: {wrong.returncode} {wrong.stderr}")
    ensure(not (stage.folder / "third").exists() and not (stage.folder / "fourth").exists(),
           "A clone that was refused begins a store")


@group.journey("a guest's page says on how many more devices the guest's photos are, files and all")
def on_more_devices(stage):
    with Album(stage.folder / "kept") as album:
        ada = stage.guest("Ada at home", link=album.lan(album.guests))
        ada.add(photos.png(), photos.webp())
        says = lambda words: ada.wait(lambda: ada.state == words, lambda: f"It says “{ada.state}”")
        says("Your 2 photos are safe on the server.")
        with live_clone(album.owner, stage.folder / "standby"):
            says("Your 2 photos are safe on the server and on 1 more device.")
        # What comes while it is away is not there, and is on the server all the same.
        ada.add(photos.avif())
        says("Your 3 photos are safe on the server.")
        ada.context.close()
        stage.people.remove(ada)


@group.journey("a clone made once says how many photos could not be had, and is whole later")
def partial(stage):
    folder = stage.folder / "partial"
    with Album(stage.folder / "incomplete") as album:
        guest = Member(album.guests)
        session = Session(guest).connect()
        late = photos.commented(photos.half_megabyte().read_bytes(), b"still on the phone")
        hash_ = hashlib.sha256(late).hexdigest()
        session.create("photo", {"original": (hash_, len(late))})
        session.settle().close()
        done = clone(album.owner, folder, "--json")
        ensure(done.returncode == 5, f"It ended with {done.returncode}: {done.stderr.strip()}")
        ensure("1 blob is missing" in done.stderr, f"It says {done.stderr!r}")
        last = json.loads(done.stdout.splitlines()[-1])
        ensure(last["missing"] == 1 and last["state"] == "incomplete", f"It says {last}")
        guest.upload(late)
        done = clone(album.owner, folder)
        ensure(done.returncode == 0 and "Complete" in done.stdout, f"{done.stdout} {done.stderr}")
    ensure(blob_files(folder)[hash_].read_bytes() == late, "The photo is not in the clone")


@group.journey("SIGINT and SIGTERM end a clone in order, and a second signal at once")
def signals(stage):
    folder = stage.folder / "stopped"
    for number in (signal.SIGINT, signal.SIGTERM):
        with live_clone(stage.album.owner, folder) as process:
            process.send_signal(number)
            ensure(process.wait(PATIENCE) == 0, f"{number.name}: it ended with {process.returncode}")
        left = [each.name for each in folder.glob("store.sqlite-*")]
        ensure(not left, f"{number.name} leaves {left}")
    with live_clone(stage.album.owner, folder) as process:
        # Both are there before it goes on, so that the second one comes while it is closing.
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            process.send_signal(number)
        code = process.wait(PATIENCE)
        ensure(code == 128 + signal.SIGTERM, f"After a second signal it ends with {code}")


@group.journey("a folder is the clone of one album, and refuses a second one unchanged")
def one_album(stage):
    folder = stage.folder / "one"
    with Album(stage.folder / "other") as other:
        ensure(clone(other.owner, folder).returncode == 0, "It does not clone")
        before = contents(folder)

        def refused(link):
            done = clone(link, folder)
            ensure(done.returncode == 3 and "another space" in done.stderr,
                   f"{done.returncode}: {done.stdout} {done.stderr}")
            now = contents(folder)
            # Opening draws a new nonce; nothing else is touched.
            changed = {name for name, _ in before.items() ^ now.items()}
            ensure(changed <= {"identity", "store.sqlite"}, f"{changed} is not what it was")

        refused(stage.album.owner)
        # Another port that begins with the same digits is another server.
        longer = reachable(other.owner).replace(f":{other.port}/", f":{other.port}0/")
        ensure(clone(longer, folder).returncode in (2, 4), "A longer port counts as the same server")
        ensure(clone(other.owner, folder).returncode == 0, "The folder's own album is refused")
        other.stop()
        with Album(stage.folder / "anew", port=other.port) as anew:
            refused(anew.owner)
        other.start()
        ensure(clone(other.owner, folder).returncode == 0, "The folder does not go on")
        host = Member(other.owner)
        for device in json.loads(host.get("/devices"))["devices"]:
            if device["replica"]:
                host.request("DELETE", f"/devices/{device['device']}")
        done = clone(other.owner, folder)
        ensure(done.returncode == 0, f"A clone that was put out does not join anew: {done.stderr}")
    theirs = stage.folder / "theirs"
    theirs.mkdir()
    (theirs / "thesis.odt").write_text("theirs")
    done = clone(stage.album.owner, theirs)
    ensure(done.returncode == 1 and "other files" in done.stderr, f"{done.returncode} {done.stderr}")
    ensure([each.name for each in theirs.iterdir()] == ["thesis.odt"], "It began a store there")


@group.journey("the owner's link is one that another machine reaches")
def owner_link(stage):
    with Album(stage.folder / "lan", host=None) as album:
        address = urlsplit(album.guests).netloc
        if address.startswith("localhost"):
            raise Skipped("this machine has no network")
        ensure(urlsplit(album.owner).netloc == address, f"It prints {album.owner}")
        done = clone(album.owner, stage.folder / "from afar")
        ensure(done.returncode == 0, f"It clones nothing: {done.returncode} {done.stderr}")
        link = album.owner
        for host in ("localhost", "127.0.0.1", "[::1]"):
            asked = Member(f"http://{host}:{album.port}/#{urlsplit(link).fragment}")
            link = asked.post("/owner-link")["url"]
            ensure(urlsplit(link).netloc == address, f"At {host} the page makes {link}")
            guests = json.loads(asked.get("/invite"))["url"]
            ensure(urlsplit(guests).netloc == address, f"At {host} the page shows {guests}")
    with Album(stage.folder / "named", host="album.example") as album:
        ensure(urlsplit(album.owner).netloc == f"album.example:{album.port}", album.owner)


@group.journey("the album goes on from the clone, and a phone brings what it still held")
def goes_on(stage):
    ada = next(person for person in stage.people if person.name == "Ada")
    count = len(ada.photos)
    stage.album.kill()
    ada.until("(store) => store.standing.phase === 'offline'", "The page does not notice")
    ada.add(photos.arabic())
    ada.has_entered(1)
    ada.caption(ada.photos[-1]["id"], "After the fall")
    shutil.rmtree(stage.folder / "first")
    stage.clone = Album(stage.folder / "second", port=stage.album.port).start()
    ensure(stage.clone.printed_owner, "The clone prints no owner's link")
    ada.until("(store) => store.standing.phase === 'online'", "The page does not come back")
    ada.is_settled()
    owner = Member(stage.clone.printed_owner)
    ensure(owner.facts["role"] == "admin", "The new owner's link makes no owner")
    session = Session(owner).connect()
    found = session.all("photo")
    captions = {photo["caption"] for photo in found.values()}
    ensure(len(found) == count + 1, f"{len(found)} photos are in the album, and not {count + 1}")
    ensure({"Before the fall", "After the fall"} <= captions, f"The captions are {captions}")
    for photo in found.values():
        data = owner.get(f"/blobs/{photo['original'][0]}")
        ensure(hashlib.sha256(data).hexdigest() == photo["original"][0], "An original differs")
    session.close()
    ensure(stage.clone.stop() == 0, "The clone's album does not end well")


@group.journey("a phone hands over what it holds to the album's new address")
def handed_over(stage):
    ada = next(person for person in stage.people if person.name == "Ada")
    ada.until("(store) => store.standing.phase === 'offline'", "The page does not notice")
    ada.add(photos.png())
    ada.has_entered(1)
    heart = ada.photos[-1]["id"]
    ada.store("(store, id) => store.toggleHeart(store.photo(id))", heart)
    stage.clone = Album(stage.folder / "second").start()
    ada.page.get_by_role("button", name="Menu").click()
    ada.page.get_by_role("button", name="This album has moved").click()
    ada.page.get_by_role("textbox", name="New link").fill(
        stage.clone.lan(stage.clone.guests))
    with ada.context.expect_page() as opened:
        ada.page.get_by_role("button", name="Open").click()
    new = opened.value
    new.get_by_role("button", name="Take over").click()
    said = ada.page.locator("dialog[open]")
    ada.wait(lambda: "Everything that waited here is in the new album." in said.inner_text(),
             lambda: f"The page says “{said.inner_text()}”, the new one “{new.inner_text('body')}”")
    reader = Session(Member(stage.clone.printed_owner or stage.clone.guests)).connect()
    hash_ = hashlib.sha256(photos.png().read_bytes()).hexdigest()
    ada.wait(lambda: hash_ in blob_files(stage.folder / "second"), "The photo was not sent on")
    reader.run(lambda: any(photo["original"][0] == hash_
                           for photo in reader.all("photo").values()))
    reader.run(lambda: any(each["photo"].hex() == heart
                           for each in reader.all("heart").values()))
    reader.close()
    ada.context.close()
    stage.people.remove(ada)
