"""The faces of Debian's free font packages, unpacked without installing them, and their digits as masks."""
import hashlib
import pathlib
import subprocess

import numpy as np
from PIL import Image, ImageDraw, ImageFont

# What the net is trained on.
TRAINED = """fonts-urw-base35 fonts-texgyre fonts-liberation fonts-dejavu-core fonts-dejavu-extra fonts-roboto-unhinted
fonts-roboto-slab fonts-open-sans fonts-crosextra-carlito fonts-crosextra-caladea fonts-freefont-otf fonts-lmodern
fonts-linuxlibertine fonts-ebgaramond fonts-comfortaa fonts-quicksand fonts-inter fonts-oldstandard fonts-vollkorn
fonts-play fonts-junicode fonts-noto-core fonts-hack fonts-firacode fonts-mononoki fonts-league-spartan
fonts-adf-accanthis fonts-adf-baskervald fonts-adf-berenis fonts-adf-gillius fonts-adf-ikarius fonts-adf-irianis
fonts-adf-libris fonts-adf-mekanus fonts-adf-oldania fonts-adf-romande fonts-adf-solothurn fonts-adf-switzera
fonts-adf-tribun fonts-adf-universalis fonts-adf-verana fonts-gfs-artemisia fonts-gfs-didot fonts-gfs-neohellenic
fonts-sil-andika fonts-sil-doulos fonts-sil-gentiumplus""".split()
# What it never saw: the photographs of the tests are printed in these.
HELD = "fonts-lato fonts-cantarell fonts-stix fonts-sil-charis fonts-sil-gentium-basic fonts-bebas-neue".split()

UNFIT = ("math", "symbol", "dingbat", "d050000l", "z003", "chorus", "emoji", "ornament", "condensedlight", "initials")
HEIGHT = 48


def unpack(packages, folder):
  """The font files of packages, fetched by apt once and unpacked under folder."""
  folder = pathlib.Path(folder).resolve()
  folder.mkdir(parents=True, exist_ok=True)
  for package in packages:
    home = folder / package
    if home.exists():
      continue
    if not list(folder.glob(f"{package}_*.deb")):
      subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package], cwd=folder, check=True)
    archive = next(folder.glob(f"{package}_*.deb"))
    subprocess.run(["dpkg", "-x", archive, home], check=True)
    archive.unlink()
  files = []
  for package in packages:
    files += sorted(f for f in (folder / package).rglob("*") if f.suffix in (".ttf", ".otf") and not f.is_symlink())
  return files


def fit(file):
  name = file.name.lower()
  if any(word in name for word in UNFIT):
    return False
  # Of Noto, only the faces of Latin text: the others bring their own digits or none.
  return not name.startswith("noto") or name.split("-")[0] in ("notosans", "notoserif", "notosansdisplay", "notomono")


def digits(file):
  """Masks of 1 to 9 as arrays of 0...255, the tallest HEIGHT pixels high, or None where the face does not fit."""
  try:
    font = ImageFont.truetype(str(file), 100)
    boxes = [font.getbbox(d) for d in "123456789"]
    tallest = max(b[3] - b[1] for b in boxes)
    if tallest < 30 or min(b[3] - b[1] for b in boxes) < 0.85 * tallest:
      return None
    font = ImageFont.truetype(str(file), round(100 * HEIGHT / tallest))
    masks = []
    for d in "123456789":
      left, top, right, bottom = font.getbbox(d)
      image = Image.new("L", (right - left + 4, bottom - top + 4), 0)
      ImageDraw.Draw(image).text((2 - left, 2 - top), d, font=font, fill=255)
      masks.append(np.asarray(image))
  except (OSError, ValueError):
    return None
  if len({m.tobytes() for m in masks}) < 9 or any((m > 128).mean() < 0.08 for m in masks):
    return None
  return masks


def faces(packages, folder):
  """Each different face of the packages as nine masks; faces that draw the same digits count once."""
  seen, found = set(), []
  for file in unpack(packages, folder):
    masks = digits(file) if fit(file) else None
    if masks is None:
      continue
    small = [np.asarray(Image.fromarray(m).resize((10, 14), Image.BOX)) // 24 for m in masks]
    key = hashlib.sha256(np.stack(small).tobytes()).digest()
    if key not in seen:
      seen.add(key)
      found.append(masks)
  return found
