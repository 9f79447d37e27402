"""Browsers of other kinds than Chromium: Firefox by WebDriver BiDi, WebKit by WebDriver."""

import base64
import contextlib
import glob
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

from websockets.sync.client import connect

from album import free_port
from journey import Failed, until

# The engine of Safari, in the small browser that comes with it.
WEBKIT = next(iter(glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")), "")


class Firefox:
    """Debian's Firefox. *Source*: W3C WebDriver BiDi."""

    name = "Firefox"

    def __init__(self):
        self._profile, port = tempfile.mkdtemp(prefix="firefox-"), free_port()
        self._process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", self._profile,
             "--remote-debugging-port", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=os.environ | {"HOME": self._profile})
        self._numbers = itertools.count(1)

        def connected():
            with contextlib.suppress(OSError):
                return connect(f"ws://127.0.0.1:{port}/session", max_size=None)
        self._socket = until(connected, "Firefox does not start")
        self._ask("session.new", capabilities={})
        self._page = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def _ask(self, method, **parameters):
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=60))
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise Failed(f"Firefox: {answer['message']}")
                return answer["result"]

    def resize(self, width, height):
        self._ask("browsingContext.setViewport", context=self._page,
                  viewport={"width": width, "height": height})

    def open(self, link):
        self._ask("browsingContext.navigate", context=self._page, url=link, wait="complete")

    def evaluate(self, script, *arguments):
        """What a function of JavaScript gives, awaited."""
        text = f"(async () => JSON.stringify(await ({script})(...{json.dumps(arguments)})))()"
        answer = self._ask("script.evaluate", expression=text, awaitPromise=True,
                           target={"context": self._page})
        if answer["type"] == "exception":
            raise Failed(f"Firefox: {answer['exceptionDetails']['text']}")
        return json.loads(answer["result"].get("value") or "null")

    def choose(self, selector, files):
        answer = self._ask("browsingContext.locateNodes", context=self._page,
                           locator={"type": "css", "value": selector})
        self._ask("input.setFiles", context=self._page,
                  element={"sharedId": answer["nodes"][0]["sharedId"]},
                  files=[str(file) for file in files])

    def type(self, selector, text):
        """Types into a field, and Enter after it."""
        self.evaluate("(selector) => document.querySelector(selector).focus()", selector)
        keys = [{"type": kind, "value": key} for key in [*text, "\uE007"]
                for kind in ("keyDown", "keyUp")]
        self._ask("input.performActions", context=self._page,
                  actions=[{"type": "key", "id": "keys", "actions": keys}])

    def screenshot(self, path):
        answer = self._ask("browsingContext.captureScreenshot", context=self._page)
        path.write_bytes(base64.b64decode(answer["data"]))

    def close(self):
        self._socket.close()
        self._process.terminate()
        self._process.wait(20)
        shutil.rmtree(self._profile, ignore_errors=True)


class WebKit:
    """WebKitGTK's MiniBrowser. *Source*: W3C WebDriver."""

    name = "WebKit"

    def __init__(self):
        self._home, port = tempfile.mkdtemp(prefix="webkit-"), free_port()
        display = f":{port}"
        self._screen = subprocess.Popen(
            ["Xvfb", display, "-screen", "0", "1280x1000x24", "-nolisten", "tcp"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._process = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=os.environ | {"HOME": self._home, "DISPLAY": display,
                              "LANG": "en_US.UTF-8"})
        self._base = f"http://127.0.0.1:{port}"

        def is_up():
            with contextlib.suppress(OSError):
                return self._ask("GET", "/status")
        until(is_up, "WebKitWebDriver does not start")
        answer = self._ask("POST", "/session", capabilities={"alwaysMatch": {
            "browserName": "MiniBrowser",
            "webkitgtk:browserOptions": {"binary": WEBKIT, "args": ["--automation"]}}})
        self._base += f"/session/{answer['sessionId']}"
        self._ask("POST", "/timeouts", script=60_000)

    def _ask(self, method, path, **parameters):
        request = urllib.request.Request(
            self._base + path, method=method,
            data=json.dumps(parameters).encode() if method == "POST" else None,
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failed(f"WebKit: {json.load(error)['value'].get('message')}") from None

    def resize(self, width, height):
        self._ask("POST", "/window/rect", width=width, height=height)

    def open(self, link):
        self._ask("POST", "/url", url=link)

    def evaluate(self, script, *arguments):
        """What a function of JavaScript gives, awaited."""
        text = f"""const done = arguments[arguments.length - 1];
            Promise.resolve().then(() => ({script})(...{json.dumps(arguments)}))
              .then((value) => done([true, JSON.stringify(value ?? null)]),
                    (error) => done([false, String(error)]));"""
        good, value = self._ask("POST", "/execute/async", script=text, args=[])
        if not good:
            raise Failed(f"WebKit: {value}")
        return json.loads(value)

    def choose(self, selector, files):
        self.type(selector, "\n".join(str(file) for file in files), end="")

    def type(self, selector, text, end="\uE007"):
        """Types into a field, and Enter after it."""
        element = self._ask("POST", "/element", using="css selector", value=selector)
        self._ask("POST", f"/element/{next(iter(element.values()))}/value", text=text + end)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def close(self):
        with contextlib.suppress(OSError, Failed):
            self._ask("DELETE", "")
        for process in (self._process, self._screen):
            process.terminate()
            process.wait(20)
        shutil.rmtree(self._home, ignore_errors=True)
