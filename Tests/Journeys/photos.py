"""Real photos for the journeys: made once, the same on every machine, kept in .build."""

import io
import os
import random
import struct
import sysconfig
import zlib
from pathlib import Path

import pillow_heif
from PIL import Image, ImageOps

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".build" / "journeys" / "photos"
# Top left, top right, bottom right, bottom left: what tells an upright picture from another.
CORNERS = [(220, 30, 30), (30, 200, 30), (30, 30, 220), (240, 220, 40)]
# Where all photos were taken, so that a test can look for it in what guests get.
LATITUDE = ((52, 1), (30, 1), (5941, 100))
LONGITUDE = ((13, 1), (22, 1), (3942, 100))

_STORED_AS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270,
}


def scene(width, height, seed, detail=8):
    """An upright picture: soft noise, and a corner each of another colour."""
    noise = random.Random(seed)
    size = (max(2, width // detail), max(2, height // detail))
    small = Image.frombytes("RGB", size, noise.randbytes(size[0] * size[1] * 3))
    picture = small.resize((width, height), Image.Resampling.BICUBIC)
    tint = Image.new("RGB", (width, height), tuple(noise.randrange(60, 200) for _ in range(3)))
    picture = Image.blend(picture, tint, 0.6)
    wide, high = width // 4, height // 4
    places = [(0, 0), (width - wide, 0), (width - wide, height - high), (0, height - high)]
    for place, color in zip(places, CORNERS):
        picture.paste(color, (*place, place[0] + wide, place[1] + high))
    return picture


def is_upright(picture):
    """Whether each corner has the colour that the scene gave it."""
    picture = picture.convert("RGB")
    inset = [picture.width // 10, picture.height // 10]
    far = [picture.width - 1 - inset[0], picture.height - 1 - inset[1]]
    places = [inset, [far[0], inset[1]], far, [inset[0], far[1]]]
    return all(
        all(abs(seen - meant) < 40 for seen, meant in zip(picture.getpixel(tuple(place)), color))
        for place, color in zip(places, CORNERS))


def exif(orientation=1):
    """EXIF as a camera writes it: orientation, maker, date and GPS."""
    data = Image.Exif()
    data[0x0112] = orientation
    data[0x010F] = "Reunion test camera"
    data.get_ifd(0x8769)[0x9003] = "2026:07:04 12:34:56"
    place = data.get_ifd(0x8825)
    place.update({1: "N", 2: _ratios(LATITUDE), 3: "E", 4: _ratios(LONGITUDE)})
    return data


def _ratios(parts):
    return tuple(top / bottom for top, bottom in parts)


def jpeg(picture, orientation=1, quality=85):
    """JPEG bytes that show `picture` to those who heed the orientation."""
    stored = picture.transpose(_STORED_AS[orientation]) if orientation != 1 else picture
    out = io.BytesIO()
    stored.save(out, "JPEG", quality=quality, exif=exif(orientation))
    return out.getvalue()


def unique(seed, width=480, height=360):
    """The bytes of a small JPEG that no other seed has."""
    return jpeg(scene(width, height, seed), quality=80)


def preview(seed, width=320, height=240):
    """The bytes of a small JPEG with nothing but the picture in it, as a phone makes them."""
    return _saved(scene(width, height, seed), "JPEG", quality=80)


def unique_file(seed):
    return kept(f"unique-{seed}.jpg", lambda: unique(seed))


def commented(data, comment):
    """A JPEG with a comment segment: other bytes, the same picture, made in no time."""
    return data[:2] + b"\xff\xfe" + struct.pack(">H", len(comment) + 2) + comment + data[2:]


def kept(name, make):
    """The file of that name, made where it is not there yet."""
    file = FOLDER / name
    if not file.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{os.getpid()}-{name}")
        part.write_bytes(make())
        part.rename(file)
    return file


def photograph(name):
    """A photograph that scikit-image ships; its licence is public domain or CC0."""
    folder = Path(sysconfig.get_path("purelib")) / "skimage" / "data"
    return Image.open(folder / name).convert("RGB")


def slices(some, all_):
    """How many to try: some, or all where the full counts are asked for."""
    return all_ if os.environ.get("REUNION_FAULTS") == "full" else some


def orientation(number):
    """A photo with that EXIF orientation; its upright form is 900 × 600."""
    return kept(f"orientation-{number}.jpg",
                lambda: jpeg(scene(900, 600, number), orientation=number))


def _saved(picture, form, **options):
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def png():
    return kept("screenshot.png", lambda: _saved(scene(640, 480, 21), "PNG"))


def webp():
    return kept("sent-by-chat.webp",
                lambda: _saved(scene(800, 600, 22), "WEBP", exif=exif().tobytes()))


def avif():
    return kept("modern.avif", lambda: _saved(scene(800, 600, 23), "AVIF", speed=9))


def heic():
    pillow_heif.register_heif_opener()
    return kept("IMG_0042.HEIC",
                lambda: _saved(scene(800, 600, 24), "HEIF", exif=exif().tobytes()))


def twelve_megapixels():
    return kept("twelve-megapixels.jpg",
                lambda: jpeg(scene(4032, 3024, 25, detail=6), orientation=6, quality=88))


def half_megabyte(seed=26):
    """A photo of 500 KB, give or take five per cent."""
    def make():
        picture = scene(2000, 1500, seed, detail=4)
        low, high = 20, 97
        while low < high:
            quality = (low + high + 1) // 2
            if len(jpeg(picture, quality=quality)) <= 500_000:
                low = quality
            else:
                high = quality - 1
        data = jpeg(picture, quality=low)
        missing = 500_000 - len(data)
        return commented(data, bytes(missing - 4)) if 4 < missing < 65_000 else data
    return kept(f"half-megabyte-{seed}.jpg", make)


def arabic():
    return kept("صورة العائلة.jpg", lambda: unique(27))


def emoji():
    return kept("🎂🎉 fête.jpg", lambda: unique(28))


def twelve():
    """Twelve photos of all kinds."""
    return [orientation(3), orientation(6), orientation(8), orientation(5), png(), webp(), avif(),
            heic(), twelve_megapixels(), half_megabyte(), arabic(), emoji()]


def html_as_jpeg():
    return kept("party.html.jpg", lambda: b"<!doctype html><script>alert(1)</script>" * 20)


def svg_as_jpeg():
    return kept("drawing.jpg", lambda: (
        b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
        b"<script>alert(1)</script></svg>"))


def text_as_jpeg():
    return kept("letter.jpg", lambda: "Dear all, no picture is in here.\n".encode() * 50)


def truncated():
    return kept("half.jpg", lambda: (lambda data: data[:len(data) // 2])(unique(29, 1200, 900)))


def tiff():
    return kept("scanned.tif", lambda: _saved(scene(640, 480, 31), "TIFF"))


def icon():
    """What a browser shows and the album takes for no picture."""
    return kept("favicon.ico", lambda: _saved(scene(256, 256, 32), "ICO"))


def megapixels_108():
    """A photo as phones of 108 megapixels take it."""
    return kept("108-megapixels.jpg", lambda: _saved(
        scene(1200, 900, 33).resize((12_000, 9_000), Image.Resampling.NEAREST), "JPEG", quality=60))


def dated(seed, tags):
    """The bytes of a photo with these EXIF tags of a camera."""
    data = Image.Exif()
    data.get_ifd(0x8769).update(tags)
    return _saved(scene(480, 360, seed), "JPEG", exif=data)


def empty():
    return kept("empty.jpg", lambda: b"")


def bomb():
    """A valid PNG of 30,000 × 30,000 pixels in about 100 KB."""
    def make():
        side = 30_000
        row = bytes(1 + (side + 7) // 8)
        packer = zlib.compressobj(9)
        data = b"".join([packer.compress(row * 100) for _ in range(side // 100)]
                        + [packer.flush()])
        def chunk(kind, body):
            sum_ = zlib.crc32(kind + body)
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", sum_)
        head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data)
                + chunk(b"IEND", b""))
    return kept("huge.png", make)


def poster(width, height):
    """A valid WebP of this width and height, in some kilobytes."""
    return kept(f"poster-{width}.webp",
                lambda: _saved(Image.new("RGB", (width, height), (90, 120, 150)), "WEBP", method=0))


def three_gigabytes():
    """A sparse file of 3 GB that begins like a JPEG."""
    file = kept("long-video.jpg", lambda: unique(30)[:1000])
    os.truncate(file, 3_000_000_000)
    return file


def upright_size(file):
    """The size of a picture as a person sees it."""
    with Image.open(file) as picture:
        return ImageOps.exif_transpose(picture).size
