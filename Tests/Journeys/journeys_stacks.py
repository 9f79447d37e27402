"""The same picture from several people is one photo, with all their names."""

import photos
from browser import stage
from journey import Group, ensure

group = Group(stage())
FILE = photos.unique_file(950)


def author(person):
    """The name of the one who added the photo, as the viewer says it."""
    return person.page.locator("dialog.viewer .by bdi").inner_text().replace("\u2068", "").replace("\u2069", "")


def named(stage, name):
    person = stage.guest(name)
    person.store("(store, name) => store.setGuestName(name)", name)
    return person


@group.journey("the same picture from two guests is one tile with both names, hearts and captions")
def one_tile(stage):
    ada, ben, cem = (named(stage, name) for name in ("Ada", "Ben", "Cem"))
    ada.add(FILE)
    ada.is_settled()
    ben.sees(1)
    ben.add(photos.unique_file(951))
    ben.is_settled()
    cem.sees(2)
    ben.add(FILE)
    ben.is_settled()
    people = (ada, ben, cem, stage.host)
    for person in people:
        person.wait(lambda: [len(photo.get("records", [0])) for photo in person.photos] == [1, 2],
                    lambda: f"The photos are {person.photos}")
        person.sees(2)
        ensure(person.page.locator("p.count").inner_text() == "2 photos from 2 people",
               f"It counts {person.page.locator('p.count').inner_text()}")
        ensure(not person.page.locator(".pill").is_visible(), "It is told as a new photo")
    photo = cem.photos[1]["id"]
    cem.view(photo)
    ensure(author(cem) == "Ada and Ben", f"It is by {author(cem)}")
    cem.page.get_by_role("button", name="Give a heart").click()
    for person in people:
        person.until("(store) => store.hearts(store.photos[1]).count === 1", "The heart is not one")
    cem.close_viewer()
    ada.wait(lambda: ada.state == "Your photo is safe on the server.", lambda: f"It says “{ada.state}”")
    ben.wait(lambda: ben.state == "Your 2 photos are safe on the server.", lambda: f"It says “{ben.state}”")
    ada.view(photo)
    ada.page.get_by_role("textbox", name="Caption").fill("By the lake")
    ada.page.get_by_role("textbox", name="Caption").press("Enter")
    ada.close_viewer()
    for person in (ben, cem):
        person.until("(store) => store.photos[1].caption === 'By the lake'", "The caption does not come")
    # A guest who has added the same photo sees the caption, and writes another beside it.
    viewer = ben.view(photo)
    ensure(viewer.locator("p.caption").inner_text() == "By the lake", "Ben does not see the caption")
    ensure(ben.page.get_by_role("textbox", name="Caption").input_value() == "", "Ben would write Ada's caption")
    ben.page.get_by_role("textbox", name="Caption").fill("Our swim")
    ben.page.get_by_role("textbox", name="Caption").press("Enter")
    ben.close_viewer()
    for person in people:
        person.until("(store) => store.photos[1].caption === 'By the lake · Our swim'", "Not both captions are there")
    ada.is_still()


@group.journey("who deletes one takes the own record along, and the photo stays while one lives")
def deleted(stage):
    ada, ben, cem = (next(person for person in stage.people if person.name == name)
                     for name in ("Ada", "Ben", "Cem"))
    photo = ada.photos[1]["id"]
    viewer = ada.view(photo)
    viewer.get_by_role("button", name="Delete photo").click()
    note = ada.page.locator(".notice", has_text="Your copy is deleted").first
    note.wait_for()
    ensure("Ben" in note.inner_text(), f"It says {note.inner_text()}")
    for person in (ada, ben, cem):
        person.wait(lambda: len(person.photos) == 2 and not any("records" in each for each in person.photos),
                    lambda: f"The photos are {person.photos}")
        ensure(person.store("(store) => store.photos.map((photo) => store.hearts(photo).count)").count(1) == 1,
               "The heart went with Ada's record")
    ensure(not ada.store("(store) => store.photos.some((photo) => store.canEdit(photo))"), "Ada may edit Ben's photo")
    # Undone, it is two people's again, where it was.
    note.get_by_role("button", name="Undo").click()
    for person in (ada, ben, cem):
        person.wait(lambda: [len(each.get("records", [0])) for each in person.photos] == [1, 2],
                    lambda: f"The photos are {person.photos}")
    if ada.page.locator("dialog.viewer").is_visible():
        ada.close_viewer()
    # The host, who added none of them, takes all away at once.
    host = stage.host
    viewer = host.view(host.photos[1]["id"])
    viewer.get_by_role("button", name="Delete photo").click()
    host.page.locator(".notice", has_text="Photo deleted.").first.wait_for()
    for person in (ada, ben, cem, host):
        person.wait(lambda: len(person.photos) == 1, lambda: f"The photos are {person.photos}")
    stage.leave()
