"""Browsers of three kinds with one face: Firefox by WebDriver BiDi, WebKit by WebDriver, Chromium by Playwright.

Each may be of somebody who reads another language, such as "ar-EG", from right to left.
"""

import atexit
import base64
import contextlib
import functools
import glob
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright
from websockets.sync.client import connect

from album import free_port
from journey import PATIENCE, Failed, until

# The engine of Safari, in the small browser that comes with it.
WEBKIT = next(iter(glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")), "")


class Firefox:
    """Debian's Firefox. *Source*: W3C WebDriver BiDi."""

    name = "Firefox"

    def __init__(self, language="en-US"):
        self._profile, port = tempfile.mkdtemp(prefix="firefox-"), free_port()
        Path(self._profile, "user.js").write_text(f'user_pref("intl.accept_languages", "{language}");\n')
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
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
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

    def __init__(self, language="en-US"):
        self._home, port = tempfile.mkdtemp(prefix="webkit-"), free_port()
        # It goes by the system's locale, which few machines have made.
        kind = language.replace("-", "_")
        locale = f"{kind}.UTF-8"
        subprocess.run(["localedef", "-i", kind, "-f", "UTF-8", f"{self._home}/{locale}"], check=True)
        display = f":{port}"
        self._screen = subprocess.Popen(
            ["Xvfb", display, "-screen", "0", "1280x1000x24", "-nolisten", "tcp"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._process = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=os.environ | {"HOME": self._home, "DISPLAY": display,
                              "LANG": locale, "LOCPATH": self._home})
        self._base = f"http://127.0.0.1:{port}"

        def is_up():
            with contextlib.suppress(OSError):
                return self._ask("GET", "/status")
        until(is_up, "WebKitWebDriver does not start")
        answer = self._ask("POST", "/session", capabilities={"alwaysMatch": {
            "browserName": "MiniBrowser",
            "webkitgtk:browserOptions": {"binary": WEBKIT, "args": ["--automation"]}}})
        self._base += f"/session/{answer['sessionId']}"
        self._ask("POST", "/timeouts", script=1000 * PATIENCE)

    def _ask(self, method, path, **parameters):
        request = urllib.request.Request(
            self._base + path, method=method,
            data=json.dumps(parameters).encode() if method == "POST" else None,
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=2 * PATIENCE) as answer:
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


@functools.cache
def _playwright():
    """One for all: a thread has no second."""
    playwright = sync_playwright().start()
    atexit.register(playwright.stop)
    return playwright


class Chromium:
    """The whole of Debian's Chromium; the other journeys have its shell alone."""

    name = "Chromium"

    def __init__(self, language="en-US"):
        self._browser = _playwright().chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        self._page = self._browser.new_context(locale=language).new_page()

    def resize(self, width, height):
        self._page.set_viewport_size({"width": width, "height": height})

    def open(self, link):
        self._page.goto(link)

    def evaluate(self, script, *arguments):
        """What a function of JavaScript gives, awaited."""
        return self._page.evaluate(f"(all) => ({script})(...all)", list(arguments))

    def type(self, selector, text):
        """Types into a field, and Enter after it."""
        self._page.locator(selector).press_sequentially(text)
        self._page.keyboard.press("Enter")

    def screenshot(self, path):
        self._page.screenshot(path=path)

    def close(self):
        self._browser.close()
