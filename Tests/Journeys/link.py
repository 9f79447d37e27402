"""A link between browser and server that counts, slows down and loses: a TCP proxy on loopback."""

import random
import re
import select
import socket
import threading
from dataclasses import dataclass, field

from journey import pause, until


@dataclass
class Sent:
    """A PATCH as it reached the server: where it began, and how many bytes came."""
    path: str
    offset: int
    received: int = 0


@dataclass
class _Requests:
    """Reads what a client sends, and notes the bodies of PATCH requests."""
    sent: list
    buffer: bytes = b""
    body: int = 0
    patch: Sent | None = None
    is_websocket: bool = False

    def take(self, data):
        if self.is_websocket:
            return
        self.buffer += data
        while self.buffer:
            if self.body:
                taken = min(self.body, len(self.buffer))
                self.body -= taken
                self.buffer = self.buffer[taken:]
                if self.patch:
                    self.patch.received += taken
                continue
            head, separator, rest = self.buffer.partition(b"\r\n\r\n")
            if not separator:
                return
            self.buffer = rest
            self._begin(head.decode("latin-1"))
            if self.is_websocket:
                return

    def _begin(self, head):
        def header(name):
            found = re.search(rf"^{name}:\s*(\S+)", head, re.M | re.I)
            return found and found[1]
        self.is_websocket = (header("Upgrade") or "").lower() == "websocket"
        self.body = int(header("Content-Length") or 0)
        self.patch = None
        if head.startswith("PATCH"):
            self.patch = Sent(head.split()[1], int(header("Upload-Offset") or 0))
            self.sent.append(self.patch)


@dataclass
class Link:
    """`with Link(port) as link:` listens on `link.port` and passes everything on to `port`.

    `up_per_second` limits the bytes to the server. `loss` is the share of connections that are
    cut, each after a number of bytes drawn from `seed`; a connection draws again every `span`.
    Once `most` bytes of PATCH requests have passed, what comes waits until it is more, or is cut.
    """
    target: int
    up_per_second: int = 0
    most: float = float("inf")
    loss: float = 0
    span: int = 200_000
    seed: int = 1
    patches: list = field(default_factory=list)
    connections: int = 0
    cuts: int = 0
    is_down: bool = False

    def __enter__(self):
        self._random = random.Random(self.seed)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._sockets = set()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()
        self.cut()

    @property
    def received(self):
        """How many bytes of PATCH requests have passed."""
        return sum(sent.received for sent in self.patches)

    def cut(self):
        """Cuts every connection at once."""
        for each in list(self._sockets):
            self._close(each)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            if self.is_down:
                client.close()
                continue
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _draw(self):
        """The number of bytes after which a connection is cut, or none within this span."""
        lost = self._random.random() < self.loss
        return self._random.randrange(self.span) if lost else None

    def _pass(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        self._sockets |= {client, server}
        requests = _Requests(self.patches)
        cut, passed = self._draw(), 0
        try:
            while True:
                for source in select.select([client, server], [], [])[0]:
                    data = source.recv(8192 if self.up_per_second else 65536)
                    if not data:
                        return
                    passed += len(data)
                    if cut is not None and passed >= cut:
                        self.cuts += 1
                        return
                    if cut is None and passed > self.span:
                        cut, passed = self._draw(), 0
                    if source is server:
                        client.sendall(data)
                    else:
                        until(lambda: not self._holds_back(requests, client), "The link is held back for good")
                        # What waited when the link was cut is lost with it.
                        if client not in self._sockets:
                            return
                        server.sendall(data)
                        requests.take(data)
                        if self.up_per_second:
                            pause(len(data) / self.up_per_second, "the link carries no more in that time")
        except (OSError, ValueError):
            pass
        finally:
            self._close(client)
            self._close(server)

    def _holds_back(self, requests, client):
        return self.received >= self.most and requests.patch and client in self._sockets

    def _close(self, each):
        self._sockets.discard(each)
        try:
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        each.close()
