"""How long the points of a word take to another player, in 25 games of four at once, and what the server needs."""

import json
import os
import subprocess
from pathlib import Path

from album import APPS
from bench import row
from journey import ensure
from program import Program
from word_race import PROGRAM

GAMES, WORDS = 25, 12


def cpu_milliseconds(process):
    """CPU time of a process so far, of all its threads."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def words():
    """Rows of the word race. All players are copies in one process, which shares the machine with the server."""
    with Program(PROGRAM, "words", host="127.0.0.1") as program:
        bench = subprocess.Popen([APPS / "WordsBench", program.line("Guests"), str(GAMES), str(WORDS)],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        used = {line.strip(): cpu_milliseconds(program.process) for line in bench.stderr}
        said = bench.stdout.read()
        ensure(bench.wait() == 0, f"WordsBench failed: {said}")
    answer = json.loads(said)
    ensure(answer["missing"] == 0, f"Points did not arrive: {answer}")
    needed = (used["typed"] - used["typing"]) / answer["words"]
    return [row("words-server-mean", needed, 60, "the goal", "ms of CPU a word"),
            row("words-points-p50", answer["p50"], needed, "what the server needs of it", "ms of wall time"),
            row("words-points-p95", answer["p95"], needed, "what the server needs of it", "ms of wall time")]
