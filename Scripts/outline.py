#!/usr/bin/env python3
"""Packs outlines of land for the map: outline.py LAND.geojson > Apps/Quakes/Page/land.js

Takes a GeoJSON of polygons in degrees, as of Natural Earth (naturalearthdata.com, public domain), and
writes a module with one string. Points are rounded to a tenth of a degree; each is its difference
from the one before, in digits of base 32 (Apps/Quakes/README.md).
"""

import json
import sys

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
PER_DEGREE = 10


def number(value):
    """Zigzag, then five bits a digit, the lowest first; 32 is added to all but the last."""
    value = value * 2 if value >= 0 else -value * 2 - 1
    text = ""
    while value > 31:
        text += DIGITS[value % 32 + 32]
        value //= 32
    return text + DIGITS[value]


def rings(collection):
    """The rings of all polygons, rounded, without points that fall together."""
    for feature in collection["features"]:
        geometry = feature["geometry"]
        polygons = geometry["coordinates"]
        for polygon in [polygons] if geometry["type"] == "Polygon" else polygons:
            for ring in polygon:
                points = []
                for east, north in ring[:-1]:
                    point = (round(east * PER_DEGREE), round(north * PER_DEGREE))
                    if not points or point != points[-1]:
                        points.append(point)
                if len(points) > 2:
                    yield points


def packed(collection):
    text, at = "", (0, 0)
    for ring in rings(collection):
        text += number(len(ring))
        for point in ring:
            text += number(point[0] - at[0]) + number(point[1] - at[1])
            at = point
    return text


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        text = packed(json.load(file))
    print("// Land and borders, made by Scripts/outline.py from Natural Earth (public domain).")
    print(f"export const outlines = '{text}';")
