"""The album behind a proxy with TLS: Debian's Caddy and nginx, as docs/hosting.md has them."""

import contextlib
import hashlib
import http.client
import json
import os
import re
import ssl
import subprocess
import tempfile
from pathlib import Path

import photos
from album import CLONER, LAN, Album, blob_files, free_port, run_to_end
from browser import Stage, chromium
from journey import PATIENCE, Group, Skipped, ensure
from journeys_access import decoded
from journeys_quakes import SAMPLE
from member import secret_of
from proxies import NAMES, Proxy
from quake_feed import atom
from quakes import Quakes, Watcher


def setting(name, without=()):
    @contextlib.contextmanager
    def made():
        with tempfile.TemporaryDirectory(prefix="hosting-") as folder:
            album = Album(port=free_port(), host=None)
            proxy = Proxy(name, folder, album.port, without)
            album.options = ["--public-url", proxy.url]
            try:
                with album, chromium() as browser:
                    stage = Stage(browser, album)
                    stage.proxy = proxy.start()
                    yield stage
            finally:
                proxy.kill()
    return made


def guest(stage, name, link=None, **options):
    """Somebody who takes the certificate of the test for a good one."""
    return stage.guest(name, link or stage.album.guests, ignore_https_errors=True, **options)


def through(stage, method, path, body=None, headers=None, source="127.0.0.1"):
    """One request through the proxy from an address of this machine: status, headers, bytes."""
    trust = ssl.create_default_context(cafile=stage.proxy.certificate)
    connection = http.client.HTTPSConnection(
        "127.0.0.1", stage.proxy.port, timeout=PATIENCE, context=trust, source_address=(source, 0))
    connection.request(method, path, body, {"Host": f"{LAN}:{stage.proxy.port}"} | (headers or {}))
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read()
    connection.close()
    return found


def joins_and_shares(stage):
    album, url = stage.album, stage.proxy.url
    for line in (album.guests, album.owner, album.wall):
        ensure(line.startswith(f"{url}/"), f"The terminal prints {line}")
    ensure("Plain HTTP" not in album.banner, "The terminal warns of plain HTTP")
    ada, bo = guest(stage, "Ada"), guest(stage, "Bo")
    ensure(ada.page.evaluate("isSecureContext"), "It is no secure context")
    cookie = next(each for each in ada.context.cookies() if "reunion" in each["name"])
    ensure(cookie["name"].startswith("__Host-reunion-") and cookie["secure"] and cookie["httpOnly"]
           and cookie["sameSite"] == "Strict" and cookie["path"] == "/" and cookie["domain"] == LAN,
           f"The cookie is {cookie}")
    status, headers, _ = through(stage, "GET", "/")
    ensure(status == 200 and headers["Strict-Transport-Security"] == "max-age=31536000",
           f"{status} {headers}")
    # More than a proxy takes by itself.
    large = photos.kept("two-megabytes.jpg", lambda: photos.half_megabyte().read_bytes()
                        + bytes(2_000_000))
    ada.add(large)
    bo.sees(1)
    ada.is_settled()
    ada.caption(ada.photos[0]["id"], "Behind the proxy")
    bo.wait(lambda: bo.photos[0]["caption"] == "Behind the proxy", "The caption does not come")
    ensure(hashlib.sha256(large.read_bytes()).hexdigest() in blob_files(album.folder),
           "The original is another")
    ada.page.get_by_role("button", name="Invite people").click()
    sheet = ada.page.locator("dialog.sheet")
    code = decoded(sheet.get_by_role("img", name="QR code of the link for guests"))
    ensure(code == album.guests, f"The code says {code}")
    wall = stage.guest("the wall", album.wall, album=False, ignore_https_errors=True)
    ensure(decoded(wall.page.get_by_role("img", name="QR code of the link for guests"))
           == album.guests, "The wall's code says something else")
    stage.leave()


def arrived(stage):
    """How much of an upload the server has on disk, while it is under way."""
    sizes = [0]
    for file in (stage.album.folder / "uploads").glob("*.part"):
        # It may be whole, and elsewhere, by now.
        with contextlib.suppress(FileNotFoundError):
            sizes.append(file.stat().st_size)
    return max(sizes)


def resumes(stage):
    ada, bo = guest(stage, "Ada"), guest(stage, "Bo")
    before = len(bo.photos)
    offsets = []
    ada.page.on("request", lambda request: request.method == "PATCH" and offsets.append(
        int(request.headers["upload-offset"])))
    ada.slow_down(up_per_second=50_000)
    data = photos.kept("three-megabytes.jpg", lambda: photos.half_megabyte().read_bytes()
                       + bytes(range(256)) * 12_000)
    ada.add(data)

    ada.wait(lambda: arrived(stage) > 200_000, "The proxy keeps the body until it is whole")
    stage.proxy.kill()
    ada.until("(store) => store.standing.phase === 'offline'", "Nobody notices that the proxy is gone")
    kept = arrived(stage)
    ensure(0 < kept < data.stat().st_size, f"{kept} bytes are at the server")
    ada.store("(store) => store.setGuestName('Ada')")
    ada.slow_down()
    stage.proxy.start()
    for person in (ada, bo):
        person.hears_of_the_network()
    ada.is_settled()
    ensure(max(offsets) >= kept, f"It is sent from {offsets}, and {kept} bytes were there")
    bo.sees(before + 1)
    bo.wait(lambda: bo.store("(store) => store.author(store.photos[0])") == "Ada",
            "What was written meanwhile does not come")
    ensure(hashlib.sha256(data.read_bytes()).hexdigest() in blob_files(stage.album.folder),
           "The original is another")
    stage.leave()


def clones(stage):
    """A full replica by the owner's link, over wss."""
    ada = guest(stage, "Ada")
    ada.add(photos.unique_file(2900))
    ada.is_settled()
    count = len(ada.photos)
    link = stage.album.owner.replace(f"//{LAN}:", "//localhost:")
    folder = stage.proxy.folder / "clone"
    if os.getuid() or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        raise Skipped("only an administrator can have a program trust the test's certificate")
    # The machine's own list of authorities, for this one program.
    own = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@"'
    done = subprocess.run(["unshare", "-m", "sh", "-c", own, stage.proxy.certificate, CLONER, "clone",
                           link, folder, "--once"], capture_output=True, text=True, timeout=PATIENCE,
                          env=dict(os.environ) | {"SSL_CERT_FILE": str(stage.proxy.certificate)})
    ensure(done.returncode == 0, f"{done.returncode} {done.stderr}")
    ensure(len(blob_files(folder)) >= count, "The clone lacks photos")
    stage.leave()


def counted(stage):
    """Whoever comes by the proxy is known by their own network, and by no other that they name."""
    body = json.dumps({"invite": "nonsense"})
    for source in ("127.0.0.2", "127.0.0.3"):
        status, _, _ = through(stage, "POST", "/join", body, {"X-Forwarded-For": "9.9.9.9"}, source)
        ensure(status == 401, f"{status}")
    # Beside the proxy nobody is believed who is not on this machine; here everybody is.
    log = (stage.album.folder / "security.log").read_text()
    for source in ("127.0.0.2", "127.0.0.3"):
        ensure(f"network={source}" in log, f"{source} is not in the log: {log[-400:]}")
    ensure("9.9.9.9" not in log, "A client says who it is")


def refuses(stage):
    """What another site's page and another name get."""
    port = stage.proxy.port
    body = json.dumps({"invite": secret_of(stage.album.guests)})
    for headers, status in (({"Origin": stage.proxy.url}, 200), ({"Origin": f"http://{LAN}:{port}"}, 403),
                            ({"Origin": "https://evil.example"}, 403)):
        found, _, said = through(stage, "POST", "/join", body, headers)
        ensure(found == status, f"{headers}: {found} {said}")


def moves(stage):
    """A guest who had joined by plain HTTP is somebody new over TLS, and brings what waited."""
    secret, plain = secret_of(stage.album.guests), f"http://{LAN}:{stage.album.port}/"
    ada = guest(stage, "Ada", f"{plain}#join={secret}")
    cookie, = ada.context.cookies()
    ensure(cookie["name"].startswith("reunion-") and not cookie["secure"], f"{cookie}")
    # The same browser without the link: its cookie of plain HTTP comes along, and opens nothing.
    page = ada.context.new_page()
    page.goto(f"{stage.proxy.url}/")
    page.get_by_role("heading", name="Ask for the code").wait_for()
    page.close()
    ada.page.route(re.compile(r"(?<!/reunion)/uploads(\?|/|$)"), lambda route: route.abort())
    ada.add(photos.unique_file(2920))
    ada.has_entered(1)
    ada.page.get_by_role("button", name="Menu").click()
    ada.page.get_by_role("button", name="This album has moved").click()
    ada.page.get_by_role("textbox", name="New link").fill(stage.album.guests)
    with ada.context.expect_page() as opened:
        ada.page.get_by_role("button", name="Open").click()
    opened.value.get_by_role("button", name="Take over").click()
    said = ada.page.locator("dialog[open]")
    ada.wait(lambda: "Everything that waited here is in the new album." in said.inner_text(),
             lambda: f"The page says “{said.inner_text()}”")
    data = photos.unique_file(2920).read_bytes()
    ada.wait(lambda: hashlib.sha256(data).hexdigest() in blob_files(stage.album.folder),
             "The photo was not sent on")
    ensure({each["name"][:8] for each in ada.context.cookies()} == {"reunion-", "__Host-r"},
           f"The cookies are {ada.context.cookies()}")
    stage.leave()


def make(name):
    group = Group(setting(name))
    for sentence, act in (
            ("people join, upload and sync, and all links say the public address", joins_and_shares),
            ("an upload goes on where the kill of the proxy stopped it, and so does the page", resumes),
            ("the owner's link makes a clone", clones),
            ("who had joined by plain HTTP joins anew, and brings what waited", moves),
            ("limits and the log are by the client's network", counted),
            ("only the album's own page may act", refuses)):
        group.journey(f"behind {name} with TLS {sentence}")(act)
    return group


groups = [make(name) for name in NAMES]


@contextlib.contextmanager
def nothing():
    yield None


starts = Group(nothing)


@starts.journey("the map of earthquakes behind a proxy with TLS opens for everybody")
def map_behind(_):
    with tempfile.TemporaryDirectory(prefix="hosting-") as folder, chromium() as browser:
        feed = Path(folder) / "feed.atom"
        feed.write_bytes(atom(SAMPLE))
        quakes = Quakes(feed)
        proxy = Proxy("caddy", folder, quakes.port)
        quakes.options = ["--public-url", proxy.url]
        try:
            with quakes:
                proxy.start()
                ensure(quakes.says("For everybody") == f"For everybody: {proxy.url}/", "It says another")
                ada = Watcher(browser, "Ada", ignore_https_errors=True).open(f"{proxy.url}/")
                cookie, = ada.context.cookies()
                ensure(cookie["name"].startswith("__Host-") and cookie["secure"], f"{cookie}")
                ada.check()
        finally:
            proxy.kill()


@starts.journey("a proxy that leaves out what the guide says is found out (negative control)")
def controls(_):
    with setting("nginx", ["proxy_set_header Host $http_host;"])() as stage:
        body = json.dumps({"invite": secret_of(stage.album.guests)})
        status, _, said = through(stage, "POST", "/join", body, {"Origin": stage.proxy.url})
        ensure(status == 403 and b"changed the Host header" in said, f"{status} {said}")
    with setting("nginx", ["proxy_request_buffering off;",
                           "proxy_set_header X-Forwarded-For $remote_addr;"])() as stage:
        ada = guest(stage, "Ada")
        through(stage, "POST", "/join", json.dumps({"invite": "nonsense"}), source="127.0.0.2")
        ensure("network=127.0.0.2" not in (stage.album.folder / "security.log").read_text(),
               "The client is known without the header")
        ada.slow_down(up_per_second=60_000)
        ada.add(photos.kept("two-megabytes.jpg", lambda: photos.half_megabyte().read_bytes()
                            + bytes(2_000_000)))
        ada.until("(store) => store.photos.some((photo) => store.progress(photo) > 0.1)",
                  "The upload does not begin")
        ensure(not arrived(stage), "The body comes while it is sent")


@starts.journey("a public address that is none is refused with the way out")
def bad_address(_):
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        for text, words in (("album.example", "such as https://notes.example"),
                            ("http://album.example/photos", "such as http://album.example."),
                            ("https://", "such as https://notes.example"),
                            ("https://album.example/?a", "only a scheme and a host")):
            code, said = run_to_end("--port", "0", "--data", data, "--public-url", text)
            ensure(code == 2 and words in said, f"{text}: {code} {said}")
        ensure(not data.exists(), "Something was written")
