"""The pixels of crops, turns and sizes, beside those of Pillow and libvips: every format and
orientation, on photographs. Mean differences are in 1/255, and at most 1."""

import contextlib
import io
import random
import subprocess
import tempfile
from pathlib import Path

import pillow_heif
import pyvips
from PIL import Image, ImageChops, ImageStat

import photos
from album import ROOT
from journey import PATIENCE, Group, ensure

RENDERER = ROOT / ".build/release/reunion-image-worker-fixture"
PARTS = 65535
DIFFERENCE_MAX = 1.0
TURNS = {1: Image.Transpose.ROTATE_270, 2: Image.Transpose.ROTATE_180, 3: Image.Transpose.ROTATE_90}


class Renderer:
    """ReunionMedia, as a process that renders line by line."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            [RENDERER, "render"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def render(self, file, edit, edges, form="png"):
        """The renditions of a file, as Pillow decodes them."""
        outs = [self.folder / f"out-{edge}" for edge in edges]
        wanted = "\t".join(f"{edge}={out}" for edge, out in zip(edges, outs))
        self.process.stdin.write(f"{file}\t{edit.text}\t{form}\t{wanted}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        ensure(answer == "ok", f"{file.name}: {answer}")
        return [Image.open(io.BytesIO(out.read_bytes())).convert("RGB") for out in outs]


class Edit:
    """A crop by fractions, and quarter turns; the rule of its pixels is the guide images.md's."""

    def __init__(self, turns=0, left=0, top=0, right=PARTS, bottom=PARTS):
        self.turns, self.edges = turns, (left, top, right, bottom)

    @property
    def text(self):
        return f"{self.turns:02x}" + "".join(f"{edge:04x}" for edge in self.edges)

    def box(self, width, height):
        def place(edge, side):
            return (2 * edge * side + PARTS) // (2 * PARTS)
        left, top, right, bottom = self.edges
        x, y = min(place(left, width), width - 1), min(place(top, height), height - 1)
        return x, y, max(place(right, width), x + 1), max(place(bottom, height), y + 1)


def fitted(width, height, edge):
    long = max(width, height)
    if long <= edge:
        return width, height
    return tuple(max(1, (2 * side * edge + long) // (2 * long)) for side in (width, height))


def by_pillow(upright, edit, edge):
    part = upright.crop(edit.box(*upright.size))
    if edit.turns:
        part = part.transpose(TURNS[edit.turns])
    return part.resize(fitted(*part.size, edge), Image.Resampling.LANCZOS)


def by_libvips(upright, edit, edge):
    """The same through libvips, step by step, from the pixels that Pillow decoded."""
    image = pyvips.Image.new_from_memory(upright.tobytes(), *upright.size, 3, "uchar")
    image = image.copy(interpretation="srgb")
    left, top, right, bottom = edit.box(*upright.size)
    image = image.crop(left, top, right - left, bottom - top)
    image = [image, image.rot90(), image.rot180(), image.rot270()][edit.turns]
    width, height = fitted(image.width, image.height, edge)
    small = image.resize(width / image.width, vscale=height / image.height)
    return Image.frombytes("RGB", (small.width, small.height), small.write_to_memory())


def difference(one, other):
    ensure(one.size == other.size, f"{one.size} is not {other.size}")
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


def stored(upright, form, orientation):
    """Bytes that show the picture in that orientation, and the picture that they hold."""
    turned = upright.transpose(photos._STORED_AS[orientation]) if orientation > 1 else upright
    out = io.BytesIO()
    lossless = {"webp": {"lossless": True, "method": 0}, "png": {"compress_level": 1}}
    turned.save(out, form, exif=photos.exif(orientation).tobytes() if form != "jpeg"
                else photos.exif(orientation), **lossless.get(form, {"quality": 92}))
    held = Image.open(io.BytesIO(out.getvalue())).convert("RGB")
    back = {number: move for number, move in zip(range(2, 9), (
        Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.ROTATE_180,
        Image.Transpose.FLIP_TOP_BOTTOM, Image.Transpose.TRANSPOSE, Image.Transpose.ROTATE_270,
        Image.Transpose.TRANSVERSE, Image.Transpose.ROTATE_90))}
    return out.getvalue(), held.transpose(back[orientation]) if orientation > 1 else held


@contextlib.contextmanager
def rendering():
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        renderer = Renderer(Path(folder))
        yield renderer
        renderer.process.stdin.close()
        renderer.process.wait(PATIENCE)


group = Group(rendering)
# Below a fifth of their photographs Pillow and libvips differ from each other by more than 1.
EDGES = [16_383, 301, 128]


def edits(count, seed):
    """The edits that matter most, and random ones."""
    noise = random.Random(seed)
    found = [Edit(), Edit(1), Edit(0, PARTS // 3, 0, PARTS, PARTS // 2)]
    while len(found) < count:
        left, right = sorted(noise.sample(range(PARTS + 1), 2))
        top, bottom = sorted(noise.sample(range(PARTS + 1), 2))
        if min(right - left, bottom - top) > PARTS // 10:
            found.append(Edit(noise.randrange(4), left, top, right, bottom))
    return found[:count]


def compare(renderer, file, upright, edit, worst):
    made = list(zip(EDGES, renderer.render(file, edit, EDGES)))
    # By itself the smallest is made another way: a JPEG shrinks while it is decoded.
    made.append((EDGES[-1], *renderer.render(file, edit, EDGES[-1:])))
    for edge, ours in made:
        for name, oracle in (("Pillow", by_pillow), ("libvips", by_libvips)):
            apart = difference(ours, oracle(upright, edit, edge))
            worst[name] = max(worst.get(name, 0), apart)
            ensure(apart <= DIFFERENCE_MAX, f"{file.name} {edit.text} at {edge}: {apart:.2f} of 255 "
                                            f"from {name}")


@group.journey("crops, turns and sizes are Pillow's and libvips' pixels, in all orientations")
def oracles(renderer):
    worst, count = {}, 0
    for number, (form, name) in enumerate([
            ("jpeg", "chelsea.png"), ("png", "coffee.png"), ("webp", "astronaut.png")]):
        photo = photos.photograph(name)
        for orientation in range(1, 9):
            data, upright = stored(photo, form, orientation)
            file = renderer.folder / f"{name}-{orientation}.{form}"
            file.write_bytes(data)
            # The slice crops in each orientation, and turns in those that most cameras write.
            first = 0 if orientation in (1, 6) else photos.slices(2, 0)
            for edit in edits(photos.slices(3, 40), number * 8 + orientation)[first:]:
                compare(renderer, file, upright, edit, worst)
                count += 1
    print(f"    {count} pictures of {len(EDGES)} sizes, at most "
          + ", ".join(f"{apart:.2f} of 255 from {name}" for name, apart in worst.items()), flush=True)


@group.journey("HEIC and AVIF follow their own rotation box, and the crop with them")
def containers(renderer):
    pillow_heif.register_heif_opener()
    photo, worst = photos.photograph("coffee.png").crop((100, 0, 420, 300)), {}
    for form, options in (("HEIF", {"quality": 95}), ("AVIF", {"quality": 95, "speed": 9})):
        for orientation in (1, 6):
            out = io.BytesIO()
            photo.save(out, form, exif=photos.exif(orientation).tobytes(), **options)
            file = renderer.folder / f"{orientation}.{form.lower()}"
            file.write_bytes(out.getvalue())
            # What libheif shows, and not what EXIF says, is upright.
            seen = pyvips.Image.heifload_buffer(out.getvalue()).colourspace("srgb")[0:3]
            upright = Image.frombytes("RGB", (seen.width, seen.height), seen.write_to_memory())
            for edit in edits(photos.slices(3, 40), orientation):
                compare(renderer, file, upright, edit, worst)
    print("    at most " + ", ".join(
        f"{apart:.2f} of 255 from {name}" for name, apart in worst.items()), flush=True)


@group.journey("a crop moved by a pixel, turned wrongly or mirrored is seen (negative control)")
def control(renderer):
    photo = photos.photograph("chelsea.png")
    data, upright = stored(photo, "png", 6)
    file = renderer.folder / "control.png"
    file.write_bytes(data)
    edit = Edit(1, PARTS // 4, PARTS // 5, PARTS // 2, PARTS // 2)
    ours = renderer.render(file, edit, EDGES)
    ensure(difference(ours[0], by_pillow(upright, edit, EDGES[0])) == 0, "It is not the same at all")
    x, y, right, bottom = edit.box(*upright.size)
    moved = upright.crop((x + 1, y, right + 1, bottom)).transpose(TURNS[1])
    ensure(difference(ours[0], moved) > DIFFERENCE_MAX, "A crop that is moved by a pixel passes")
    turned = Edit(3, *edit.edges)
    ensure(min(difference(one, by_pillow(upright, turned, edge))
               for one, edge in zip(ours, EDGES)) > DIFFERENCE_MAX, "A picture on its head passes")
    mirrored = upright.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    ensure(difference(ours[0], by_pillow(mirrored, edit, EDGES[0])) > DIFFERENCE_MAX,
           "A mirrored picture passes")


@group.journey("a photo of twelve megapixels is scaled and cropped as Pillow would")
def large(renderer):
    file, worst = photos.twelve_megapixels(), {}
    upright = Image.open(file).convert("RGB").transpose(Image.Transpose.ROTATE_270)
    for edit in (Edit(), Edit(3, 5000, 9000, 60000, 40000)):
        ours = renderer.render(file, edit, [2048, 320])
        for edge, one in zip([2048, 320], ours):
            apart = difference(one, by_pillow(upright, edit, edge))
            worst[edge] = max(worst.get(edge, 0), apart)
            ensure(apart <= DIFFERENCE_MAX, f"{edit.text} at {edge}: {apart:.2f} of 255")
    print("    at most " + ", ".join(f"{apart:.2f} of 255 at {edge}"
                                     for edge, apart in worst.items()), flush=True)
