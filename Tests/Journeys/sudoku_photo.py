"""Photographs of printed Sudokus, drawn: on grey paper, in perspective, turned, a little blurred."""

import pillow_heif
from PIL import Image, ImageDraw, ImageFilter, ImageFont

CELL = 60


def printed(text):
    """A grid as it is printed, with a margin."""
    side = 9 * CELL
    page = Image.new("RGB", (side + 2 * CELL, side + 2 * CELL), (228, 225, 218))
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(42)
    for line in range(10):
        width = 5 if line % 3 == 0 else 2
        at = CELL + line * CELL
        draw.line([(CELL, at), (CELL + side, at)], (30, 30, 34), width)
        draw.line([(at, CELL), (at, CELL + side)], (30, 30, 34), width)
    for place, digit in enumerate(text):
        if digit != ".":
            x, y = CELL + place % 9 * CELL + CELL / 2, CELL + place // 9 * CELL + CELL / 2
            draw.text((x, y), digit, (28, 28, 32), font, anchor="mm")
    return page


def photograph(text, path, turn=0, over=None):
    """Writes a photograph of it; `over` has digits that were printed over those of cells. Gives the path."""
    page = printed(text)
    for place, other in (over or {}).items():
        x, y = CELL + place % 9 * CELL + CELL / 2, CELL + place // 9 * CELL + CELL / 2
        ImageDraw.Draw(page).text((x, y), other, (28, 28, 32), ImageFont.load_default(42), anchor="mm")
    width, height = page.size
    # Where the corners of what is seen lie on the page: perspective, and a little table around it.
    quad = (-60, -40, -20, height + 50, width + 70, height + 30, width + 20, -70)
    seen = Image.new("RGB", (width + 300, height + 300), (96, 82, 70))
    seen.paste(page, (150, 150))
    seen = seen.transform((900, 860), Image.Transform.QUAD, [at + 150 for at in quad], Image.Resampling.BICUBIC)
    seen = seen.rotate(turn, expand=True).filter(ImageFilter.GaussianBlur(0.8))
    pillow_heif.register_heif_opener()
    seen.save(path, quality=88)
    return path
