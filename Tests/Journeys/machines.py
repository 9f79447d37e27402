"""What the uploads of all journeys went through, beside the machine as it is documented."""

import re

from album import ROOT, TRACE

PAGE = ROOT / "Sources/ReunionFlow/ReunionFlow.docc/machines.md"
_ARROW = re.compile(r"^\s*(\w+) --> (\w+): (\S+)$", re.M)


def transitions(page=PAGE):
    """All transitions of `UploadLife`: the diagram is drawn from it, and tested to be so."""
    block = page.read_text().split("<!-- machine: UploadLife -->")[1].split("<!-- end -->")[0]
    return {f"{start} —{event}→ {to}" for start, to, events in _ARROW.findall(block)
            for event in events.split("<br>")}


def taken():
    return set(TRACE.read_text().splitlines()) if TRACE.exists() else set()


def compare(wanted, made):
    """What is missing, and what the diagram does not know."""
    return sorted(wanted - made), sorted(made - wanted)


def report(counts):
    """The last line of a whole run: every transition of an upload was really taken."""
    wanted, made = transitions(), taken()
    missing, unknown = compare(wanted, made)
    # The count notices what is left out (negative control).
    is_seen = wanted and all(compare(wanted, wanted - {each}) == ([each], []) for each in wanted)
    is_good = is_seen and not missing and not unknown
    counts["passed" if is_good else "failed"] += 1
    print(f"{'✔' if is_good else '✘'} the journeys take every transition of an upload: "
          f"{len(wanted & made)} / {len(wanted)}"
          f"{f', without {missing}' if missing else ''}{f', unknown {unknown}' if unknown else ''}",
          flush=True)
