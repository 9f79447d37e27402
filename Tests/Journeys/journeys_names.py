"""What a guest's record claims of bytes: it shows, hides and fetches nothing that the guest did not send."""

import contextlib
import hashlib

import photos
from album import Album
from browser import Person, chromium
from journey import Group, ensure
from member import Member, Upload, refusal
from session import Session


@contextlib.contextmanager
def running():
    with Album() as album:
        yield album


group = Group(running)


def share(session, **blobs):
    """A photo that names these blobs, once the server has marked it or a while has passed."""
    named = {field: (answer["hash"], answer["bytes"]) for field, answer in blobs.items()}
    record = session.create("photo", named)
    session.settle()
    return record


def is_stored(session, record):
    return session.fields("photo", record).get("storedAt") is not None


@group.journey("a guest who names a deleted photo's hash does not bring it back")
def deleted(album):
    ada, mallory = Member(album.guests), Member(album.guests)
    sessions = [Session(member).connect() for member in (ada, mallory)]
    answer = ada.upload(photos.unique(901))
    record = share(sessions[0], original=answer)
    sessions[0].run(lambda: is_stored(sessions[0], record))
    path = f"/renditions/{answer['hash']}/320"
    ensure(mallory.get(path), "The photo is not shown before it is deleted")
    sessions[0].delete("photo", record)
    sessions[0].settle()
    ensure(refusal(lambda: mallory.get(path)).status == 404, "It is shown after it was deleted")
    claimed = share(sessions[1], original=answer)
    own = share(sessions[1], original=mallory.upload(photos.unique(902)))
    # Once her own photo is marked the server has looked at both.
    sessions[1].run(lambda: is_stored(sessions[1], own))
    ensure(not is_stored(sessions[1], claimed), "What she did not send is said to be safe")
    for member in (ada, mallory):
        ensure(refusal(lambda: member.get(path)).status == 404, "A deleted photo is shown again")
    for session in sessions:
        session.close()


@group.journey("a guest who names others' previews as originals hides none, and gets no originals")
def hidden(album):
    ada, mallory = Member(album.guests), Member(album.guests)
    sessions = [Session(member).connect() for member in (ada, mallory)]
    original = ada.upload(photos.unique(903))
    preview = ada.upload(photos.preview(903), "preview")
    record = share(sessions[0], original=original, preview=preview)
    sessions[0].run(lambda: is_stored(sessions[0], record))
    share(sessions[1], original=preview, preview=original)
    ensure(ada.get(f"/blobs/{preview['hash']}"), "The preview is hidden from its maker")
    ensure(mallory.get(f"/blobs/{preview['hash']}"), "The preview is hidden from others")
    ensure(refusal(lambda: mallory.get(f"/blobs/{original['hash']}")).status == 403,
           "Who names an original as a preview gets it")
    for session in sessions:
        session.close()


@group.journey("bytes of which only the hash is known are nobody's, and whose they are sends none twice")
def possession(album):
    ada, mallory, host = Member(album.guests), Member(album.guests), Member(album.owner)
    data = photos.unique(904)
    answer = ada.upload(data)
    for member, who in ((ada, "who sent it"), (host, "the host, who may have it")):
        ensure(Upload(member, data).begin() is None, f"It asks {who} to send it")
    mine = Upload(mallory, data)
    ensure(mine.begin() == 0, "Who claims it need not send it")
    ensure(mine.finish()["hash"] == answer["hash"], "Who has the bytes cannot send them")
    ensure(hashlib.sha256(data).hexdigest() == answer["hash"], "It is another photo")


@group.journey("a picture that a guest's record carries in itself is shown to nobody")
def carried(album):
    mallory = Member(album.guests)
    session = Session(mallory).connect()
    unseen = photos.preview(907)
    carried = [session.create("photo", fields).hex()
               for fields in ({"original": unseen}, {"original": unseen, "preview": unseen})]
    answer = mallory.upload(photos.unique(908))
    named = session.create("photo", {"original": (answer["hash"], answer["bytes"]), "preview": unseen})
    session.settle()
    session.run(lambda: is_stored(session, named))
    with chromium() as browser:
        person = Person(browser, "somebody who looks")
        person.open(album.lan(album.guests))
        shown = "(store, ids) => store.photos.filter(({ id }) => ids.includes(id)).length"
        person.wait(lambda: person.store(shown, [named.hex()]) == 1,
                    "The photo that was sent is not shown")
        ensure(person.store(shown, carried) == 0, "One that carries itself is shown")
        others = person.page.evaluate(
            "[...document.images].map(({ src }) => src).filter((src) => src && !src.includes(location.host))")
        ensure(not others, f"Pictures come from elsewhere: {others}")
        person.context.close()
    session.close()


@group.journey("a phone that joins again between its upload and its record keeps its photo")
def rejoined(album):
    before, after, mallory = (Member(album.guests) for _ in range(3))
    original = before.upload(photos.unique(905))
    preview = before.upload(photos.preview(905), "preview")
    session = Session(after).connect()
    record = share(session, original=original, preview=preview)
    session.run(lambda: is_stored(session, record))
    ensure(mallory.get(f"/blobs/{preview['hash']}"), "Its preview is not shown")
    ensure(mallory.get(f"/renditions/{original['hash']}/320"), "The photo is not shown")
    other = Session(mallory).connect()
    share(other, original=preview, preview=original)
    share(other, original=original, preview=preview)
    other.close()
    ensure(after.get(f"/blobs/{preview['hash']}"), "Who learnt its names hides the preview")
    ensure(after.get(f"/renditions/{original['hash']}/320"), "Who learnt its names hides the photo")
    session.delete("photo", record)
    session.settle().close()
    session = Session(mallory).connect()
    claimed = share(session, original=original, preview=preview)
    own = share(session, original=mallory.upload(photos.unique(906)))
    session.run(lambda: is_stored(session, own))
    ensure(not is_stored(session, claimed), "Who learnt the names brings it back")
    ensure(refusal(lambda: mallory.get(f"/blobs/{preview['hash']}")).status == 403,
           "Who learnt the names gets the preview")
    session.close()
