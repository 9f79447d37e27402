"""The ready-made server as people start it: `reunion serve` on a folder of its own."""

import contextlib
import json
import re
import signal
import subprocess
import time

from album import CLONER, free_port
from journey import PATIENCE


def reunion(*arguments):
    """Runs the command to its end."""
    return subprocess.run([CLONER, *map(str, arguments)], capture_output=True, text=True,
                          timeout=PATIENCE)


class Served:
    """A server process on a folder; it goes on at the same port when it is started again."""

    def __init__(self, folder, program=(CLONER, "serve")):
        self.folder, self.port, self.process = folder, free_port(), None
        self.program = program

    def start(self, *options):
        began = time.monotonic()
        self.process = subprocess.Popen(
            [*self.program, self.folder, "--port", str(self.port), *map(str, options)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.banner = ""
        while "Stop with Ctrl-C." not in self.banner:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"The server did not start: {self.banner}")
            self.banner += line
            if time.monotonic() - began > PATIENCE:
                raise TimeoutError("The server said nothing in time.")
        found = re.search(r"^Owner: (\S+)$", self.banner, re.M)
        self.owner = found and found[1]
        return self

    def invite(self, role, *options):
        """The link of an invitation, as the command makes it beside the server."""
        done = reunion("invite", self.folder, "--role", role, "--json", *options)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)["url"]

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self._ended()

    def kill(self):
        self.process.kill()
        return self._ended()

    def _ended(self):
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.stdout.close()

    @contextlib.contextmanager
    def started(self, *options):
        """`with served.started("--page", FOLDER):` starts it with options, and ends it."""
        with contextlib.closing(self):
            yield self.start(*options)

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()
