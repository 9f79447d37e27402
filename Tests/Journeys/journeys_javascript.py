"""The JavaScript library as its page and its header show it: in a browser, against `reunion serve`."""

import contextlib
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from album import CLONER, ROOT, WEB
from browser import Person, chromium
from journey import PATIENCE, Group, ensure
from member import Member
from serve import Served, reunion
from session import Session

PAGE = (ROOT / "docs/javascript.md").read_text()
MODELS = (ROOT / "Sources/Reunion/Reunion.docc/models.md").read_text()
PROGRAM = (ROOT / "Web/reunion.js").read_text().split("\n\n")[0]


def blocks(language, page=PAGE):
    return re.findall(rf"```{language}\n(.*?)```", page, re.S)


def header():
    """The program in the header of reunion.js, as it stands."""
    start = "//     "
    return "\n".join(line[len(start):] for line in PROGRAM.split("\n")
                     if line.startswith(start) or line == "//").strip() + "\n"


class Setting:
    """A server whose pages are the page's program, the header's alone, and a browser."""

    def __init__(self, folder, browser):
        self.folder, self.browser, self.people = folder, browser, []
        pages = folder / "page"
        pages.mkdir()
        (pages / "index.html").write_text(blocks("html")[0])
        (pages / "notes.js").write_text("\n".join(blocks("js")))
        (pages / "header.html").write_text(
            '<!doctype html><title>Notes</title><link rel="icon" href="data:,">'
            '<script type="module" src="header.js"></script>')
        (pages / "header.js").write_text(header())
        self.served = Served(folder / "server")
        self.options = ["--page", pages, "--library", WEB / "reunion"]

    def link(self, path="/"):
        return self.served.invite("add").replace("/#", f"{path}#")

    def open(self, name, link):
        person = Person(self.browser, name)
        person.said = []
        person.page.on("console", lambda message: person.said.append(
            f"{message.text} ({message.location['url']})" if message.type == "error" else message.text))
        self.people.append(person)
        return person.open(link, album=False)


@contextlib.contextmanager
def setting():
    with tempfile.TemporaryDirectory(prefix="javascript-") as folder, chromium() as browser:
        made = Setting(Path(folder), browser)
        with made.served.started(*made.options):
            yield made


group = Group(setting)


@group.journey("the program in the header of reunion.js is the first one of its page")
def same(_):
    ensure(blocks("js")[0] == header(), "docs/javascript.md shows another program")


@group.journey("the header's program joins, tells others, and goes on as the same device")
def headers(stage):
    ada = stage.open("Ada", stage.link("/header.html"))
    ada.wait(lambda: "[Hello]" in ada.said, lambda: f"Ada's page says {ada.said}")
    ensure("#" not in ada.page.url, "The link's secret stays in the address")
    bo = stage.open("Bo", stage.link("/header.html"))
    bo.wait(lambda: len(bo.said) >= 2, lambda: f"Bo's page says {bo.said}")
    ada.wait(lambda: ada.said.count("[Hello]") == 2, lambda: f"Ada's page says {ada.said}")
    device = ada.page.evaluate("JSON.parse(localStorage.getItem('member')).device")
    ada.page.reload()
    ada.wait(lambda: ada.said.count("[Hello]") >= 3, lambda: f"Ada's page says {ada.said}")
    ensure(ada.page.evaluate("JSON.parse(localStorage.getItem('member')).device") == device,
           "Ada is somebody else")
    for person in (ada, bo):
        person.check()
        person.context.close()
        stage.people.remove(person)


def stands(person, text):
    state = person.page.locator("#state")
    person.wait(lambda: state.inner_text() == text, lambda: f"The page says {state.inner_text()}")


@group.journey("what a rule of the server refuses is undone, and its sentence shown")
def ruled(stage):
    served = Served(stage.folder / "ruled", program=[CLONER.parent / "server-example"])
    with served.started(*stage.options):
        ada = stage.open("Ada", served.invite("edit"))
        stands(ada, "online, all on the server")
        told = []
        ada.page.once("dialog", lambda dialog: (told.append(dialog.message), dialog.accept()))
        ada.page.get_by_label("A new note").fill("x" * 101)
        ada.page.get_by_role("button", name="Add", exact=True).click()
        ada.wait(lambda: told, "The page told nothing")
        ensure(told == ["A note has a hundred letters at most."], f"The page told {told}")
        ada.wait(lambda: not ada.page.locator("li", has_text="xxx").count(), "The note stayed")
        ada.page.get_by_label("A new note").fill("Milk")
        ada.page.get_by_role("button", name="Add", exact=True).click()
        ada.page.locator("li", has_text="Milk").wait_for()
        stands(ada, "online, all on the server")
        ada.context.close()
        stage.people.remove(ada)


@group.journey("the program of the page on JavaScript shows notes of two browsers, offline too")
def page(stage):
    ada = stage.open("Ada", stage.link())
    bo = stage.open("Bo", stage.link())
    def notes(person):
        return person.page.locator("li").all_inner_texts()
    def add(person, text):
        person.page.get_by_label("A new note").fill(text)
        person.page.get_by_role("button", name="Add", exact=True).click()
    def reads(person, text):
        person.wait(lambda: any(note.startswith(text) for note in notes(person)),
                    lambda: f"The notes are {notes(person)}, without {text}")
    # The form is the page's own once the program has run.
    for person in (ada, bo):
        stands(person, "online, all on the server")
    add(ada, "Milk")
    reads(bo, "Milk")
    # A guest may not delete what somebody else made: the server refuses, and the note is back.
    told = []
    # A dialog that is left open would hold the click that brought it.
    bo.page.once("dialog", lambda dialog: (told.append(dialog.message), dialog.accept()))
    bo.page.locator("li", has_text="Milk").get_by_role("button").click()
    bo.wait(lambda: told == ["You may not change what others wrote."], lambda: f"The page told {told}")
    reads(bo, "Milk")
    stage.served.kill()
    add(ada, "Bread")
    stands(ada, "offline, 1 only on this device")
    stage.served.start(*stage.options)
    for person in (ada, bo):
        person.hears_of_the_network()
    reads(bo, "Bread")
    stands(ada, "online, all on the server")
    ada.page.locator("li", has_text="Bread").get_by_role("button").click()
    bo.wait(lambda: not any(note.startswith("Bread") for note in notes(bo)), "Bread is still there")
    for person in (ada, bo):
        person.check()


@group.journey("the page's program for files makes a note of each, without a server too, and others get its bytes")
def files(stage):
    pages = stage.folder / "files"
    pages.mkdir()
    program = header().replace("kind: 'text' }]", "kind: 'text' }, { number: 2, name: 'file', kind: 'blob' }]")
    program = program.replace("runInOneTab(replica, connection);\n", blocks("javascript")[0])
    (pages / "index.html").write_text('<!doctype html><title>Files</title><link rel="icon" href="data:,">'
                                      '<script type="module" src="files.js"></script>')
    (pages / "files.js").write_text(f"{program}\nObject.assign(globalThis, {{ replica, uploads }});")
    served = Served(stage.folder / "files-server")
    options = ["--page", pages, "--library", WEB / "reunion"]
    with served.started(*options):
        def opened(name):
            person = stage.open(name, served.invite("add"))
            person.wait(lambda: person.page.evaluate("() => Boolean(globalThis.uploads)"), f"{name} does not open")
            return person
        ada, bo = opened("Ada"), opened("Bo")
        served.kill()
        ada.page.get_by_label("Files").set_input_files(
            {"name": "letter.txt", "mimeType": "text/plain", "buffer": b"Dear all,\nthis is a letter."})

        def letter(person):
            return person.page.evaluate("() => replica.records('note').find(({ file }) => file)")
        ada.wait(lambda: letter(ada), "No note is made of a file")
        ensure(letter(ada)["text"] == "Dear all,", f"Its note says {letter(ada)['text']}")
        def waiting():
            return ada.page.evaluate(
                "() => [...uploads.state.value.files.values()].map(({ name, about, record }) => [name, about, record])")
        ada.wait(lambda: waiting() == [["letter.txt", {"text": "letter.txt"}, letter(ada)["id"]]],
                 lambda: f"There waits {waiting()}")
        served.start(*options)
        for person in (ada, bo):
            person.hears_of_the_network()
        bo.wait(lambda: letter(bo), "The note does not come")
        ada.wait(lambda: not ada.page.evaluate("() => uploads.state.value.files.size"), "The file is not sent")
        got = bo.page.evaluate("async (hash) => (await fetch(`/blobs/${hash}`)).text()", letter(bo)["file"]["hash"])
        ensure(got == "Dear all,\nthis is a letter.", f"Others get {got}")
        for person in (ada, bo):
            person.check()
            person.context.close()
            stage.people.remove(person)


def paged(stage, name, library, block):
    """A server, and its options, of a page that runs the header's program and a block of the page after it."""
    pages = stage.folder / name
    pages.mkdir()
    program = header().replace("Connection, ask", f"Connection, {library}, ask")
    (pages / "index.html").write_text('<!doctype html><title>A program</title><link rel="icon" href="data:,">'
                                      '<script type="module" src="program.js"></script>')
    (pages / "program.js").write_text(
        f"{program}\n{block}\nObject.assign(globalThis, {{ replica, connection, {name} }});")
    return Served(stage.folder / f"{name}-server"), ["--page", pages, "--library", WEB / "reunion"]


@group.journey("the page's program for presence shows who is here, and no longer than they are")
def presence(stage):
    served, options = paged(stage, "presence", "Presence", blocks("javascript")[1])
    with served.started(*options):
        def opened(name):
            person = stage.open(name, served.invite("add"))
            person.wait(lambda: person.page.evaluate("() => Boolean(globalThis.presence)"), f"{name} does not open")
            person.page.evaluate("(name) => presence.show('name', name)", name)
            return person
        def sees(person, *wanted):
            names = """() => [...presence.others.value.devices.values()].map((values) =>
                JSON.stringify([...values].sort())).sort()"""
            expected = sorted(json.dumps(each, separators=(",", ":"), ensure_ascii=False) for each in wanted)
            person.wait(lambda: person.page.evaluate(names) == expected,
                        lambda: f"{person.name} sees {person.page.evaluate(names)}, not {expected}")
        ada, bo = opened("Ada"), opened("Bo")
        sees(ada, [["name", "Bo"]])
        sees(bo, [["name", "Ada"]])
        device = ada.page.evaluate("() => replica.device ?? JSON.parse(localStorage.getItem('member')).device")
        seen = bo.page.evaluate("() => [...presence.others.value.devices.keys()]")
        ensure(seen == [device], f"It names {seen}, not {device}")
        # Numbers, truths and large whole numbers stay what they are; 0 and false are something.
        ada.page.evaluate("() => { presence.show('x', 0); presence.show('on', false); presence.show('name', null); }")
        sees(bo, [["on", False], ["x", 0]])
        for number in range(200):
            ada.page.evaluate("(x) => presence.show('x', x)", number + 0.5)
        ada.page.evaluate("() => presence.show('on', null)")
        sees(bo, [["x", 199.5]])
        bo.page.evaluate("() => { globalThis.heard = []; presence.onmessage = (message) => heard.push(message); }")
        ada.page.evaluate("() => presence.send('cheer', '🎉')")
        bo.wait(lambda: bo.page.evaluate("() => heard.length"), "Bo hears no cheer")
        heard = bo.page.evaluate("() => heard")
        ensure(heard == [{"device": device, "key": "cheer", "value": "🎉"}], f"Bo hears {heard}")
        # Too much of it is said where it is called, and changes nothing.
        thrown = ada.page.evaluate("""() => ['x'.repeat(65), ''].map((key) => [key, 1])
            .concat([['x', 'v'.repeat(1025)], ['x', {}], ['x', new Uint8Array(1025)]])
            .map(([key, value]) => { try { presence.show(key, value); } catch (error) { return error.name; } })""")
        ensure(thrown == ["RangeError"] * 3 + ["TypeError", "RangeError"], f"It throws {thrown}")
        # A page that makes its presence late misses nothing.
        ada.page.evaluate("""async () => {
            const { Presence } = await import('/reunion/reunion.js');
            globalThis.presence = new Presence(connection);
            presence.show('name', 'Ada again');
        }""")
        sees(ada, [["name", "Bo"]])
        sees(bo, [["name", "Ada again"]])
        # Somebody who keeps to the page on the protocol alone sees and shows the same, under the number of its device.
        cy = Session(Member(served.invite("add")))
        cy.connect()
        cy.present([("name", 4, b"Cy", False)], is_whole=True)
        cy.run(lambda: len(cy.present_others) == 2)
        sees(ada, [["name", "Bo"]], [["name", "Cy"]])
        ensure({values["name"] for values in cy.present_others.values()} == {b"Ada again", b"Bo"},
               f"Cy sees {cy.present_others}")
        cy.close()
        sees(ada, [["name", "Bo"]])
        # The server stops: nobody is here. It comes back, and so do they.
        served.kill()
        sees(ada)
        served.start(*options)
        for person in (ada, bo):
            person.hears_of_the_network()
        sees(ada, [["name", "Bo"]])
        sees(bo, [["name", "Ada again"]])
        bo.context.close()
        stage.people.remove(bo)
        sees(ada)
        ada.check()
        ada.context.close()
        stage.people.remove(ada)


@contextlib.contextmanager
def copy_of(link, folder):
    """A full copy that an owner's link opens, for as long as it is needed."""
    process = subprocess.Popen([CLONER, "clone", link, folder], stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


@group.journey("the page's program for what stands where counts full copies, and what they have")
def standing(stage):
    served, options = paged(stage, "standing", "Standing", blocks("javascript")[2])
    with served.started(*options):
        ada = stage.open("Ada", served.invite("add"))
        ada.wait(lambda: ada.page.evaluate("() => Boolean(globalThis.standing)"), "Ada does not open")

        def has(is_on_server, count):
            reach = lambda: ada.page.evaluate("() => standing.reach()")
            ada.wait(lambda: reach() == {"isOnServer": is_on_server, "deviceCount": count},
                     lambda: f"Ada is told {reach()}, not {is_on_server}, {count}")
        has(True, 0)
        with copy_of(served.invite("admin"), stage.folder / "copy"):
            has(True, 1)
        # One that is away lacks what comes later, and nothing else.
        ada.page.evaluate("() => replica.transaction((t) => t.create('note', { text: 'later' }))")
        has(True, 0)
        # Somebody who keeps to the page on the protocol alone is told the same.
        cy = Session(Member(served.invite("add"))).connect()
        cy.ask_standing()
        cy.model["note"] = {"number": 1, "fields": [{"number": 1, "name": "text", "kind": 4}]}
        cy.create("note", {"text": "by hand"})
        cy.settle()
        cy.run(lambda: cy.reach() is not None)
        ensure(cy.reach() == 0, f"Cy is told {cy.standing}")
        # The server is killed, and remembers how far the copy had come; that comes back.
        served.kill()
        served.start(*options)
        ada.hears_of_the_network()
        has(True, 0)
        told = [json.loads(line) for line in reunion("status", served.folder, "--json").stdout.splitlines()]
        devices = [device for each in told for device in each["devices"]]
        ensure([device["hasAll"] for device in devices] == [False], f"The server's status is {told}")
        with copy_of(served.invite("admin"), stage.folder / "copy"):
            has(True, 1)
        served.kill()
        # Without a server nothing is known to be anywhere that was written since.
        ada.page.evaluate("() => replica.transaction((t) => t.create('note', { text: 'offline' }))")
        has(False, 0)
        words = reunion("status", stage.folder / "copy").stdout
        ensure("All records that this device wrote have gone to its server." in words, f"The copy's status is {words}")
        ada.context.close()
        stage.people.remove(ada)


@group.journey("the program of the page on models counts, gathers, orders and deletes, with the module of its model")
def models(stage):
    pages = stage.folder / "errands"
    pages.mkdir()
    made = reunion("model", "generate", ROOT / "Apps/Guides/Models/Errands.reunionmodel", "--javascript",
                   "--out", pages / "model.js")
    ensure(made.returncode == 0, made.stderr)
    (pages / "index.html").write_text(blocks("html", MODELS)[0])
    program = blocks("js", MODELS)[0]
    (pages / "errands.js").write_text(program)
    # The same page goes on: both of its people write into one errand.
    (pages / "both.html").write_text(blocks("html", MODELS)[0].replace("errands.js", "both.js"))
    (pages / "both.js").write_text(program.split("const list = ")[0] + """
        Object.assign(globalThis, { replica });
        console.log('open');
    """)
    (pages / "small.html").write_text(blocks("html", MODELS)[0].replace("errands.js", "small.js"))
    (pages / "small.js").write_text(program.split("const list = ")[0].replace("core.wasm", "registers.wasm"))
    served = Served(stage.folder / "errands-server")
    options = ["--page", pages, "--library", WEB / "reunion"]
    with served.started(*options):
        def link(name="", role="edit"):
            return served.invite(role).replace("/#", f"/{name}#")
        ada = stage.open("Ada", link())
        expected = blocks("log", MODELS)[0].strip().split("\n")
        ada.wait(lambda: ada.said == expected, lambda: f"Ada's page says {ada.said}")
        cy, bo = stage.open("Cy", link("both.html")), stage.open("Bo", link("both.html"))
        for person in (cy, bo):
            person.wait(lambda: person.said == ["open"], lambda: f"The page says {person.said}")
        errand = cy.page.evaluate("""() => replica.transaction((t) => t.create('errand', {
            text: 'Bake', tags: ['kitchen'], steps: ['Flour', 'Water'], done: 1 }))""")
        def shows(person):
            return person.page.evaluate("""(id) => {
                const { done, tags, steps } = replica.get('errand', id) ?? { tags: [], steps: [] };
                return [done, [...tags].sort(), [...steps]]; }""", errand)
        bo.wait(lambda: shows(bo) == [1, ["kitchen"], ["Flour", "Water"]], lambda: f"Bo sees {shows(bo)}")
        # Apart from each other, both change it.
        served.kill()
        for person, change in (
                (cy, "done.add(2); tags.add('today'); steps.move(1, 0); steps.insert('Salt');"),
                (bo, "done.add(3); tags.remove('kitchen'); tags.add('oven'); steps.remove(0);")):
            person.page.evaluate(f"""(id) => replica.transaction((t) => {{
                const {{ done, tags, steps }} = t.edit({{ entity: 'errand', id }});
                {change}
            }})""", errand)
        served.start(*options)
        for person in (cy, bo):
            person.hears_of_the_network()
        both = [6, ["oven", "today"], ["Water", "Salt"]]
        for person in (cy, bo):
            person.wait(lambda: shows(person) == both, lambda: f"The page shows {shows(person)}")
        dora = stage.open("Dora", link("small.html"))
        sentence = "open /reunion/core.wasm instead."
        dora.wait(lambda: any(sentence in word for word in dora.errors), lambda: f"Dora's page says {dora.errors}")
        for person in (ada, cy, bo, dora):
            person.context.close()
            stage.people.remove(person)


@group.journey("a page of the first version and one of the second show each other's values, by the model's lens")
def versions(stage):
    pages = stage.folder / "versions"
    pages.mkdir()
    source = ROOT / "Apps/Guides/Models/Errands.reunionmodel"
    first = pages / "first" / source.name
    first.mkdir(parents=True)
    shutil.copy(source / "v1.model", first)
    program = blocks("js", MODELS)[0].split("const list = ")[0]
    for name, model in (("first", first), ("second", source)):
        made = reunion("model", "generate", model, "--javascript", "--out", pages / f"{name}-model.js")
        ensure(made.returncode == 0, made.stderr)
        (pages / f"{name}.html").write_text(blocks("html", MODELS)[0].replace("errands.js", f"{name}.js"))
        (pages / f"{name}.js").write_text(
            program.replace("./model.js", f"./{name}-model.js") + "Object.assign(globalThis, { replica });")
    served = Served(stage.folder / "versions-server")
    with served.started("--page", pages, "--library", WEB / "reunion"):
        def opened(name):
            person = stage.open(name, served.invite("edit").replace("/#", f"/{name}.html#"))
            person.wait(lambda: person.page.evaluate("() => Boolean(globalThis.replica)"), f"{name} does not open")
            return person
        old, new = opened("first"), opened("second")
        def shows(person, field):
            return person.page.evaluate("(field) => replica.records('errand')[0]?.[field]", field)
        def write(person, values):
            person.page.evaluate(
                "(values) => replica.transaction((t) => t.set(replica.records('errand')[0], values))", values)
        old.page.evaluate("() => replica.transaction((t) => t.create('errand', { title: 'Bread', color: 'red' }))")
        new.wait(lambda: shows(new, "urgency") == "high", lambda: f"The second shows {shows(new, 'urgency')}")
        ensure(shows(new, "text") == "Bread" and shows(new, "color") is None, "It shows something else")
        write(new, {"urgency": "low"})
        old.wait(lambda: shows(old, "color") == "green", lambda: f"The first shows {shows(old, 'color')}")
        # What the lens does not know stays as each of them wrote it.
        write(old, {"color": "blue"})
        write(old, {"title": "Bread, and butter"})
        new.wait(lambda: shows(new, "text") == "Bread, and butter", "The second does not hear of it")
        ensure(shows(new, "urgency") == "low", f"The second shows {shows(new, 'urgency')}")
        for person in (old, new):
            person.check()
            person.context.close()
            stage.people.remove(person)


@group.journey("a page of a version that others are too old for says so in its space; a guest's word does not count")
def minimum_reader(stage):
    pages = stage.folder / "readers"
    pages.mkdir()
    source = ROOT / "Apps/Guides/Models/Errands.reunionmodel"
    first, second = pages / "first" / source.name, pages / "second" / source.name
    first.mkdir(parents=True)
    shutil.copy(source / "v1.model", first)
    shutil.copytree(source, second)
    (second / "v2.model").write_text("minimumReader 2\n" + (source / "v2.model").read_text())
    program = blocks("js", MODELS)[0].split("const list = ")[0]
    for name, model in (("first", first), ("second", second)):
        made = reunion("model", "generate", model, "--javascript", "--out", pages / f"{name}-model.js")
        ensure(made.returncode == 0, made.stderr)
        (pages / f"{name}.html").write_text(blocks("html", MODELS)[0].replace("errands.js", f"{name}.js"))
        (pages / f"{name}.js").write_text(
            program.replace("./model.js", f"./{name}-model.js").replace("new Connection(replica)", "connection")
            .replace("runInOneTab(", """
                import { updateNeed } from '/reunion/reunion.js';
                const connection = new Connection(replica);
                const refused = [];
                connection.onrefused = (records) => refused.push(...records);
                const need = updateNeed(replica, errands);
                const write = (text) => replica.transaction((t) => t.create('errand', { [field]: text }));
                const field = errands.version > 1 ? 'text' : 'title';
                const texts = () => replica.records('errand').map((each) => each[field]).sort();
                Object.assign(globalThis, { replica, need, refused, write, texts });
                runInOneTab("""))
    served = Served(stage.folder / "readers-server")
    with served.started("--page", pages, "--library", WEB / "reunion"):
        def opened(name, role):
            person = stage.open(name, served.invite(role).replace("/#", f"/{name}.html#"))
            person.wait(lambda: person.page.evaluate("() => Boolean(globalThis.write)"), f"{name} does not open")
            return person
        def writes(person, text):
            person.page.evaluate("(text) => write(text)", text)
            person.wait(lambda: not person.page.evaluate("() => replica.waiting.value.records"), "It is not sent")
        def shows(person, texts, needed):
            person.wait(lambda: person.page.evaluate("() => [texts(), need.value.needed]") == [texts, needed],
                        lambda: f"It shows {person.page.evaluate('() => [texts(), need.value]')}")
        old, guest, editor = opened("first", "edit"), opened("second", "add"), opened("second", "edit")
        writes(old, "Bread")
        for text in ("Butter", "Cheese"):
            writes(guest, text)
        shows(old, ["Bread", "Butter", "Cheese"], 1)
        ensure(guest.page.evaluate("() => refused") == [], "The guest is told of a refusal")
        writes(editor, "Jam")
        for person in (old, guest, editor):
            shows(person, ["Bread", "Butter", "Cheese", "Jam"], 2)
        needs = [person.page.evaluate("() => need.value.isNeeded") for person in (old, guest, editor)]
        ensure(needs == [True, False, False], f"The pages need an update: {needs}")
        # What is written into the old page is kept and sent.
        writes(old, "Milk")
        shows(editor, ["Bread", "Butter", "Cheese", "Jam", "Milk"], 2)
        for person in (old, guest, editor):
            person.check()
            person.context.close()
            stage.people.remove(person)
