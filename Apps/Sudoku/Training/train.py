#!/usr/bin/env python3
"""Trains the net that reads cells, and writes its weights: train.py FONTS OUT.swift [CELLS] [PASSES] [SEED]

FONTS is a folder that the free faces are unpacked into. The same seed makes the same net on the same machine.
"""
import base64
import pathlib
import sys
import time

import numpy as np

import cells
import faces

BATCH = 128
RATE = 2.5e-3
SMOOTH = 0.02
DROP = 0.1


def initial(rng):
  shapes = [(9, 12), (12,), (108, 16), (16,), (400, 32), (32,), (32, 10), (10,)]
  return [
    (rng.normal(0, (2 / s[0]) ** 0.5, s) if len(s) == 2 else np.zeros(s)).astype(np.float32) for s in shapes
  ]


def patches(x):
  """The 3 x 3 surroundings of each pixel, without the border: [count, high, wide, 9 * channels]."""
  high, wide = x.shape[1] - 2, x.shape[2] - 2
  return np.concatenate([x[:, i:i + high, j:j + wide] for i in range(3) for j in range(3)], axis=3)


def pooled(x):
  high, wide = x.shape[1] // 2 * 2, x.shape[2] // 2 * 2
  parts = x[:, :high, :wide].reshape(len(x), high // 2, 2, wide // 2, 2, -1)
  return parts.max((2, 4)), parts


def unpooled(gradient, parts, most, shape):
  out = np.zeros(shape, np.float32)
  full = (parts == most[:, :, None, :, None]) * gradient[:, :, None, :, None]
  out[:, :parts.shape[1] * 2, :parts.shape[3] * 2] = full.reshape(
    len(parts), parts.shape[1] * 2, parts.shape[3] * 2, -1)
  return out


def forward(w, x, drop=None):
  first = patches(x[..., None])
  a = np.maximum(first @ w[0] + w[1], 0)
  am, ap = pooled(a)
  second = patches(am)
  b = np.maximum(second @ w[2] + w[3], 0)
  bm, bp = pooled(b)
  flat = bm.reshape(len(x), -1)
  hidden = np.maximum(flat @ w[4] + w[5], 0)
  if drop is not None:
    hidden = hidden * drop
  score = hidden @ w[6] + w[7]
  score = score - score.max(1, keepdims=True)
  share = np.exp(score)
  share /= share.sum(1, keepdims=True)
  return share, (first, a, am, ap, second, b, bm, bp, flat, hidden)


def gradients(w, x, label, drop):
  share, (first, a, am, ap, second, b, bm, bp, flat, hidden) = forward(w, x, drop)
  target = np.full_like(share, SMOOTH / 10)
  target[np.arange(len(x)), label] += 1 - SMOOTH
  d = (share - target) / len(x)
  g = [None] * 8
  g[6], g[7] = hidden.T @ d, d.sum(0)
  d = (d @ w[6].T) * drop * (hidden > 0)
  g[4], g[5] = flat.T @ d, d.sum(0)
  d = unpooled((d @ w[4].T).reshape(bm.shape), bp, bm, b.shape) * (b > 0)
  d = d.reshape(-1, 16)
  g[2], g[3] = second.reshape(-1, 108).T @ d, d.sum(0)
  d = (d @ w[2].T).reshape(second.shape)
  back = np.zeros_like(am)
  for i in range(3):
    for j in range(3):
      k = (3 * i + j) * 12
      back[:, i:i + d.shape[1], j:j + d.shape[2]] += d[..., k:k + 12]
  d = (unpooled(back, ap, am, a.shape) * (a > 0)).reshape(-1, 12)
  g[0], g[1] = first.reshape(-1, 9).T @ d, d.sum(0)
  return g


def trained(x, y, passes, rng):
  w = initial(rng)
  m, v = [np.zeros_like(p) for p in w], [np.zeros_like(p) for p in w]
  steps, step = passes * (len(x) // BATCH), 0
  for number in range(passes):
    order = rng.permutation(len(x))
    for start in range(0, len(x) - BATCH + 1, BATCH):
      pick = order[start:start + BATCH]
      drop = ((rng.random((BATCH, 32)) > DROP) / (1 - DROP)).astype(np.float32)
      step += 1
      rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
      for p, g, first, second in zip(w, gradients(w, x[pick], y[pick], drop), m, v):
        first += 0.1 * (g - first)
        second += 0.001 * (g * g - second)
        p -= rate * (first / (1 - 0.9 ** step)) / (np.sqrt(second / (1 - 0.999 ** step)) + 1e-8)
    print(f"pass {number + 1}: {100 * right(w, x[:4000], y[:4000]):.2f} % of 4,000 trained cells", flush=True)
  return w


def right(w, x, y):
  return np.mean([forward(w, x[i:i + 500])[0].argmax(1) == y[i:i + 500] for i in range(0, len(x), 500)])


def written(w, out):
  """The weights as Float16, little-endian, in base64, as Swift."""
  text = base64.b64encode(b"".join(p.astype("<f2").tobytes() for p in w)).decode()
  rows = "\\\n".join("    " + text[i:i + 92] for i in range(0, len(text), 92))
  out.write_text(
    "// Made by Apps/Sudoku/Training/train.py: not to be edited by hand.\n\n"
    "extension Net {\n"
    "  /// The weights as Float16, little-endian, in base64, layer by layer.\n"
    f'  static let weights: StaticString = """\n{rows}\n    """\n}}\n')


def main():
  fonts, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
  count, passes, seed = (int(v) for v in (sys.argv[3:] + ["120000", "6", "1"][len(sys.argv) - 3:]))
  rng = np.random.default_rng(seed)
  known = faces.faces(faces.TRAINED, fonts)
  print(f"{len(known)} faces", flush=True)
  parts = [cells.batch(known, rng, 1000) for _ in range(-(-count // 1000))]
  x, y = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
  print(f"{len(x)} cells after {time.process_time():.0f} s of CPU", flush=True)
  w = trained(x, y, passes, rng)
  strange = cells.batch(faces.faces(faces.HELD, fonts), rng, 5000)
  print(f"{100 * right(w, *strange):.2f} % of 5,000 cells in faces that it never saw")
  written(w, out)
  print(f"{sum(p.size for p in w)} weights after {time.process_time():.0f} s of CPU")


main()
