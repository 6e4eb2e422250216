"""Jobs of the pages: what a stopped server left goes on, and Home shows it with its buttons."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.edits import PERTURBATIONS
from core.results import Plan, to_json_line
from core.scoring import METRICS, NLI_CHECKS
from core.types import Example, Item, Verdict
from pages.server import jobs as jobs_module
from pages.server import services
from pages.server.job_work import carry_on, costs_money, dataset_scorings
from pages.server.jobs import _JOB, BackgroundJob

Open = Callable[..., AppTest]
WAIT_S = 60


def leave(store: Store, job: BackgroundJob) -> None:
    """A job of a server that has stopped, as it left it."""
    store.save_draft(f"job {job.id}", jobs_module._OWNER, _JOB.dump_json(job).decode())


def scoring(*metrics: str) -> BackgroundJob:
    settings = {"dataset": "ships", "metrics": [*metrics]}
    return BackgroundJob(
        "scoring ships", "scoring", "ships", "evaluate", {"dataset": "ships"}, settings, process="gone 1 ab"
    )


@pytest.fixture(autouse=True)
def _ships(store: Store) -> None:
    pairs = [Example("noon", "The ferry left at noon.", "It left."), Example("night", "The ferry left.", "It stayed.")]
    items = [Item(pair, intended=label) for pair, label in zip(pairs, Verdict, strict=False)]
    store.import_dataset(DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local"), items, dict)


def test_a_scoring_that_a_stopped_server_left_goes_on_by_itself(store: Store) -> None:
    leave(store, scoring("rouge2"))
    assert [job.id for job in carry_on()] == ["scoring ships"]
    assert dataset_scorings()["ships"].wait(WAIT_S)
    [job] = services.jobs().rows("")
    assert (job.state, job.resumed, job.done) == ("done", True, 2)
    assert store.counts("score") == {"score": 2}


@pytest.mark.parametrize(
    ("metric", "kind", "guard", "paid"),
    [
        ("rouge2", "negation", "", False),
        ("direct-assessment", "negation", "", True),
        ("rouge2", "paraphrased-llm", "", True),
        ("rouge2", "negation", "language-model", True),
    ],
)
def test_a_run_costs_by_its_metrics_its_perturbations_and_its_check(
    store: Store, metric: str, kind: str, guard: str, paid: bool
) -> None:
    check = NLI_CHECKS.parse(guard) if guard else None
    plan = Plan.of("ships", [PERTURBATIONS.parse(kind)], [METRICS.parse(metric)], guard=check)
    id = store.begin_run("ships", "", to_json_line(plan))
    assert costs_money(BackgroundJob(f"stress run {id}", "stress run", "ships", "stress", settings={"run": id})) == paid


def test_what_asks_an_endpoint_or_cannot_go_on_waits_for_a_person(store: Store, open_page: Open) -> None:
    judge = scoring("direct-assessment")
    assert costs_money(judge)
    leave(store, judge)
    leave(store, BackgroundJob("import mills", "import", "mills", "evaluate", {"tab": "Data"}, process="gone 1 ab"))
    assert carry_on() == []
    app = open_page("home").run()
    labels = {button.key: button.label for button in app.button if str(button.key).startswith("home-")}
    assert labels["home-continue-scoring ships"] == "Continue"
    assert labels["home-start again-import mills"] == "Start again"
    app.button("home-dismiss-import mills").click().run()
    assert not app.exception
    assert [job.id for job in services.jobs().rows("")] == ["scoring ships"]


def test_a_scoring_is_continued_from_home(store: Store, open_page: Open) -> None:
    leave(store, scoring("rouge2"))
    app = open_page("home").run()
    app.button("home-continue-scoring ships").click().run()
    until = time.monotonic() + WAIT_S
    while any(job.state == "running" for job in services.jobs().rows("")):
        assert time.monotonic() < until
    assert not app.exception
    assert store.counts("score") == {"score": 2}
