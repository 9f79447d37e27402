"""Runs the journeys: run.py RESULT_FILE [words…]

Writes "PASSED FAILED" into RESULT_FILE. With words, only journeys whose names hold one of them.
REUNION_FAULTS=full runs the full counts of what is otherwise a slice.
"""

import sys
import threading
import time
from pathlib import Path

import album
import bad_input
import journeys_access
import journeys_bad_input
import journeys_chosen
import journeys_clone
import journeys_codes
import journeys_edits
import journeys_guest
import journeys_handoff
import journeys_host
import journeys_hosting
import journeys_javascript
import journeys_leaving
import journeys_many
import journeys_names
import journeys_offline
import journeys_own_space
import journeys_pages
import journeys_quakes
import journeys_pictures
import journeys_renditions
import journeys_screentime
import journeys_serve
import journeys_sudoku
import journeys_sudoku_table
import journeys_uploads
import journeys_words
import kills
import machines
import quakes
import screentime
import server_behaviour
import sudoku
import word_race

# Lanes side by side: one is mostly a browser, one mostly a server, and one mostly waits for rounds to end.
LANES = [
    [journeys_guest.group, journeys_access.group, journeys_handoff.group, journeys_pages.group, journeys_edits.group,
     journeys_many.group, journeys_many.vectors, journeys_quakes.group, journeys_sudoku.group,
     journeys_sudoku_table.group, journeys_screentime.group, journeys_leaving.group, journeys_javascript.group,
     journeys_own_space.group],
    [server_behaviour.group, server_behaviour.starts, journeys_host.group, journeys_names.group, bad_input.group,
     journeys_uploads.group, kills.group, journeys_codes.group, journeys_pictures.group,
     journeys_renditions.group, journeys_offline.group, journeys_chosen.group,
     journeys_bad_input.group, journeys_clone.backups, journeys_clone.group, journeys_serve.group,
     journeys_hosting.starts, *journeys_hosting.groups],
    [journeys_words.group, journeys_words.long_group, journeys_words.clone_group],
]


def main(result, words):
    def wanted(name):
        return not words or any(word in name for word in words)

    counts = {"passed": 0, "failed": 0, "skipped": 0}
    began = time.monotonic()
    programs = (album.PROGRAM, quakes.PROGRAM, sudoku.PROGRAM, word_race.PROGRAM, screentime.PROGRAM,
                screentime.AGENT)
    missing = [program for program in programs if not program.exists()]
    if missing:
        print(f"✘ An app is not built: {missing}. Run make build.")
        counts["failed"] = 1
    else:
        album.TRACE.parent.mkdir(parents=True, exist_ok=True)
        album.TRACE.unlink(missing_ok=True)
        lanes = [threading.Thread(target=lambda lane=lane: [
            group.run(wanted, counts) for group in lane]) for lane in LANES]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        # A part of the journeys takes a part of the ways.
        if not words:
            machines.report(counts)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped, "
          f"in {time.monotonic() - began:.0f} s")
    Path(result).write_text(f"{counts['passed']} {counts['failed']} {counts['skipped']}\n")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__)
        sys.exit(2)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
