"""A feed of earthquakes in the form of USGS's Atom, from a seed: a file, or a small HTTP server.

    python3 Tests/Journeys/quake_feed.py 200 > feed.atom     a feed of 200 quakes of the past day
"""

import hashlib
import http.server
import os
import random
import sys
import threading
from datetime import datetime, timedelta, timezone
from pathlib import Path
from xml.sax.saxutils import escape

ATOM = "http://www.w3.org/2005/Atom"
GEORSS = "http://www.georss.org/georss"
# Where the ground shakes: name, latitude, longitude, spread in degrees, depths in km, network.
REGIONS = [
    ("Tyonek, Alaska", 61.1, -150.9, 4, (2, 140), "ak"), ("Volcano, Hawaii", 19.4, -155.3, 0.5, (0, 35), "hv"),
    ("The Geysers, CA", 38.8, -122.8, 0.3, (0, 5), "nc"), ("Ridgecrest, CA", 35.7, -117.6, 0.7, (1, 12), "ci"),
    ("Pecos, Texas", 31.4, -103.5, 0.8, (3, 9), "tx"), ("Hihifo, Tonga", -16.5, -174.1, 4, (10, 260), "us"),
    ("Ndoi Island, Fiji", -20.6, -178.3, 3, (350, 640), "us"), ("Calama, Chile", -22.9, -68.6, 3, (40, 200), "us"),
    ("Hualien City, Taiwan", 24.0, 121.9, 2, (5, 60), "us"), ("Ishigaki, Japan", 24.6, 124.4, 3, (10, 90), "us"),
    ("Kuril’sk, Russia", 45.1, 148.5, 4, (20, 160), "us"), ("Bitung, Indonesia", 1.3, 126.0, 3, (10, 120), "us"),
    ("Jurm, Afghanistan", 36.5, 70.9, 1, (80, 240), "us"),
    ("Kahramanmaraş, Turkey", 37.9, 36.9, 2, (5, 15), "us"),
    ("Reykjanes Ridge", 58.0, -32.0, 4, (10, 10), "us"),
    ("Punta Cana, Dominican Republic", 19.2, -67.9, 1, (5, 120), "pr"),
    ("Port-Olry, Vanuatu", -15.2, 167.5, 3, (10, 220), "us"),
    ("Kermadec Islands, New Zealand", -30.2, -177.6, 3, (10, 420), "us"),
]
COMPASS = "N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW".split()


def quake(code, place, latitude, longitude, depth=10.0, magnitude=4.0, minutes_ago=30.0, network="us",
          kind="", updated_minutes_ago=None, now=None):
    """One quake; `depth` and `magnitude` may be None."""
    now = now or datetime.now(timezone.utc)
    at = now - timedelta(minutes=minutes_ago)
    updated = at + timedelta(minutes=8) if updated_minutes_ago is None else now - timedelta(
        minutes=updated_minutes_ago)
    return {"id": f"urn:earthquake-usgs-gov:{network}:{code}", "network": network, "code": code,
            "place": place, "latitude": latitude, "longitude": longitude, "depth": depth,
            "magnitude": magnitude, "kind": kind, "at": at.replace(microsecond=0),
            "updated": min(updated, now)}


def generated(count, seed=1, hours=24, now=None):
    """So many quakes of the past hours, the newest first: most are weak, few are strong."""
    chance = random.Random(seed)
    found = []
    for number in range(count):
        place, latitude, longitude, spread, depths, network = chance.choice(REGIONS)
        away, where = chance.randint(2, 140), chance.choice(COMPASS)
        magnitude = round(min(chance.expovariate(1 / 0.55) + (3.9 if network == "us" else 0.2), 7.6), 1)
        found.append(quake(
            f"{hashlib.sha256(f'{seed} {number}'.encode()).hexdigest()[:8]}",
            f"{away} km {where} of {place}", round(chance.gauss(latitude, spread / 2), 4),
            round((chance.gauss(longitude, spread / 2) + 180) % 360 - 180, 4),
            round(chance.uniform(*depths), 2), magnitude, chance.uniform(2, hours * 60), network,
            kind="Quarry Blast" if network == "tx" and chance.random() < 0.1 else "", now=now))
    return sorted(found, key=lambda each: each["at"], reverse=True)


def _summary(each):
    north = f"{abs(each['latitude']):.3f}&deg;{'N' if each['latitude'] >= 0 else 'S'}"
    east = f"{abs(each['longitude']):.3f}&deg;{'E' if each['longitude'] >= 0 else 'W'}"
    depth = "" if each["depth"] is None else (
        f"<dt>Depth</dt><dd>{each['depth']:.2f} km ({each['depth'] / 1.609344:.2f} mi)</dd>")
    return (f"<![CDATA[<p class=\"quicksummary\"></p><dl><dt>Time</dt>"
            f"<dd>{each['at']:%Y-%m-%d %H:%M:%S} UTC</dd>"
            f"<dd>{each['at']:%Y-%m-%d %H:%M:%S} +00:00 at epicenter</dd>"
            f"<dt>Location</dt><dd>{north} {east}</dd>{depth}</dl>]]>")


def _entry(each, now):
    magnitude = "?" if each["magnitude"] is None else f"{each['magnitude']:.1f}"
    kind = f"{each['kind']} " if each["kind"] else ""
    age = "Past Hour" if now - each["at"] < timedelta(hours=1) else "Past Day"
    elevation = "" if each["depth"] is None else (
        f"<georss:elev>{-1000 * each['depth']:.10g}</georss:elev>")
    page = f"https://earthquake.usgs.gov/earthquakes/eventpage/{each['network']}{each['code']}"
    return (
        f"<entry><id>{each['id']}</id><title>M {magnitude} {kind}- {escape(each['place'])}</title>"
        f"<updated>{each['updated']:%Y-%m-%dT%H:%M:%S}.{each['updated'].microsecond // 1000:03d}Z</updated>"
        f"<link rel=\"alternate\" type=\"text/html\" href=\"{page}\"/>"
        f"<summary type=\"html\">{_summary(each)}</summary>"
        f"<georss:point>{each['latitude']} {each['longitude']}</georss:point>{elevation}"
        f"<category label=\"Age\" term=\"{age}\"/>"
        f"<category label=\"Magnitude\" term=\"Magnitude {magnitude.split('.')[0]}\"/>"
        f"<category label=\"Contributor\" term=\"{each['network']}\"/>"
        f"<category label=\"Author\" term=\"{each['network']}\"/></entry>")


def atom(quakes, title="USGS All Earthquakes, Past Day", now=None):
    """The feed's bytes."""
    now = now or datetime.now(timezone.utc)
    address = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.atom"
    return (
        f"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"{ATOM}\" xmlns:georss=\"{GEORSS}\">"
        f"<title>{title}</title><updated>{now:%Y-%m-%dT%H:%M:%SZ}</updated><author><name>U.S. Geological "
        f"Survey</name><uri>https://earthquake.usgs.gov/</uri></author><id>{address}</id>"
        f"<link rel=\"self\" href=\"{address}\"/><icon>https://earthquake.usgs.gov/favicon.ico</icon>\n"
        + "\n".join(_entry(each, now) for each in quakes) + "\n</feed>\n").encode()


def put(file, data):
    """Replaces a file as a whole."""
    Path(f"{file}.new").write_bytes(data)
    os.replace(f"{file}.new", file)


class FeedServer:
    """The feed over HTTP with ETags; `data` and `status` may change, `asked` has each request.

    `retry_after` is what a refusal asks for in seconds; with `cut`, answers break off in the middle.
    """

    def __init__(self, data):
        self.data, self.status, self.asked = data, 200, []
        self.retry_after, self.cut = None, False
        feed = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                # Once: it may change while this is answered.
                data = feed.data
                tag = f"\"{hashlib.sha256(data).hexdigest()[:16]}\""
                status = feed.status
                if status == 200 and self.headers["If-None-Match"] == tag:
                    status = 304
                feed.asked.append(status)
                body = data if status == 200 else b""
                self.send_response(status)
                self.send_header("ETag", tag)
                if status >= 400 and feed.retry_after:
                    self.send_header("Retry-After", str(feed.retry_after))
                if status != 304:
                    self.send_header("Content-Type", "application/atom+xml")
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:len(body) // 2] if feed.cut else body)
                if feed.cut:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}/all_day.atom"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


if __name__ == "__main__":
    sys.stdout.buffer.write(atom(generated(int(sys.argv[1]) if len(sys.argv) > 1 else 200)))
