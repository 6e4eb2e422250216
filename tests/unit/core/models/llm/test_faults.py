"""Every fault of an endpoint ends in a score that is right or in a message, with so many requests and so much paid."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter

import pytest

from core.models.llm.spending.budget import SpendTracker
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Failure, Outcome
from tests.unit.core.models.llm.dialects import DIALECTS
from tests.unit.core.models.llm.faults import FAULTS, KEY, Fault
from tests.unit.core.models.llm.scripted import Body, Reply, serving

FORMS = [*FAULTS, *DIALECTS]
PAIR = Example("pair", "It rained in Lindvale.", "Rain fell.")
RAW = re.compile(r"nobody foresaw|Traceback|\b\w+Error:|object has no attribute|NoneType|Reading or writing failed")


class Script:
    """Gives each endpoint the replies of its fault in their order, and counts what it was asked."""

    def __init__(self) -> None:
        self.asked: Counter[int] = Counter()
        self._lock = threading.Lock()

    def __call__(self, path: str, _body: Body) -> Reply:
        place = int(path.split("/")[1])
        with self._lock:
            number = self.asked[place]
            self.asked[place] += 1
        replies = FORMS[place].replies
        return replies[min(number, len(replies) - 1)]


def table(place: int, fault: Fault, url: str) -> str:
    fields = {"base_url": f"{url.removesuffix('/v1')}/{place}", "key_from": "FAULTS_KEY", "at_once": 1, "retries": 1}
    # none of those that end by themselves needs so long, on the busiest machine; what hangs has a patience of its own
    fields |= {"patience_s": 300.0, "wait_s": 0.0, "price_read": 1.0, "price_written": 1.0, **fault.options}
    return f"[fault-{place}]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in fields.items())


def spec(place: int, fault: Fault) -> str:
    options = "special_tokens=false" if fault.metric.startswith("bespoke") else "model=m"
    name, _, own = fault.metric.rstrip("]").partition("[")
    return f"{name}[{own and f'{own},'}{options},endpoint=fault-{place}]"


@pytest.fixture(scope="module")
def found(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[list[Outcome], Counter[int], dict[str, tuple[int, int]]]:
    """The outcome of each fault, the requests it took, and the tokens paid."""
    folder = tmp_path_factory.mktemp("faults")
    script = Script()
    with serving(script) as endpoint, pytest.MonkeyPatch.context() as environment:
        (folder / "endpoints.toml").write_text(
            "\n".join(table(place, fault, endpoint.url) for place, fault in enumerate(FORMS)), encoding="utf-8"
        )
        environment.setenv("TOUCHSTONE_ENDPOINTS", str(folder / "endpoints.toml"))
        environment.setenv("FAULTS_KEY", KEY)
        engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=folder))
        metrics = [METRICS.parse(spec(place, fault)) for place, fault in enumerate(FORMS)]
        outcomes = [outcome for _, outcome in engine.run(metrics, [PAIR])]
        paid = {name: (one.read, one.written) for name, one in SpendTracker(folder).total().items()}
        engine.close()
    return outcomes, script.asked, paid


def test_there_are_at_least_165_different_forms_of_answers() -> None:
    assert len({fault.name for fault in FORMS}) == len(FORMS) >= 165


@pytest.mark.parametrize("place", range(len(FORMS)), ids=[fault.name for fault in FORMS])
def test_a_fault_has_its_outcome_requests_and_spend(
    found: tuple[list[Outcome], Counter[int], dict[str, tuple[int, int]]], place: int
) -> None:
    fault, outcome = FORMS[place], found[0][place]
    if isinstance(outcome, Failure):
        assert isinstance(fault.outcome, str), outcome.error
        assert re.search(fault.outcome, outcome.error, re.DOTALL), outcome.error
        assert not RAW.search(outcome.error), outcome.error
        assert KEY not in outcome.error
    else:
        assert outcome.score == pytest.approx(fault.outcome)
    assert found[1][place] == fault.requests
    assert found[2].get(f"fault-{place}", (0, 0)) == fault.spend
