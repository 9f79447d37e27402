"""A device that joined: its requests, and its resumable uploads (docs/protocol.md §3)."""

import base64
import hashlib
import http.client
import json
import socket
from urllib.parse import urlsplit

from websockets.sync.client import connect

from journey import PATIENCE


class Refused(Exception):
    """An answer that is no success: its status and its sentence."""

    def __init__(self, status, sentence):
        super().__init__(f"{status} {sentence}")
        self.status, self.sentence = status, sentence


def refusal(act):
    """The refusal that an act ends with."""
    try:
        act()
    except Refused as refused:
        return refused
    raise AssertionError("What should be refused is taken")


def secret_of(link):
    return urlsplit(link).fragment.removeprefix("join=")


class Member:
    """A device that joined by a link, as a browser or as a replica."""

    def __init__(self, link, is_replica=False):
        self.address = urlsplit(link).netloc
        self.host, self.port = urlsplit(link).hostname, urlsplit(link).port
        self.cookie = None
        self._connection = None
        body = {"invite": secret_of(link)} | ({"replica": True} if is_replica else {})
        status, headers, data = self.request("POST", "/join", json.dumps(body).encode())
        self.facts = read(status, data)
        self.token = self.facts.get("token")
        self.cookie = headers.get("Set-Cookie", "").split(";")[0] or None
        self.space = bytes.fromhex(self.facts["space"])
        self.device = bytes.fromhex(self.facts["device"])

    def request(self, method, path, body=None, headers=None):
        """One request, over a kept connection where that still lives: status, headers, bytes."""
        headers = dict(headers or {}) | self._who()
        for attempt in (0, 1):
            if self._connection is None:
                self._connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=PATIENCE)
            try:
                self._connection.request(method, path, body, {"Host": self.address} | headers)
                answer = self._connection.getresponse()
                return answer.status, answer.headers, answer.read()
            except (OSError, http.client.HTTPException):
                self._connection.close()
                self._connection = None
                # A kept connection may have ended; a refused one is the caller's to see.
                if attempt == 1 or method == "PATCH":
                    raise
        raise AssertionError

    def _who(self):
        if self.cookie:
            return {"Cookie": self.cookie}
        return {"Authorization": f"Bearer {self.token}"} if getattr(self, "token", None) else {}

    def get(self, path):
        """The bytes at a path; raises Refused."""
        status, _, data = self.request("GET", path)
        if status != 200:
            read(status, data)
        return data

    def post(self, path, body=None):
        status, _, data = self.request("POST", path, json.dumps(body or {}).encode())
        return read(status, data)

    def upload(self, data, use="original"):
        """Uploads bytes from wherever the server has them, and returns its answer."""
        return Upload(self, data, use).finish()

    def websocket(self, space=None):
        space = (space or self.space).hex()
        return connect(
            f"ws://{self.address}/sync?space={space}", origin=f"http://{self.address}",
            sock=socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE),
            additional_headers=self._who(), compression=None, max_size=None,
            open_timeout=PATIENCE, close_timeout=1, ping_interval=None)


def read(status, data):
    """JSON of a success; raises Refused with the server's sentence otherwise."""
    try:
        fields = json.loads(data or b"{}")
    except ValueError:
        fields = {"error": data[:200].decode(errors="replace").strip()}
    if status >= 300:
        raise Refused(status, fields.get("error", ""))
    return fields


class Upload:
    """One resumable upload."""

    def __init__(self, member, data, use="original"):
        self.member, self.data, self.use = member, data, use
        self.hash = hashlib.sha256(data).hexdigest()
        self.location = None

    def begin(self, declared=None):
        """The offset to go on from, or None where the server holds the blob."""
        digest = base64.b64encode(bytes.fromhex(self.hash)).decode()
        status, headers, data = self.member.request(
            "POST", f"/uploads?use={self.use}", headers={
                "Upload-Length": str(declared or len(self.data)), "Upload-Complete": "?0",
                "Repr-Digest": f"sha-256=:{digest}:", "Content-Length": "0"})
        self.answer = read(status, data)
        if headers.get("Upload-Complete") == "?1":
            return None
        self.location = headers["Location"]
        return int(headers["Upload-Offset"])

    def offset(self):
        """Where the server stands; raises Refused (404) where it does not know the upload."""
        status, headers, data = self.member.request("HEAD", self.location)
        read(status, data)
        return int(headers["Upload-Offset"])

    def append(self, offset, end=None):
        """Sends the bytes up to `end`; the answer of the server."""
        status, headers, data = self.member.request(
            "PATCH", self.location, self.data[offset:end], {
                "Upload-Offset": str(offset), "Upload-Complete": "?1" if end is None else "?0",
                "Content-Type": "application/partial-upload"})
        return read(status, data)

    def finish(self):
        try:
            offset = self.offset() if self.location else self.begin()
        except Refused as refusal:
            if refusal.status != 404:
                raise
            offset = self.begin()
        return self.answer if offset is None else self.append(offset)
