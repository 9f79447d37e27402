"""How journeys are named, gathered and run: one line each, a picture where one fails."""

import contextlib
import os
import re
import signal
import time
import traceback
from pathlib import Path

PICTURES = Path(__file__).resolve().parents[2] / ".build" / "journeys"


class Skipped(Exception):
    """Why a journey cannot run here."""


class Failed(AssertionError):
    """What a person would have seen go wrong, in a sentence."""


def ensure(holds, sentence):
    if not holds:
        raise Failed(sentence)


# How many seconds anything may take. A machine may be busy: what is waited for is a promise that it
# happens, and none of how soon.
PATIENCE = 180


def pause(seconds, because, page=None):
    """Lets time pass that belongs to the story: a slow peer, an absence, or the time until a kill that may
    come at any moment. That page goes on meanwhile. `because` is for people who read the journey."""
    if page:
        page.wait_for_timeout(seconds * 1000)
    else:
        time.sleep(seconds)


def until(check, what, page=lambda: None):
    """Asks again until the check gives something, and returns that; `what` says what is missing. The page
    goes on meanwhile."""
    began = time.monotonic()
    while True:
        found = check()
        if found:
            return found
        passed = time.monotonic() - began
        if passed > PATIENCE:
            raise Failed(what if isinstance(what, str) else what())
        # What takes long is asked for less often: each time costs the page and us something.
        pause(0.025 if passed < 1 else 0.1, "it may be there a little later", page())


def _is_stopped(process):
    try:
        return all(re.search(r"\) [Tt] ", stat.read_text())
                   for stat in Path(f"/proc/{process}/task").glob("*/stat"))
    except OSError:
        # A thread has just ended.
        return False


@contextlib.contextmanager
def frozen(*processes):
    """Stops processes, and lets them go on afterwards. Their threads stop one after the other, so that one
    which is on its way may still answer: we wait for the last."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        for process in processes:
            until(lambda: _is_stopped(process), f"The process {process} does not stop")
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


class Group:
    """Journeys that share what `setting` makes: a context manager, entered for the first one."""

    def __init__(self, setting):
        self.setting, self.journeys = setting, []

    def journey(self, sentence):
        def add(function):
            self.journeys.append((sentence, function))
            return function
        return add

    @property
    def name(self):
        """The module, and the first journey."""
        sentence, act = self.journeys[0]
        return f"{act.__module__}: {sentence[:70]}"

    def run(self, wanted, counts):
        """Runs the journeys whose names are wanted; a setting that fails fails them all."""
        chosen = [(name, act) for name, act in self.journeys if wanted(name)]
        if not chosen:
            return
        try:
            with self.setting() as stage:
                for name, act in chosen:
                    _one(name, act, stage, counts)
                    chosen = chosen[1:]
        except Exception as error:
            for name, _ in chosen:
                _report(name, error, 0, counts)


def _one(name, act, stage, counts):
    began = time.monotonic()
    try:
        act(stage)
    except Exception as error:
        _picture(name, stage)
        return _report(name, error, time.monotonic() - began, counts)
    return _report(name, None, time.monotonic() - began, counts)


def _report(name, error, seconds, counts):
    if error is None:
        counts["passed"] += 1
        print(f"✔ {name} ({seconds:.1f} s)", flush=True)
    elif isinstance(error, Skipped):
        counts["skipped"] = counts.get("skipped", 0) + 1
        print(f"– {name}: skipped, {error}", flush=True)
    else:
        counts["failed"] += 1
        told = isinstance(error, AssertionError)
        sentence = str(error) if told and str(error) else f"{type(error).__name__}: {error}"
        place = [frame for frame in traceback.extract_tb(error.__traceback__)
                 if "Journeys" in frame.filename and frame.name not in ("ensure", "until")]
        lines = [f"    {Path(frame.filename).name}:{frame.lineno} {frame.line}" for frame in place[1:][-3:]]
        # At once, so that no other lane says something in between.
        print("\n".join([f"✘ {name}: {sentence.strip()[:600]}", *lines]), flush=True)


def _picture(name, stage):
    """Screenshots of whoever has a page open."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    file = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80]
    for number, person in enumerate(getattr(stage, "people", [])):
        try:
            person.page.screenshot(path=PICTURES / f"{file}{f'-{number}' if number else ''}.png")
        except Exception as error:
            print(f"    no picture of {person.name}: {str(error)[:80]}", flush=True)
