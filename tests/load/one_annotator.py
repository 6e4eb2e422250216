"""What one person does: label, and take the next task. As a program: people who label until each has labelled so much, or it is killed.

`python -m tests.load.one_annotator URL CAMPAIGN LABELS PAUSE PERSON…` prints each event, its milliseconds, the time when its receipt is
there, and not before, and the megabytes of the program.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar
from uuid import uuid4
from zlib import crc32

from annotations.campaigns.questions import Answers
from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.responses import SentResponse
from annotations.people.people import Member, find_person
from annotations.store.database import read_session
from annotations.store.records import StoreError
from annotations.store.store import Store

_WRONG = 0.15  # answers, so that some items want further labels
_AGAIN_S = 0.1

T = TypeVar("T")


def label(annotator: AnnotatorActions, campaign_id: str, labels: int, pause_s: float) -> Iterator[tuple[str, float]]:
    """Label after pauses of so many seconds on average: each event once the next task is there, and the milliseconds that it took.

    While the database is away the same is sent again, as a page does.
    """
    found = _until_there(lambda: annotator.next(campaign_id))
    for _ in range(labels):
        if not isinstance(found, ShownTask):
            return
        time.sleep(random.uniform(0, 2 * pause_s))
        sent, begun = SentResponse(found.reservation, "answer", uuid4().hex, _answers(found)), time.perf_counter()
        _until_there(lambda sent=sent: annotator.send(sent))  # type: ignore[misc]
        found = _until_there(lambda: annotator.next(campaign_id))
        yield sent.event_id, 1000 * (time.perf_counter() - begun)


def _answers(task: ShownTask) -> Answers:
    """Three of ten summaries are inconsistent, by their texts; a person is wrong now and then."""
    inconsistent = crc32(task.left.encode()) % 10 < 3
    if inconsistent != (random.random() < _WRONG):
        return {"verdict": "inconsistent", "confidence": 2, "reason": "The boat."}
    return {"verdict": "consistent", "confidence": 4}


def _until_there(ask: Callable[[], T]) -> T:
    while True:
        try:
            return ask()
        except StoreError:  # a database that is away, or comes back
            time.sleep(_AGAIN_S)


def label_until_killed(url: str, campaign_id: str, labels: int, pause_s: float, names: list[str]) -> None:
    store = _until_there(lambda: Store.open(url))
    with ThreadPoolExecutor(len(names)) as threads:
        list(threads.map(lambda name: _tell(store, campaign_id, labels, pause_s, name), names))


def _resident_mb() -> float:
    """Memory of this program on Linux."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize() / 1e6


def _find(store: Store, name: str) -> Member | None:
    with read_session(store.engine) as session:
        return find_person(session, name)


def _tell(store: Store, campaign_id: str, labels: int, pause_s: float, name: str) -> None:
    person = _until_there(lambda: _find(store, name))
    annotator = AnnotatorActions(store, person) if person else sys.exit(f"Nobody is called {name!r}.")
    left = labels - _until_there(lambda: annotator.progress(campaign_id)).answered
    for event, milliseconds in label(annotator, campaign_id, left, pause_s):
        sys.stdout.write(f"{event} {milliseconds:.1f} {time.time():.3f} {_resident_mb():.1f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    label_until_killed(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5:])
