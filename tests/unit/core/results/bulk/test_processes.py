"""Workers of one machine on pretended GPUs: each sees one card, and those of a card share its memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from core.results.bulk import processes
from core.results.bulk.processes import Processes, WorkerCard, worker_cards
from core.results.bulk.scorer import ScoringJob
from tests.doubles.pretended_gpu import pretend_cards

NETWORK, LEXICAL = "minicheck-roberta", "rouge2"


def job(metric: str = NETWORK, device: str = "") -> ScoringJob:
    return ScoringJob("blocks", "results", (LEXICAL, metric), device)


@pytest.fixture(autouse=True)
def _four_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    pretend_cards(monkeypatch, 4)


def test_workers_are_spread_over_all_cards_and_share_the_memory_of_each() -> None:
    assert worker_cards(job(), 4) == [WorkerCard(str(number), "auto") for number in range(4)]
    assert {card.memory for card in worker_cards(job(), 8)} == {"0.425"}
    assert [card.visible for card in worker_cards(job(device="cuda:1,cuda:3"), 2)] == ["1", "3"]


def test_cards_are_named_as_the_environment_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,GPU-6,7")
    assert [card.visible for card in worker_cards(job(device="all"), 4)] == ["4", "5", "GPU-6", "7"]


def test_memory_in_gigabytes_is_that_of_each_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_MEMORY", "6GB")
    assert {card.memory for card in worker_cards(job(), 8)} == {"6GB"}


def test_what_loads_no_network_or_runs_on_the_processor_has_no_card() -> None:
    assert worker_cards(job(LEXICAL), 4) == []
    assert worker_cards(job(device="cpu"), 4) == []


def test_every_worker_is_on_the_card_with_the_fewest_and_one_that_died_is_replaced_on_its_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[tuple[str, str]] = []

    class Started:
        reports = None

        def __init__(self, job: ScoringJob, environment: Mapping[str, str], card: str = "") -> None:
            self.card, self.block = card, ""
            assert environment["CUDA_VISIBLE_DEVICES"] == card
            started.append((job.device, card))

        def end(self) -> None:
            """Nothing runs."""

    monkeypatch.setattr(processes, "_Worker", Started)
    crew = Processes(job(), 6)
    monkeypatch.setattr(
        crew, "_selector", type("Nothing", (), {"register": lambda *_: None, "close": lambda _: None})()
    )
    for _ in range(6):
        crew._start()
    assert Counter(started) == {("cuda", "0"): 2, ("cuda", "1"): 2, ("cuda", "2"): 1, ("cuda", "3"): 1}
    dead = next(worker for worker in crew._workers if worker.card == "3")
    crew._workers.remove(dead)
    assert crew._start().card == "3"
    crew.close()
