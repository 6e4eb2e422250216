"""What one person does: label, and take the next task. As a program: people who label until it is killed.

`python -m tests.load.one_annotator URL CAMPAIGN PERSON…` prints each event when its receipt is there, and not before.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

from annotations.campaigns.labelling import AnnotatorActions
from annotations.campaigns.people import find_person
from annotations.campaigns.questions import Answers
from annotations.campaigns.responses import SentResponse
from annotations.campaigns.task_texts import ShownTask
from annotations.store.database import read_session
from annotations.store.store import Store

ANSWERS: Answers = {"verdict": "consistent", "confidence": 4}


def label(annotator: AnnotatorActions, campaign_id: str, labels: int, pause_s: float) -> Iterator[tuple[str, float]]:
    """Label after pauses of so many seconds on average: each event once the next task is there, and the milliseconds that it took."""
    found = annotator.next(campaign_id)
    for _ in range(labels):
        if not isinstance(found, ShownTask):
            return
        time.sleep(random.uniform(0, 2 * pause_s))
        event, begun = uuid4().hex, time.perf_counter()
        annotator.send(SentResponse(found.reservation, "answer", event, ANSWERS))
        found = annotator.next(campaign_id)
        yield event, 1000 * (time.perf_counter() - begun)


def label_until_killed(url: str, campaign_id: str, names: list[str]) -> None:
    store = Store.open(url)
    with ThreadPoolExecutor(len(names)) as threads:
        list(threads.map(lambda name: _tell(store, campaign_id, name), names))


def _tell(store: Store, campaign_id: str, name: str) -> None:
    with read_session(store.engine) as session:
        person = find_person(session, name)
    annotator = AnnotatorActions(store, person) if person else sys.exit(f"Nobody is called {name!r}.")
    while isinstance(found := annotator.next(campaign_id), ShownTask):
        event = uuid4().hex
        annotator.send(SentResponse(found.reservation, "answer", event, ANSWERS))
        sys.stdout.write(f"{event}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    label_until_killed(sys.argv[1], sys.argv[2], sys.argv[3:])
