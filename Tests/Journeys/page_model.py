"""The module of an app's model: it is the server's, and a page with an older one says that it is too old."""

import re
from urllib.parse import urlsplit

from journey import ensure

SENTENCE = "This page is too old to show all that is here. Load it again to get the new one."
# What the page's module and the server say of the model, where they differ, and whether the page asked the server. The
# server does not say that a date begins with 1970, as SQL does not.
_COMPARE = """async () => {
  const asked = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/model.json'));
  const { kinds } = await import('/reunion/replica/model.js');
  const [module] = Object.values(await import('/model.js'));
  const served = await (await fetch('/model.json')).json();
  const named = (kind) => kinds[kind] ?? kind;
  const told = ({ number, name, kind, initial, bytesMax, element, onDelete, target }) => JSON.stringify([number, name,
    named(kind), named(kind) === 'date' ? null : initial, bytesMax, named(element), onDelete, onDelete && target]);
  const lines = ({ entities }) => entities.filter(({ number }) => number < 16777200).flatMap(
    ({ number, name, fields }) => [`${number} ${name}`, ...fields.map((field) => `${name}: ${told(field)}`)]);
  const [own, theirs] = [lines(module), lines(served)];
  return { asked: asked.length, count: own.length, own: own.filter((line) => !theirs.includes(line)),
    theirs: theirs.filter((line) => !own.includes(line)) }; }"""


def has_the_servers_model(person):
    """Checks that a page's model is that of its server, and that it did not ask for it."""
    found = person.page.evaluate(_COMPARE)
    ensure(found["count"] > 2 and not (found["asked"] or found["own"] or found["theirs"]),
           f"The page has another model: {found}")


def _is_model(url):
    return urlsplit(url).path == "/model.js"


def grows_old(person):
    """Loads the page with a model that is older than any space."""
    module = person.page.evaluate("fetch('/model.js').then((answer) => answer.text())")
    old, count = re.subn(r"version:[1-9]\d*,", "version:0,", module, count=1)
    ensure(count == 1, f"The module names no version: {module[:60]}")
    person.context.route(_is_model, lambda route: route.fulfill(content_type="text/javascript", body=old))
    person.page.reload()


def says_it_is_old(person):
    """Checks that a page with an older model says so, and that loading it anew gets the new one."""
    grows_old(person)
    notice = person.page.get_by_role("alert").filter(has_text=SENTENCE)
    notice.wait_for()
    ensure("What you write is kept." in notice.inner_text(), f"The notice says {notice.inner_text()}")
    person.context.unroute(_is_model)
    with person.page.expect_navigation():
        notice.get_by_role("button", name="Load again").click()
    person.wait(lambda: person.page.evaluate("performance.getEntriesByName('ready').length"), "It does not load again")
    ensure(not notice.count(), "The new page says that it is old")
