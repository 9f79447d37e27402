"""A guest's phone, in a process of its own: asks for the page each time a line comes in, and prints the milliseconds.

asker.py PORT ADDRESS. A phone has a processor of its own. This one shares the server's, so it takes its turn before
the others' where the system lets it: what is timed is what the server does.
"""

import contextlib
import os
import sys
import time

from wire import Wire


def page(port, address):
    """The milliseconds from the first packet until the whole page is there."""
    began = time.monotonic()
    with Wire(port) as wire:
        status, _ = wire.ask(["GET / HTTP/1.1", f"Host: {address}", "Connection: close"])
    assert status == 200, status
    return (time.monotonic() - began) * 1000


if __name__ == "__main__":
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    for _ in sys.stdin:
        print(page(int(sys.argv[1]), sys.argv[2]), flush=True)
