"""An app's program as people start it: a process on a folder of its own, and what its terminal says."""

import contextlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from album import LAN, WEB, free_port
from journey import PATIENCE, until


class Program:
    """`with Program(path, page) as program:` starts it, ends it and removes its folder."""

    def __init__(self, path, page, host=LAN):
        self._temporary = Path(tempfile.mkdtemp(prefix=f"{path.name.lower()}-"))
        self.path, self.page, self.host = path, page, host
        self.folder = self._temporary / "data"
        self.port, self.process, self.lines = free_port(), None, []
        # Further arguments of the next start.
        self.options = []

    def start(self):
        self.lines = []
        self.process = subprocess.Popen(
            [self.path, "--port", str(self.port), "--data", self.folder, "--host", self.host,
             "--page", WEB / self.page, "--library", WEB / "reunion", *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True).start()
        self.says("Stop with Ctrl-C")
        return self

    def _listen(self, output):
        for line in output:
            self.lines.append(line.rstrip("\n"))

    def says(self, text):
        """Waits until the terminal shows a line with that text, and returns the line."""
        def found():
            return next((line for line in self.lines if text in line), None)
        return until(found, lambda: f"The terminal does not say “{text}”: {self.lines}")

    def line(self, name):
        """What the program prints after a name, such as "Guests", and a colon."""
        return re.search(rf"^{name}: (\S+)$", "\n".join(self.lines), re.M)[1]

    def end(self, how=signal.SIGTERM):
        """Ends the process, and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(PATIENCE)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.end()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self._temporary, ignore_errors=True)
