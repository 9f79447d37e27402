"""A guest's phone, in a process of its own: does what a line says that comes in, and prints the milliseconds.

asker.py LINK, with the lines `page` and `join`. A phone has a processor of its own. This one shares the server's, so it
takes its turn before the others' where the system lets it: what is timed is what the server does. It comes from an
address of its own, since the others have joined nearly as often as a network may.
"""

import contextlib
import os
import sys
import time
from urllib.parse import urlsplit

from attack import come_from
from member import Member
from wire import Wire


def page(link):
    """Asks for the whole page, from the first packet on."""
    place = urlsplit(link)
    with Wire(place.port) as wire:
        status, _ = wire.ask(["GET / HTTP/1.1", f"Host: {place.netloc}", "Connection: close"])
    assert status == 200, status


def join(link):
    """Joins as somebody new."""
    Member(link)


if __name__ == "__main__":
    come_from("127.0.200.1")
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    for line in sys.stdin:
        act = {"page": page, "join": join}[line.strip()]
        began = time.monotonic()
        act(sys.argv[1])
        print((time.monotonic() - began) * 1000, flush=True)
