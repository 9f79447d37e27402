#!/usr/bin/env python3
"""Renders photographs of printed Sudokus, and pages that are none: photographs.py FONTS PUZZLES OUT COUNT [SEED]

PUZZLES has a puzzle a line, as SudokuBench puzzles prints them. OUT gets a PPM file for each photograph, and truth.txt
with its name, its kind and its 81 characters, or none. All are printed in faces that the net never saw.
"""
import io
import math
import pathlib
import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

import faces

CELL = 56
PAGE = (1100, 1300)


def words(draw, rng, box, font, ink):
  """Lines of invented words."""
  left, top, right, bottom = box
  y, high = top, font.size * 1.25
  while y + high < bottom:
    line = ""
    while font.getlength(line) < right - left:
      line += "".join(rng.choice(list("aabcdeeefghiiklmnooprsttuvw"), int(rng.integers(2, 9)))) + " "
    draw.text((left, y), line[:-9], font=font, fill=ink)
    y += high


def grid(page, rng, box, rows, texts, masks, ink, digit_ink, frame=True):
  """A table of rows x rows in box, with what texts says of each cell: a digit, # for black, or nothing."""
  left, top, side = box
  draw, cell = ImageDraw.Draw(page), side / rows
  thin, thick = max(1, round(cell * rng.uniform(0.015, 0.04))), max(2, round(cell * rng.uniform(0.05, 0.11)))
  paler = rng.choice([0, 0, 0.3, 0.55])
  faint = tuple(int(c + (235 - c) * paler) for c in ink)
  if frame and rows == 9 and rng.random() < 0.2:
    for number in range(9):
      if number % 2:
        x, y = left + number % 3 * 3 * cell, top + number // 3 * 3 * cell
        draw.rectangle((x, y, x + 3 * cell, y + 3 * cell), fill=tuple(int(0.9 * c) for c in page.getpixel((3, 3))))
  for n in range(rows + 1):
    bold = frame and n % 3 == 0 if rows == 9 else n in (0, rows)
    at, wide, colour = n * cell, thick if bold else thin, ink if bold else faint
    draw.line((left + at, top, left + at, top + side), fill=colour, width=wide)
    draw.line((left, top + at, left + side, top + at), fill=colour, width=wide)
  high = cell * rng.uniform(0.45, 0.72) / faces.HEIGHT
  for number, text in enumerate(texts):
    x, y = left + (number % rows + 0.5) * cell, top + (number // rows + 0.5) * cell
    if text == "#":
      draw.rectangle((x - cell / 2, y - cell / 2, x + cell / 2, y + cell / 2), fill=ink)
    elif text in "123456789" and text:
      mask = Image.fromarray(masks[int(text) - 1])
      scale = min(high, 0.75 * cell / mask.width)
      mask = mask.resize((max(1, round(mask.width * scale)), max(1, round(mask.height * scale))), Image.LANCZOS)
      page.paste(digit_ink, (round(x - mask.width / 2), round(y - mask.height / 2)), mask)


def printed(rng, kind, puzzle, known, files):
  paper = int(rng.integers(205, 246))
  page = Image.new("RGB", PAGE, (paper, paper - int(rng.integers(0, 6)), paper - int(rng.integers(0, 18))))
  ink = tuple(int(v) for v in rng.integers(10, 70) + np.zeros(3, int))
  digit_ink = (int(rng.integers(150, 200)), 30, 35) if rng.random() < 0.12 else ink
  masks = known[int(rng.integers(len(known)))]
  font = ImageFont.truetype(str(files[int(rng.integers(len(files)))]), int(rng.integers(16, 28)))
  draw = ImageDraw.Draw(page)
  side = 9 * CELL
  left, top = int(rng.integers(250, 350)), int(rng.integers(330, 450))
  gap = int(rng.integers(14, 60))
  words(draw, rng, (40, 30, 1060, top - gap - (320 if rng.random() < 0.3 else 0)), font, ink)
  words(draw, rng, (left, top + side + gap, left + side, 1280), font, ink)
  if rng.random() < 0.5:
    words(draw, rng, (20, top, left - gap, top + side), font, ink)
  if rng.random() < 0.4:  # Last week's solution, small.
    small = "".join(rng.choice(list("123456789"), 81))
    grid(page, rng, (left + side + gap + 10, top + 20, min(160, PAGE[0] - left - side - gap - 30)), 9, small,
         masks, ink, ink)
  any_digit = lambda n, share: ["" if rng.random() > share else str(rng.integers(1, 10)) for _ in range(n)]
  table = lambda n, texts: grid(page, rng, (left, top, side), n, texts, masks, ink, digit_ink)
  if kind == "sudoku":
    table(9, puzzle)
  elif kind == "text":
    words(draw, rng, (left, top, left + side, top + side), font, ink)
  elif kind == "random":
    table(9, any_digit(81, 0.35))
  elif kind == "empty":
    table(9, [""] * 81)
  elif kind == "crossword9":
    table(9, ["#" if rng.random() < 0.25 else "" for _ in range(81)])
  elif kind == "crossword13":
    table(13, ["#" if rng.random() < 0.25 else "" for _ in range(169)])
  elif kind == "chess":
    table(8, ["#" if (n + n // 8) % 2 else "" for n in range(64)])
  else:
    n = int(kind[5:])
    table(n, any_digit(n * n, 0.4))
  return page, (left, top, side)


def camera(rng, box, hard, wide, high):
  """Where on the page a place of the photograph is: a function of arrays x and y."""
  left, top, side = box
  # The middle of the grid is near the middle of the photograph; its side is this share of the shorter one.
  share = rng.uniform(0.55, 0.88) if not hard else rng.uniform(0.4, 0.92)
  scale = side / (share * min(wide, high))
  angle = rng.normal(0, 4 if not hard else 9) if rng.random() < 0.93 else rng.uniform(-40, 40)
  angle = math.radians(angle + (rng.choice([90, 180, 270]) if rng.random() < 0.08 else 0))
  room = max(0.0, 1 - share * 1.25) * min(wide, high) / 2
  away = rng.uniform(-room, room, 2)
  tilt = rng.normal(0, 0.10 if not hard else 0.16, 2).clip(-0.35, 0.35) / (max(wide, high) / 2)
  # Curled paper: both run in bows.
  bow = rng.normal(0, 0.012 if not hard else 0.028, 4)

  def place(x, y):
    x, y = x - wide / 2 - away[0], y - high / 2 - away[1]
    depth = 1 + tilt[0] * x + tilt[1] * y
    x, y = x / depth * scale, y / depth * scale
    x, y = x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)
    u, v = x / side, y / side
    x = x + side * (bow[0] * (4 * v * v - 1) + bow[1] * (8 * v ** 3 - 2 * v))
    y = y + side * (bow[2] * (4 * u * u - 1) + bow[3] * (8 * u ** 3 - 2 * u))
    return x + left + side / 2, y + top + side / 2

  return place, scale


def photographed(rng, page, box, hard):
  """The page as a phone sees it: the photograph, with the whole grid in it."""
  left, top, side = box
  long = int(rng.choice([640, 800, 1000]))
  wide, high = (long, long * 3 // 4) if rng.random() < 0.5 else (long * 3 // 4, long)
  rim = np.linspace(0, 1, 100, dtype=np.float32)
  rim_x = np.concatenate([rim, rim, 0 * rim, 0 * rim + 1]) * wide
  rim_y = np.concatenate([0 * rim, 0 * rim + 1, rim, rim]) * high
  while True:
    place, scale = camera(rng, box, hard, wide, high)
    x, y = place(rim_x, rim_y)
    if not ((abs(x - left - side / 2) < 0.52 * side) & (abs(y - top - side / 2) < 0.52 * side)).any():
      break
  y, x = np.mgrid[0:high, 0:wide].astype(np.float32)
  x, y = place(x, y)
  source = page
  if scale > 1.3:
    source = page.filter(ImageFilter.GaussianBlur(0.35 * scale))
  source = np.asarray(source, np.float32)
  inside = (x > 0) & (x < PAGE[0] - 1) & (y > 0) & (y < PAGE[1] - 1)
  x, y = x.clip(0, PAGE[0] - 1.001), y.clip(0, PAGE[1] - 1.001)
  i, j = x.astype(int), y.astype(int)
  fx, fy = (x - i)[..., None], (y - j)[..., None]
  picture = (source[j, i] * (1 - fx) + source[j, i + 1] * fx) * (1 - fy)
  picture += (source[j + 1, i] * (1 - fx) + source[j + 1, i + 1] * fx) * fy
  picture[~inside] = rng.uniform(20, 130)  # The table beneath.
  return lit(rng, picture, long, hard)


def lit(rng, picture, long, hard):
  high, wide = picture.shape[:2]
  y, x = np.mgrid[-1:1:high * 1j, -1:1:wide * 1j].astype(np.float32)
  light = rng.uniform(0.45, 1.0) * (1 + rng.normal(0, 0.15) * x + rng.normal(0, 0.15) * y)
  if rng.random() < (0.3 if not hard else 0.6):  # The edge of a shadow.
    turn = rng.uniform(0, 2 * math.pi)
    across = np.cos(turn) * x + np.sin(turn) * y - rng.uniform(-0.6, 0.6)
    light = light * (1 - rng.uniform(0.15, 0.6) / (1 + np.exp(-across * rng.uniform(4, 40))))
  picture = picture * light[..., None]
  if rng.random() < (0.1 if not hard else 0.25):  # Glare: black turns grey.
    a, b, r = rng.uniform(-0.7, 0.7), rng.uniform(-0.7, 0.7), rng.uniform(0.2, 0.6)
    glare = rng.uniform(30, 120) * np.exp(-((x - a) ** 2 + (y - b) ** 2) / r ** 2)
    picture = picture + glare[..., None]
  veil = rng.uniform(0, 0.15 if not hard else 0.4)
  picture = picture * (1 - veil) + veil * picture.mean()
  image = Image.fromarray(picture.clip(0, 255).astype(np.uint8))
  blur = rng.uniform(0.2, 1.0) if not hard else rng.uniform(0.4, 2.2)
  image = image.filter(ImageFilter.GaussianBlur(blur * long / 900))
  noise = rng.standard_normal((high, wide, 3), np.float32) * rng.uniform(0.5, 3 if not hard else 8)
  picture = np.asarray(image, np.float32) + noise
  kept = io.BytesIO()
  quality = int(rng.integers(60, 95) if not hard else rng.integers(30, 90))
  Image.fromarray(picture.clip(0, 255).astype(np.uint8)).save(kept, "JPEG", quality=quality)
  return Image.open(kept)


NONE = ["text", "table6", "table8", "table10", "table16", "chess", "crossword9", "crossword13", "empty", "random"]


def main():
  fonts, puzzles, out, count = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
  seed = int((sys.argv[5:] + ["1"])[0])
  puzzles = pathlib.Path(puzzles).read_text().split()
  files = [f for f in faces.unpack(faces.HELD, fonts) if faces.fit(f) and faces.digits(f)]
  known = faces.faces(faces.HELD, fonts)
  out.mkdir(parents=True, exist_ok=True)
  with open(out / "truth.txt", "w") as truth:
    for number in range(count + 120):
      rng = np.random.default_rng([seed, number])
      kind = "sudoku" if number < count else NONE[number % len(NONE)]
      hard = number % 2 == 1
      puzzle = puzzles[number % len(puzzles)] if kind == "sudoku" else "none"
      page, box = printed(rng, kind, puzzle, known, files)
      name = f"{number:05}.ppm"
      photographed(rng, page, box, hard).save(out / name)
      print(name, kind if kind != "sudoku" else "hard" if hard else "easy", puzzle, file=truth, flush=True)


if __name__ == "__main__":
  main()
