"""The module of an app's model: it is the server's."""

from journey import ensure

# What the page's module and the server say of the model, where they differ, and whether the page asked the server. The
# server does not say that a date begins with 1970, as SQL does not.
_COMPARE = """async () => {
  const asked = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/model.json'));
  const { kinds } = await import('/reunion/model.js');
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
