"""How long the points of a word take to another player, in 25 games of four at once, and what the server needs."""

import json
import subprocess

from album import APPS
from bench import row
from journey import ensure
from program import Program
from word_race import PROGRAM

GAMES, WORDS = 25, 12


def words():
    """Rows of the word race. All players are copies in one process, which shares the machine with the server."""
    with Program(PROGRAM, "words", host="127.0.0.1") as program:
        bench = subprocess.run([APPS / "WordsBench", program.line("Guests"), str(GAMES), str(WORDS),
                                str(program.process.pid)], stdout=subprocess.PIPE, text=True)
    ensure(bench.returncode == 0, f"WordsBench failed: {bench.stdout}")
    answer = json.loads(bench.stdout)
    ensure(answer["missing"] == 0, f"Points did not arrive: {answer}")
    needed = answer["cpuMean"]
    return [row("words-server-mean", needed, 60, "the goal", "ms of CPU a word"),
            row("words-server-p95", answer["cpuP95"], 60, "the goal", "ms of CPU from a word to the next"),
            row("words-points-p50", answer["p50"], needed, "what the server needs of it", "ms of wall time"),
            row("words-points-p95", answer["p95"], needed, "what the server needs of it", "ms of wall time")]
