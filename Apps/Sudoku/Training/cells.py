"""Draws cells as a photograph shows them, and takes from them what Reading.swift takes: the darkness of each pixel."""
import io
import math

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SIDE = 28  # of a cell that the net reads
CANVAS = 112  # the cell and half a cell around it, at twice that size


def glyph(masks, rng, ink):
  digit = int(rng.integers(9))
  mask = Image.fromarray(masks[digit])
  high = rng.uniform(0.36, 0.80) * 56 / 48
  wide = high * rng.uniform(0.82, 1.18)
  wide = min(wide, 0.72 * 56 / mask.width)
  turn = math.radians(rng.uniform(-3.5, 3.5))
  shear = rng.normal(0, 0.05)
  cos, sin = math.cos(turn), math.sin(turn)
  # From the canvas to the mask.
  a, b = cos / wide, sin / wide
  d, e = -sin / high, cos / high
  a, b = a + shear * d, b + shear * e
  x, y = (CANVAS / 2 + rng.uniform(-0.045, 0.045) * 56 for _ in range(2))
  where = (a, b, mask.width / 2 - a * x - b * y, d, e, mask.height / 2 - d * x - e * y)
  drawn = mask.transform((CANVAS, CANVAS), Image.AFFINE, where, Image.BILINEAR)
  weight = rng.random()
  if weight < 0.12:
    drawn = drawn.filter(ImageFilter.MaxFilter(3))
  elif weight < 0.2 and high > 0.6:
    drawn = drawn.filter(ImageFilter.MinFilter(3))
  return np.maximum(ink, np.asarray(drawn, np.float32) / 255), digit + 1


def lines(rng):
  image = Image.new("L", (CANVAS, CANVAS), 0)
  draw = ImageDraw.Draw(image)
  far = rng.random() < 0.03
  grey = rng.uniform(0.45, 1) if rng.random() < 0.4 else 1
  for edge in range(4):
    if rng.random() > 0.93:
      continue
    thick = 56 * (0.01 + 0.13 * rng.random() ** 2.5)
    middle = (28 if edge < 2 else 84) + 56 * rng.normal(0, 0.09 if far else 0.03)
    slant = 56 * rng.normal(0, 0.02)
    ends = [(-5, middle - slant), (CANVAS + 5, middle + slant)]
    if edge % 2:
      ends = [(y, x) for x, y in ends]
    draw.line(ends, fill=int(255 * grey), width=max(1, round(thick)))
  return np.asarray(image, np.float32) / 255


def dirt(masks, rng, ink, empty):
  """Specks, show-through, smears and creases."""
  kind = rng.random()
  if kind < (0.3 if empty else 0.12):  # The other side of the paper, mirrored.
    other, _ = glyph(masks, rng, np.zeros_like(ink))
    other = Image.fromarray((other[:, ::-1] * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(rng.uniform(1, 5)))
    shift = (int(rng.integers(-30, 31)), int(rng.integers(-30, 31)))
    ink = np.maximum(ink, np.roll(np.asarray(other, np.float32) / 255, shift, (0, 1)) * rng.uniform(0.05, 0.3))
  elif kind < (0.55 if empty else 0.22):
    image = Image.new("L", (CANVAS, CANVAS), 0)
    draw = ImageDraw.Draw(image)
    for _ in range(int(rng.integers(1, 4))):
      x, y = rng.uniform(20, 92, 2)
      if rng.random() < 0.6:
        r = rng.uniform(0.5, 3.5)
        draw.ellipse((x - r, y - r, x + r, y + r), fill=int(rng.uniform(60, 255)))
      else:
        dx, dy = rng.normal(0, 18, 2)
        draw.line((x - dx, y - dy, x + dx, y + dy), fill=int(rng.uniform(40, 170)), width=int(rng.integers(1, 4)))
    ink = np.maximum(ink, np.asarray(image, np.float32) / 255 * rng.uniform(0.3, 1))
  return ink


def light(rng, contrast):
  y, x = np.mgrid[-1:1:CANVAS * 1j, -1:1:CANVAS * 1j].astype(np.float32)
  field = 1 + rng.normal(0, 0.08) * x + rng.normal(0, 0.08) * y
  if rng.random() < 0.25:  # The edge of a shadow.
    angle = rng.uniform(0, 2 * math.pi)
    across = np.cos(angle) * x + np.sin(angle) * y - rng.uniform(-0.7, 0.7)
    field *= 1 - rng.uniform(0.1, 0.5) / (1 + np.exp(-across * rng.uniform(3, 30)))
  if rng.random() < 0.6:
    coarse = rng.normal(0, rng.uniform(1, 10) * min(1, contrast / 0.4), (9, 9)).clip(-60, 60) + 128
    image = Image.fromarray(coarse.astype(np.uint8)).resize((CANVAS, CANVAS), Image.BICUBIC)
    field *= np.asarray(image, np.float32) / 128
  return field


def photographed(masks, rng):
  """One cell and its surroundings as 56 x 56 grey levels, its digit, its contrast, and its blur."""
  empty = rng.random() < 0.35
  ink, digit = np.zeros((CANVAS, CANVAS), np.float32), 0
  if not empty:
    ink, digit = glyph(masks, rng, ink)
  ink = dirt(masks, rng, np.maximum(ink, lines(rng)), empty)
  contrast = rng.uniform(0.12, 0.75)
  picture = rng.uniform(60, 230) * light(rng, contrast) * (1 - contrast * ink)
  image = Image.fromarray(picture.clip(0, 255).astype(np.uint8))
  blur = rng.uniform(0.3, 2.2)
  image = image.filter(ImageFilter.GaussianBlur(2 * blur))
  if rng.random() < 0.2:
    reach = int(rng.integers(1, 4))
    flat = np.asarray(image, np.float32)
    axis, sign = int(rng.integers(2)), int(rng.choice([-1, 1]))
    moved = [np.roll(np.roll(flat, i, 0), i * sign * axis, 1) for i in range(-reach, reach + 1)]
    image = Image.fromarray(np.mean(moved, 0).astype(np.uint8))
  raster = 2 * int(rng.integers(18, 61))
  if rng.random() < 0.5:
    raster = 2 * int(rng.integers(18, 36))
  image = image.resize((raster, raster), Image.BILINEAR)
  if rng.random() < 0.25:
    image = image.filter(ImageFilter.UnsharpMask(rng.uniform(1, 2.5), int(rng.integers(40, 160)), 0))
  noisy = np.asarray(image, np.float32) + rng.normal(0, rng.uniform(0, 5), (raster, raster))
  image = Image.fromarray(noisy.clip(0, 255).astype(np.uint8))
  if rng.random() < 0.5:
    kept = io.BytesIO()
    image.save(kept, "JPEG", quality=int(rng.integers(25, 93)))
    image = Image.open(kept)
  return np.asarray(image.resize((56, 56), Image.BILINEAR)), digit, contrast, blur


def widest(stack, reach, pick):
  """The greatest (or least) of a square of 2 reach + 1 around each pixel of each picture."""
  for axis in (1, 2):
    pad = [(0, 0)] * 3
    pad[axis] = (reach, reach)
    wide, size = np.pad(stack, pad, "edge"), stack.shape[axis]
    step, have = wide, 1
    while have < 2 * reach + 1:
      more = min(have, 2 * reach + 1 - have)
      cut = step.shape[axis] - more
      step = pick(step.take(range(cut), axis), step.take(range(more, more + cut), axis))
      have += more
    stack = step.take(range(size), axis)
  return stack


def mean(stack, reach):
  for axis in (1, 2):
    pad = [(0, 0)] * 3
    pad[axis] = (reach + 1, reach)
    total = np.pad(stack, pad, "edge").cumsum(axis)
    size, n = stack.shape[axis], 2 * reach + 1
    stack = (total.take(range(n, n + size), axis) - total.take(range(size), axis)) / n
  return stack


def darkness(stack, reach=7):
  """1 - picture / paper; the paper is the closing with a square of half a cell, smoothed."""
  stack = stack.astype(np.float32)
  closed = widest(widest(stack, reach, np.maximum), reach, np.minimum)
  return (1 - stack / np.maximum(mean(closed, reach), 1)).clip(0, 1)


def batch(faces, rng, count):
  """count cells as the net sees them, 28 x 28 in 0...1.5, and their digits, 0 for empty."""
  drawn = [photographed(faces[int(rng.integers(len(faces)))], rng) for _ in range(count)]
  dark = darkness(np.stack([d[0] for d in drawn]))[:, 14:42, 14:42]
  labels = np.array([d[1] for d in drawn])
  contrast, blur = np.array([d[2] for d in drawn]), np.array([d[3] for d in drawn])
  # A cell with a digit tells how dark ink looks; an empty one takes it from a cell as blurred as it is.
  level = np.percentile(dark[:, 5:23, 5:23].reshape(count, -1), 94, axis=1)
  full = np.flatnonzero(labels)
  near = full[np.abs(blur[:, None] - blur[full][None]).argmin(1)]
  ink = np.where(labels > 0, level, level[near] / contrast[near] * contrast)
  ink = np.maximum(ink * rng.uniform(0.75, 1.5, count), 0.03)
  return (dark / ink[:, None, None]).clip(0, 1.5).astype(np.float32), labels
