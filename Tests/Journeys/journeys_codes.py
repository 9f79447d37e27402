"""Codes as pictures: somebody joins by one, and every kind that is written is read by others."""

import concurrent.futures
import json
import re
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import photos
import pillow_heif
import zxingcpp
from PIL import Image, ImageFilter

from album import CLONER, LAN
from browser import Person, stage
from journey import PATIENCE, Group, ensure, until

group = Group(stage())

# A text of each kind, and what a reader says of it where that is not the same.
KINDS = {
    "qr": ("https://example.org/مرحبا", None), "aztec": ("Aztec 写真", None),
    "pdf417": ("PDF417, Grüße", None), "code128": ("ABC-abc-1234", None),
    "code39": ("HELLO-39 $/+%", None), "code39mod43": ("CODE39", "CODE39W"),
    "code93": ("Code 93!", None), "ean13": ("978014300723", "9780143007234"),
    "ean8": ("9638507", "96385074"), "upce": ("0123456", "0012345000065"),
    "upca": ("01234567890", "0012345678905"), "datamatrix": ("Data é", None),
    "itf": ("00012345678905", None), "codabar": ("C2.9/4+58D", None),
}


def photographed(matrix, degrees=7):
    """A code as somebody photographs it from a screen: askew, soft, on a dark table."""
    table = Image.new("L", (900, 700), 90)
    table.paste(matrix.convert("L").resize((420, 420)), (240, 130))
    return table.rotate(degrees, Image.Resampling.BILINEAR, fillcolor=90).filter(
        ImageFilter.GaussianBlur(1.2))


def picture_of(text, folder, name):
    path = Path(folder) / name
    subprocess.run([CLONER, "barcode", "qr", text, "--png", path], check=True, capture_output=True)
    photo = Path(folder) / f"{name}.jpg"
    photographed(Image.open(path)).save(photo, quality=80)
    return photo


def send(album, body, **headers):
    request = urllib.request.Request(
        f"http://127.0.0.1:{album.port}/join/picture", data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@group.journey("somebody joins by a picture of the QR code that was sent to them")
def joins(stage):
    with tempfile.TemporaryDirectory() as folder:
        album = stage.album
        photo = picture_of(album.lan(album.guests), folder, "code.png")
        wrong = {
            "belongs to another server": picture_of(
                "http://192.168.1.9:8080/#join=anothers", folder, "other.png"),
            "is not an invitation": picture_of("WIFI:S:home;P:secret;;", folder, "wifi.png"),
            "No code was found": photos.unique_file(81)}
        guest = Person(stage.browser, "Guest")
        guest.open(album.lan(f"http://{LAN}/"), album=False)
        guest.page.get_by_role("button", name="Choose a picture of the code").wait_for()
        ensure(not guest.page.evaluate("'BarcodeDetector' in window"),
               "The browser reads codes itself: the server is not asked")
        chooser = guest.page.locator("input[type=file]")
        for words, picture in wrong.items():
            chooser.set_input_files(picture)
            guest.page.get_by_text(words).wait_for()
        # What the browser cannot show either is refused with the way out.
        heic = Path(folder) / "code.heic"
        pillow_heif.from_pillow(Image.open(photo)).save(heic)
        chooser.set_input_files(heic)
        guest.page.get_by_text("Take a screenshot").wait_for()
        # What it can show, it sends as a JPEG.
        webp = Path(folder) / "code.webp"
        Image.open(photo).save(webp)
        ensure(send(album, webp.read_bytes())[0] == 415, "A WebP of a stranger is decoded")
        chooser.set_input_files(webp)
        guest.page.locator("album-page h1").wait_for()
        ensure("#" not in guest.page.url, "The secret stays in the address bar")
        ensure(not guest.errors, f"The page erred: {guest.errors}")
        guest.context.close()


# What POST /join/picture answers where it lets nobody in (docs/protocol.md 3.1).
@group.journey("a picture from a stranger is bounded, and tells nothing but a link that opens")
def bounded(stage):
    album = stage.album

    def looked_at(picture, **fields):
        """The answer to a picture, once those that were sent from here within a minute leave room for it."""
        return until(lambda: (answer := send(album, picture, **fields))[0] != 429 and answer,
                     "No picture is looked at any more")

    ensure(looked_at(b"no picture")[0] == 404, "What is no picture is not refused")
    for start in (b"GIF89a", b"II*\0", b"RIFF\0\0\0\0WEBP", b"\0\0\0\x18ftypheic"):
        answer = looked_at(start + bytes(100))
        ensure(answer[0] == 415 and b"JPEG and PNG" in answer[1], f"{start} is answered {answer}")
    ensure(not list((album.folder / "uploads").glob("join-*")), "A refused picture stays")
    large = looked_at(b"x", **{"Content-Length": str(9 << 20)})
    ensure(large[0] == 413, f"A picture over the limit is answered {large}")
    other = send(album, b"x", Origin="http://elsewhere.example")
    ensure(other[0] == 403, "A page of another site may send pictures")
    # At once: one after the other a slow machine has looked at fewer in a minute than it may.
    with concurrent.futures.ThreadPoolExecutor(35) as pool:
        answers = list(pool.map(lambda _: send(album, b"no picture")[0], range(35)))
    ensure(429 in answers and set(answers) <= {404, 429}, f"The answers were {set(answers)}")
    ensure(album.health()["status"] == "ok", "The album is not well")


@group.journey("what every kind of barcode says is read by another reader, from PNG, SVG and terminal")
def kinds(stage):
    with tempfile.TemporaryDirectory() as folder:
        for kind, (text, says) in KINDS.items():
            png, svg = Path(folder) / "code.png", Path(folder) / "code.svg"
            subprocess.run([CLONER, "barcode", kind, text, "--png", png, "--svg", svg], check=True,
                           capture_output=True)
            drawn = subprocess.run([CLONER, "barcode", kind, text], check=True, capture_output=True,
                                   text=True).stdout
            for source, image in (("PNG", Image.open(png).convert("L")),
                                  ("SVG", raster_of_svg(svg.read_text())),
                                  ("terminal", raster_of_terminal(drawn))):
                found = [code.text for code in zxingcpp.read_barcodes(image)]
                ensure(found == [says or text], f"{kind} from {source} says {found}")
            scanned = subprocess.run([CLONER, "scan", png, "--kind", kind, "--json"], check=True,
                                     capture_output=True, text=True).stdout
            codes = json.loads(scanned)["codes"]
            ensure([code["kind"] for code in codes] == [kind], f"scan says {codes}")


def raster_of_svg(text, scale=4):
    width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', text).groups())
    image = Image.new("L", (width, height), 255)
    for x, y, across, down in re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h", text):
        x, y, across, down = int(x), int(y), int(across), int(down)
        image.paste(0, (x, y, x + across, y + down))
    return image.resize((width * scale, height * scale), Image.Resampling.NEAREST)


def raster_of_terminal(text, scale=4):
    lines = text.splitlines()
    image = Image.new("L", (len(lines[0]), 2 * len(lines)), 0)
    for row, line in enumerate(lines):
        for column, block in enumerate(line):
            # On a dark terminal the light modules are drawn.
            if block in "█▀":
                image.putpixel((column, 2 * row), 255)
            if block in "█▄":
                image.putpixel((column, 2 * row + 1), 255)
    return image.resize((image.width * scale, image.height * scale), Image.Resampling.NEAREST)


@group.journey("scan says what it found by its exit code, and a clone is made by a picture")
def command(stage):
    with tempfile.TemporaryDirectory() as folder:
        def reunion(*words):
            return subprocess.run([CLONER, *map(str, words)], capture_output=True, text=True,
                                  timeout=PATIENCE)
        blank = Path(folder) / "blank.png"
        Image.new("L", (300, 200), 200).save(blank)
        ensure(reunion("scan", blank).returncode == 1, "A blank picture has a code")
        ensure(reunion("scan", blank, __file__).returncode == 5, "A text is a picture")
        ensure(reunion("scan", __file__).returncode == 1, "Nothing was read, and it is done in part")
        # Names are known to the browser alone.
        owner = stage.album.owner.replace(f"//{LAN}:", "//127.0.0.1:")
        photo = picture_of(owner, folder, "owner.png")
        many = reunion("scan", blank, photo, "--json")
        codes = [json.loads(line) for line in many.stdout.splitlines()]
        ensure(many.returncode == 0 and [len(each["codes"]) for each in codes] == [0, 1], many.stdout)
        ensure(codes[1]["codes"][0]["text"] == owner, "The photographed code says something else")
        ensure(reunion("clone", blank, Path(folder) / "none").returncode == 2, "Cloned from nothing")
        done = reunion("clone", photo, Path(folder) / "clone", "--once")
        ensure(done.returncode == 0, f"The clone failed: {done.stderr}")
