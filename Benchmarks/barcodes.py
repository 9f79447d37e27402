"""Reads barcodes on rendered photographs: barcodes.py [PICTURES A KIND] → .build/bench/barcodes.json

Photographs are made from seeds: codes turned, askew, bent, soft, shaken, noisy, unevenly lit, of low
contrast, light on dark, as JPEG, on photographs of other things. Read in one run by this project, by
libzxing 1.4.0 with its own options, and by the current zxing-cpp. Nothing fails on a number.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy
import zxingcpp
from PIL import Image, ImageFilter, ImageOps

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / ".build" / "release"
RESULT = ROOT / ".build" / "bench" / "barcodes.json"
# What is small is seldom in the middle of a picture.
KINDS = ["qr", "aztec", "aztec small", "pdf417", "code128", "code39", "code39mod43", "code93",
         "ean13", "ean8", "upce", "upca", "datamatrix", "itf", "codabar"]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
FORMATS = [getattr(zxingcpp.BarcodeFormat, name) for name in (
    "QRCode", "Aztec", "PDF417", "Code128", "Code39", "Code93", "EAN13", "EAN8", "UPCE", "UPCA",
    "DataMatrix", "ITF", "Codabar")]


def text_of(kind, chance):
    digits = lambda count: "".join(chance.choices("0123456789", k=count))
    if kind in ("ean13", "ean8", "upca"):
        return digits({"ean13": 12, "ean8": 7, "upca": 11}[kind])
    if kind == "upce":
        return "0" + digits(6)
    if kind == "itf":
        return digits(2 * chance.randint(4, 7))
    if kind == "codabar":
        return "A" + digits(chance.randint(5, 10)) + "B"
    if kind in ("qr", "aztec", "pdf417", "datamatrix"):
        return "https://example.org/" + "".join(chance.choices(LETTERS, k=chance.randint(4, 60)))
    return "".join(chance.choices(LETTERS, k=chance.randint(5, 10)))


def checked(kind, text):
    """What a reader says of the text, EAN-13 for all retail codes."""
    if kind == "code39mod43":
        table = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%"
        return text + table[sum(table.index(letter) for letter in text) % 43]
    if kind not in ("ean13", "ean8", "upca", "upce"):
        return text
    digits = expanded(text) if kind == "upce" else text
    total = sum(int(digit) * (3 if place % 2 == 0 else 1)
                for place, digit in enumerate(reversed(digits)))
    whole = digits + str(-total % 10)
    return whole if kind == "ean8" else whole.rjust(13, "0")


def expanded(code):
    last = code[6]
    if last in "012":
        return code[:3] + last + "0000" + code[3:6]
    if last == "3":
        return code[:4] + "00000" + code[4:6]
    return code[:5] + "00000" + code[5] if last == "4" else code[:6] + "0000" + last


def canonical(kind, text):
    kind = kind.lower().replace("-", "").replace(" ", "")
    if kind == "upca" and len(text) == 12:
        return "0" + text
    return "0" + expanded(text[:7]) + text[7] if kind == "upce" and len(text) == 8 else text


def grounds():
    """Photographs of other things, grey."""
    folder = next((ROOT / ".build/venv/lib").glob("python*/site-packages/skimage/data"))
    files = sorted(path for path in folder.iterdir() if path.suffix in (".png", ".jpg", ".jpeg"))
    pictures = [Image.open(path).convert("L") for path in files]
    return [picture for picture in pictures if min(picture.size) >= 200]


def perspective(corners, targets):
    """The coefficients by which Pillow takes each target from a corner."""
    rows, right = [], []
    for (x, y), (u, v) in zip(targets, corners):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    return numpy.linalg.solve(numpy.array(rows, float), numpy.array(right, float))


def bent(code, chance):
    """As on a bottle: columns near the sides are narrower."""
    turn = chance.uniform(0.5, 1.0)
    across = numpy.linspace(-1, 1, code.width)
    source = (numpy.arcsin(across * numpy.sin(turn)) / turn + 1) / 2 * (code.width - 1)
    return Image.fromarray(numpy.asarray(code)[:, source.round().astype(int)])


def photographed(code, ground, chance, shares=(0.3, 0.85)):
    """A photograph of a code, about as a telephone at arm's length takes it."""
    size = (chance.randint(560, 1100), chance.randint(480, 900))
    scene = ImageOps.fit(ground, size)
    dark, light = chance.randint(10, 90), chance.randint(140, 245)
    grey = numpy.asarray(code, float) / 255
    if chance.random() < 0.08:
        grey = 1 - grey
    code = Image.fromarray((dark + grey * (light - dark)).astype("uint8"))
    if chance.random() < 0.2:
        code = bent(code, chance)
    share = chance.uniform(*shares) if code.width < 2 * code.height else chance.uniform(0.5, 0.95)
    width = share * min(size) if code.width < 2 * code.height else share * size[0] * 0.9
    height = width * code.height / code.width
    angle = chance.choice([0, 0, 90, 180, chance.uniform(-12, 12), chance.uniform(0, 360)])
    cosine, sine = numpy.cos(numpy.radians(angle)), numpy.sin(numpy.radians(angle))
    reach = abs(width * cosine) + abs(height * sine), abs(width * sine) + abs(height * cosine)
    shrink = min(1, 0.95 * size[0] / reach[0], 0.95 * size[1] / reach[1])
    width, height = width * shrink, height * shrink
    middle = [chance.uniform(r * shrink / 2, s - r * shrink / 2) for r, s in zip(reach, size)]
    lean = chance.choice([0, 0.04, 0.1])
    targets = []
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        x, y = (each * (1 + chance.uniform(-lean, lean)) for each in (x * width / 2, y * height / 2))
        targets.append((middle[0] + x * cosine - y * sine, middle[1] + x * sine + y * cosine))
    # Three times as fine, and then averaged, as light falls onto a sensor.
    fine = tuple(3 * each for each in size)
    around = [(0, 0), (code.width, 0), (code.width, code.height), (0, code.height)]
    map_ = perspective(around, [(3 * x, 3 * y) for x, y in targets])
    laid = code.transform(fine, Image.Transform.PERSPECTIVE, map_, Image.Resampling.NEAREST)
    mask = Image.new("L", code.size, 255).transform(fine, Image.Transform.PERSPECTIVE, map_)
    scene.paste(laid.resize(size, Image.Resampling.BOX), mask=mask.resize(size, Image.Resampling.BOX))
    scene = scene.filter(ImageFilter.GaussianBlur(chance.choice([0, 0.5, 0.9, 1.3, 1.8])))
    if chance.random() < 0.15:
        shaken = [0] * 25
        for step in range(5):
            shaken[10 + step if chance.random() < 2 else step] = 0.2
        scene = scene.filter(ImageFilter.Kernel((5, 5), shaken, 1))
    pixels = numpy.asarray(scene, float)
    slope = numpy.linspace(1, chance.uniform(0.35, 1), size[0])[None, :]
    pixels = pixels * (slope if chance.random() < 0.5 else slope[:, ::-1])
    if chance.random() < 0.25:
        edge = chance.randint(0, size[1])
        pixels[edge:] *= chance.uniform(0.45, 0.8)
    noise = numpy.random.default_rng(chance.getrandbits(32)).normal(
        0, chance.choice([0, 3, 7, 12]), pixels.shape)
    return Image.fromarray((pixels + noise).clip(0, 255).astype("uint8"))


def render(folder, each):
    """Files and what is on them; None for what has no code."""
    pictures, around = {}, grounds()
    for kind in KINDS:
        for number in range(each):
            chance = random.Random(f"{kind} {number}")
            symbology, _, small = kind.partition(" ")
            text = text_of(symbology, chance)
            file = folder / "code.png"
            subprocess.run([PROGRAMS / "reunion", "barcode", symbology, text, "--png", file], check=True,
                           capture_output=True)
            photo = photographed(Image.open(file).convert("L"), chance.choice(around), chance,
                                 (0.15, 0.3) if small else (0.3, 0.85))
            path = folder / f"{kind}-{number}.jpg"
            photo.save(path, quality=chance.choice([35, 55, 75, 90]))
            pictures[path] = (kind, checked(symbology, text))
    for number, ground in enumerate(around * 3):
        chance = random.Random(f"nothing {number}")
        blank = Image.new("L", (60, 60), chance.randint(0, 255))
        path = folder / f"nothing-{number}.jpg"
        photographed(blank, ground, chance).save(path, quality=75)
        pictures[path] = None
    return pictures


def ours(files, word):
    lines = []
    for start in range(0, len(files), 200):
        lines += subprocess.run(
            [PROGRAMS / "reunion-image-worker-fixture", word, *files[start:start + 200]], check=True,
            capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        found = json.loads(line)
        yield (Path(found["file"]), found["milliseconds"], found.get("failure"),
               [canonical(code["kind"], code["text"]) for code in found["codes"]])


def current(files):
    for file in files:
        began = time.perf_counter()
        codes = zxingcpp.read_barcodes(Image.open(file).convert("L"), formats=FORMATS)
        yield (file, (time.perf_counter() - began) * 1000, None,
               [canonical(str(code.format).rpartition(".")[2], code.text) for code in codes])


def main(each):
    with tempfile.TemporaryDirectory(prefix="barcodes-") as folder:
        pictures = render(Path(folder), each)
        files = list(pictures)
        readers = {"ours": ours(files, "barcodes"),
                   "libzxing 1.4.0": ours(files, "barcodes-by-default"),
                   f"zxing-cpp {version('zxing-cpp')}": current(files)}
        table = {}
        for name, answers in readers.items():
            read, wrong, failed, times = {kind: 0 for kind in KINDS}, 0, 0, []
            for file, milliseconds, failure, texts in answers:
                truth = pictures[file]
                times.append(milliseconds)
                failed += failure is not None
                if truth and truth[1] in texts:
                    read[truth[0]] += 1
                wrong += sum(1 for text in texts if not truth or text != truth[1])
            table[name] = {"read": read, "wrong": wrong, "aborted": failed,
                           "milliseconds": statistics.median(times)}
    report(table, each, len(files))


def report(table, each, count):
    names = list(table)
    print(f"{'read of ' + str(each):16}" + "".join(f"{name:>20}" for name in names))
    for kind in KINDS:
        print(f"{kind:16}" + "".join(f"{table[name]['read'][kind]:>20}" for name in names))
    total = {name: sum(table[name]["read"].values()) for name in names}
    print(f"{'all':16}" + "".join(
        f"{f'{total[name]} ({100 * total[name] / each / len(KINDS):.0f} %)':>20}" for name in names))
    for word in ("wrong", "aborted", "milliseconds"):
        print(f"{word:16}" + "".join(f"{table[name][word]:>20.5g}" for name in names))
    rows = []
    for peer in names[1:]:
        for kind in [*KINDS, "all"]:
            mine = total["ours"] if kind == "all" else table["ours"]["read"][kind]
            theirs = total[peer] if kind == "all" else table[peer]["read"][kind]
            rows.append({"name": f"read-{kind}", "ours": mine, "peer": theirs, "peerName": peer,
                         "ratio": mine / theirs if theirs else None, "unit": "pictures"})
        for word, unit in (("wrong", "codes"), ("milliseconds", "ms a picture, median")):
            rows.append({"name": word, "ours": table["ours"][word], "peer": table[peer][word],
                         "peerName": peer, "unit": unit, "ratio":
                         table["ours"][word] / table[peer][word] if table[peer][word] else None})
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({"pictures": count, "rows": rows}, indent=1) + "\n")
    print(f"Rows are in {RESULT.relative_to(ROOT)}.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
