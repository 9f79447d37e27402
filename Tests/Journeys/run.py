"""Runs the journeys: run.py RESULT_FILE [words…]

Writes "PASSED FAILED" into RESULT_FILE. With words, only journeys whose names hold one of them.
REUNION_FAULTS=full runs the full counts of what is otherwise a slice.
"""

import multiprocessing
import signal
import sys
import time
from pathlib import Path

import album
import bad_input
import browser
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
import journeys_stacks
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

sys.path.insert(0, str(album.ROOT / "Scripts"))
from turns import Turn  # noqa: E402

# Those that take longest come first, so that no lane works alone at the end.
GROUPS = [
    journeys_words.group, journeys_sudoku.group, journeys_chosen.group, journeys_screentime.group,
    journeys_sudoku_table.group, journeys_pictures.group, journeys_words.long_group, journeys_quakes.group,
    journeys_offline.group, journeys_renditions.group, journeys_leaving.group, journeys_pages.group,
    journeys_codes.group, journeys_guest.group, journeys_edits.group, journeys_words.clone_group,
    *journeys_hosting.groups, journeys_many.group, journeys_clone.group, journeys_javascript.group,
    journeys_handoff.group, journeys_access.group, journeys_clone.backups, server_behaviour.starts,
    journeys_hosting.starts, journeys_bad_input.group, journeys_own_space.group, journeys_serve.group,
    journeys_host.group, journeys_stacks.group, kills.group, bad_input.group, journeys_uploads.group,
    journeys_names.group, server_behaviour.group, journeys_many.vectors,
]
# Processes that each take the next group. More than there are cores on a small machine: what is tested often waits.
LANES = 4


def lane(number, wanted, places, taken, told):
    """Runs groups until none is left, and tells of each its place, its counts and its seconds."""
    ends = False

    def end(*_):
        nonlocal ends
        # Once: what ends now ends its servers too.
        if not ends:
            ends = True
            sys.exit(1)

    signal.signal(signal.SIGTERM, end)
    # A terminal sends this to all of us, and the first process says what is to be done.
    signal.signal(signal.SIGINT, lambda *_: None)
    album.take_ports(number, LANES)
    with browser.kept_chromium():
        while True:
            with taken.get_lock():
                at, taken.value = taken.value, taken.value + 1
            if at >= len(places):
                break
            began, counts = time.monotonic(), none()
            GROUPS[places[at]].run(wanted, counts)
            told.put((places[at], counts, time.monotonic() - began))


def none():
    return {"passed": 0, "failed": 0, "skipped": 0}


def side_by_side(wanted, places, lanes):
    """Runs the groups at these places in lanes, and gives the counts and the seconds of each by its place,
    and how many lanes broke off."""
    context = multiprocessing.get_context("fork")
    taken, told = context.Value("i", 0), context.SimpleQueue()
    running = [context.Process(target=lane, args=(number, wanted, places, taken, told))
               for number in range(lanes)]
    for each in running:
        each.start()

    def end(*_):
        for each in running:
            each.terminate()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    for each in running:
        each.join()
        if each.exitcode:
            print(f"✘ A lane of the journeys ended with {each.exitcode}.", flush=True)
    found = {}
    while not told.empty():
        at, counts, seconds = told.get()
        found[at] = (counts, seconds)
    return found, sum(1 for each in running if each.exitcode)


def with_second_tries(wanted, found, turn):
    """Runs each group that failed once more with nothing beside it: a busy machine lets down what is sound.
    What fails then too counts as failed; what does not is named."""
    places = [at for at, (counts, _) in found.items() if counts["failed"]]
    if not places:
        return found, 0
    print("== What failed, once more and alone", flush=True)
    turn.alone()
    again, broken = side_by_side(wanted, places, 1)
    for at, (counts, _) in list(again.items()):
        if counts["failed"]:
            continue
        # What was only skipped the second time has not passed.
        if counts["passed"] >= found[at][0]["passed"] + found[at][0]["failed"]:
            print(f"unsteady: {GROUPS[at].name}", flush=True)
        else:
            again[at] = found[at]
    return found | again, broken


def main(result, words):
    def wanted(name):
        return not words or any(word in name for word in words)

    counts = none()
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
        turn = Turn()
        found, broken = side_by_side(wanted, range(len(GROUPS)), LANES)
        if not broken:
            found, broken = with_second_tries(wanted, found, turn)
        counts["failed"] += broken
        for of_group, _ in found.values():
            for name, count in of_group.items():
                counts[name] += count
        # A part of the journeys takes a part of the ways, and of the time.
        if not words:
            machines.report(counts)
            for at, (_, seconds) in sorted(found.items(), key=lambda pair: -pair[1][1]):
                print(f"{seconds:6.1f} s  {GROUPS[at].name}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped, "
          f"in {time.monotonic() - began:.0f} s")
    Path(result).write_text(f"{counts['passed']} {counts['failed']} {counts['skipped']}\n")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__)
        sys.exit(2)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
