"""A bare socket to the server, for what no client library would send."""

import base64
import os
import socket
import struct

from journey import PATIENCE


class Wire:
    """`with Wire(member) as wire:` a connection on which anything can be said."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # What came in one piece with the answer to an upgrade: the server's first frames.
        self.early = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, head, body=b""):
        """Sends the lines of a head and a body; the status, and everything that came."""
        self.socket.sendall("\r\n".join([*head, "", ""]).encode("latin-1") + body)
        return self.answer()

    def answer(self):
        """What comes until the other side ends it or is done with one answer."""
        data = b""
        while True:
            try:
                part = self.socket.recv(65536)
            except (ConnectionError, TimeoutError):
                part = b""
            data += part
            head, separator, rest = data.partition(b"\r\n\r\n")
            length = _length(head)
            if not part or (separator and length is not None and len(rest) >= length):
                status = int(data.split(b" ", 2)[1]) if data.startswith(b"HTTP/1.1 ") else 0
                return status, data

    def answers(self, count):
        """The statuses of the next `count` answers, in their order; of fewer if the other side ends it."""
        statuses, data = [], b""
        while len(statuses) < count:
            head, separator, rest = data.partition(b"\r\n\r\n")
            length = _length(head)
            if separator and length is not None and len(rest) >= length:
                statuses.append(int(head.split(b" ", 2)[1]))
                data = rest[length:]
                continue
            part = self.socket.recv(65536)
            if not part:
                break
            data += part
        return statuses

    def upgrade(self, member, space=None):
        """Becomes a WebSocket of a member; the status."""
        who = member._who()
        status, data = self.ask([
            f"GET /sync?space={(space or member.space).hex()} HTTP/1.1", f"Host: {member.address}",
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            f"Origin: http://{member.address}",
            *(f"{name}: {value}" for name, value in who.items()),
        ])
        self.early = data.partition(b"\r\n\r\n")[2]
        return status

    def send(self, data, opcode=2, **options):
        self.socket.sendall(frame(data, opcode, **options))

    def is_ended(self):
        """Waits until the other side ends the connection, or says that it does."""
        data = self.early
        try:
            while not _closes(data):
                part = self.socket.recv(65536)
                if not part:
                    break
                data += part
        except ConnectionError:
            pass
        except TimeoutError:
            return False
        return True


def _closes(data):
    """Whether a close frame is among the frames that came."""
    while len(data) >= 2:
        length, head = data[1] & 127, 2
        if length > 125:
            head = 4 if length == 126 else 10
            length = int.from_bytes(data[2:head], "big")
        if data[0] & 15 == 8:
            return True
        data = data[head + length:]
    return False


def _length(head):
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0 if head.startswith((b"HTTP/1.1 101", b"HTTP/1.1 204", b"HTTP/1.1 304")) else None


def frame(data, opcode=2, is_final=True, reserved=0, is_masked=True, declared=None):
    """A WebSocket frame, right or wrong."""
    length = len(data) if declared is None else declared
    head = bytes([(128 if is_final else 0) | reserved << 4 | opcode])
    mask = 128 if is_masked else 0
    if length < 126:
        head += bytes([mask | length])
    elif length < 65536:
        head += bytes([mask | 126]) + struct.pack(">H", length)
    else:
        head += bytes([mask | 127]) + struct.pack(">Q", length)
    # A mask of zeros leaves the bytes as they are.
    return head + (bytes(4) if is_masked else b"") + data
