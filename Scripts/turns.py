"""Turns of the parts of the test command: what runs for the first time runs beside others, and what failed once more
with nothing beside it. REUNION_TURNS names the file by whose lock the parts know of each other; without it there are
no others."""

import fcntl
import os
import tempfile


class Turn:
    def __init__(self):
        name = os.environ.get("REUNION_TURNS")
        self._file = open(name) if name else tempfile.TemporaryFile()
        fcntl.flock(self._file, fcntl.LOCK_SH)

    def alone(self):
        """Waits until all others have ended, or wait too, and keeps them from going on until this process ends."""
        # A lock that is changed in place would let two wait for each other.
        fcntl.flock(self._file, fcntl.LOCK_UN)
        fcntl.flock(self._file, fcntl.LOCK_EX)
