"""The real proxies, with the lines that docs/hosting.md has, and a certificate made for the test."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

from album import LAN, ROOT, free_port
from journey import PATIENCE, ensure, until

GUIDE = ROOT / "docs/hosting.md"
NAMES = ("caddy", "nginx")


def lines(name):
    """What the guide has of a proxy."""
    return re.search(rf"```{name}\n(.*?)```", GUIDE.read_text(), re.S)[1]


def replaced(text, *pairs):
    """The text with one thing for another; each must be there."""
    for old, new in pairs:
        ensure(old in text, f"docs/hosting.md has no “{old}” any more")
        text = text.replace(old, new)
    return text


class Proxy:
    """A proxy in front of a port, as `https://reunion.lan:PORT`."""

    def __init__(self, name, folder, behind, without=()):
        self.name, self.folder, self.behind = name, Path(folder), behind
        # Lines of the guide that this one lacks.
        self.without = without
        self.port, self.process = free_port(), None
        self.url = f"https://{LAN}:{self.port}"
        self.certificate, self.key = self.folder / "test.pem", self.folder / "test.key"
        if not self.certificate.exists():
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                 "-nodes", "-days", "2", "-subj", f"/CN={LAN}", "-addext",
                 f"subjectAltName=DNS:{LAN},DNS:localhost,IP:127.0.0.1", "-keyout", self.key, "-out", self.certificate],
                check=True, capture_output=True)

    def _caddy(self):
        text = replaced(lines("caddy"), (
            "album.example {", f"{self.url}, https://localhost:{self.port} {{\n\ttls {self.certificate} {self.key}"),
            ("127.0.0.1:8080", f"127.0.0.1:{self.behind}"))
        file = self.folder / "Caddyfile"
        file.write_text("{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system "
                        f"{self.folder}\n}}\n{text}")
        return ["caddy", "run", "--config", file, "--adapter", "caddyfile"]

    def _nginx(self):
        live = "/etc/letsencrypt/live/album.example"
        text = replaced(lines("nginx"), ("listen 443 ssl", f"listen {self.port} ssl"),
                        (f"{live}/fullchain.pem", str(self.certificate)),
                        (f"{live}/privkey.pem", str(self.key)),
                        ("server_name album.example", f"server_name {LAN}"),
                        ("127.0.0.1:8080", f"127.0.0.1:{self.behind}"),
                        *((line, "") for line in self.without))
        temporary = "".join(f"{each}_temp_path {self.folder}/{each};\n" for each in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        file = self.folder / "nginx.conf"
        user = "user root;\n" if os.getuid() == 0 else ""
        file.write_text(f"{user}daemon off;\nmaster_process on;\nworker_processes 1;\n"
                        f"pid {self.folder}/nginx.pid;\nerror_log {self.folder}/nginx.log;\nevents {{}}\n"
                        f"http {{\naccess_log off;\n{temporary}{text}\n}}\n")
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        return [program, "-c", file, "-p", self.folder, "-e", self.folder / "nginx.log"]

    def start(self):
        with (self.folder / "proxy.log").open("a") as log:
            self.process = subprocess.Popen(
                self._caddy() if self.name == "caddy" else self._nginx(), stdout=log, stderr=log,
                start_new_session=True, env=dict(os.environ) | {"HOME": str(self.folder)})

        def said():
            return (self.folder / "proxy.log").read_text()[-600:]

        def listens():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return True
            ensure(self.process.poll() is None, f"{self.name} does not start: {said()}")
            return False
        until(listens, lambda: f"{self.name} does not listen: {said()}")
        return self

    def kill(self):
        """Ends it at once, with its workers."""
        if self.process and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, 9)
            self.process.wait(PATIENCE)
