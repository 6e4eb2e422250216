"""What endpoints were paid: counted by tokens, kept for other processes, and never beyond a budget."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.errors import TouchstoneError
from core.model_reference import EndpointModel
from core.models.llm.chat import Sampling, first_question
from core.models.llm.endpoints.endpoint import Endpoint, Price
from core.models.llm.prompts import Messages
from core.models.llm.spending.budget import SpendTracker
from core.models.llm.spending.cost_log import CostLog, read_costs
from core.models.llm.spending.spend import Spend, Usage, actual_usage, format_spend, max_usage
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Answer, Example, Question, Result
from tests.doubles.models import PATIENCE_S
from tests.unit.core.models.llm.scripted import Reply, serving

QUESTION = first_question(Messages("Score.", "x" * 399), Sampling("m", max_tokens=50))
MEASURE = EndpointModel("mini", "endpoint_token_count")
PRICED = Endpoint("http://one.example/v1", "", name="mini", price=Price(1.0, 10.0))
THOUSAND = Usage(1_000, 1_000)
PAIR = Example("pair", "It rained in Lindvale.", "Rain fell.")


@pytest.fixture(autouse=True)
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BUDGET", raising=False)


def test_before_it_is_asked_the_most_is_reckoned_by_characters_and_limit() -> None:
    assert max_usage(QUESTION) == Usage(2 + 100, 50)
    assert max_usage(QUESTION, reasoning_tokens=1000) == Usage(2 + 100, 1050)


def test_afterwards_what_the_endpoint_counted_counts() -> None:
    assert actual_usage(QUESTION, Answer(values=(9.0,), texts=("Nine.", "stop"), tokens=88)) == Usage(88, 9)


def test_an_endpoint_that_counts_nothing_is_counted_by_characters() -> None:
    assert actual_usage(QUESTION, Answer(values=(0.0,), texts=("Nine of it.", "stop"))) == Usage(102, 3)


@pytest.mark.parametrize(
    ("usage", "money"),
    [
        ({"prompt_tokens": 1000, "completion_tokens": 100}, 0.002),
        # OpenAI: tokens of the cache are among those read
        ({"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 800}}, 0.0014),
        ({"prompt_tokens": 1000, "completion_tokens": 100, "prompt_cache_hit_tokens": 800}, 0.0014),
        ({"input_tokens": 200, "cache_read_input_tokens": 800, "output_tokens": 100}, 0.0014),
        (
            {
                "prompt_tokens": 194,
                "completion_tokens": 2,
                "cost": 0.95,
                "cost_details": {"upstream_inference_cost": 19},
            },
            0.95,
        ),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "cost": 0,
                "is_byok": True,
                "cost_details": {"upstream_inference_cost": 0.5},
            },
            0.5,
        ),
        ({"prompt_tokens": 9, "completion_tokens": 2, "cost": 0}, 0.0),
        ({"prompt_tokens": 9, "completion_tokens": 2, "cost": {"total_cost": 0.006}}, 0.006),
        ({"prompt_tokens": 1000, "completion_tokens": 100, "cost": "much"}, 0.002),
    ],
    ids=["prices", "cached", "DeepSeek", "Anthropic", "OpenRouter", "own key", "free", "Perplexity", "no number"],
)
def test_money_is_what_the_server_says_or_by_prices_those_of_its_cache_included(
    usage: dict[str, object], money: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = {"index": 0, "message": {"content": '{"score": 70}'}, "finish_reason": "stop"}
    with serving(lambda _path, _body: Reply({"choices": [choice], "usage": usage})) as server:
        table = f'[mini]\nbase_url = "{server.url}"\nprice_read = 1\nprice_written = 10\nprice_cached = 0.25\n'
        (tmp_path / "endpoints.toml").write_text(table)
        monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(tmp_path / "endpoints.toml"))
        engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
        [(_, outcome)] = engine.run([METRICS.parse("direct-assessment[model=m,endpoint=mini]")], [PAIR])
        engine.close()
    assert isinstance(outcome, Result)
    assert SpendTracker(tmp_path).total()["mini"].money == pytest.approx(money)
    assert read_costs(tmp_path)[0].money == pytest.approx(money)


def test_a_cost_that_the_server_says_needs_no_prices(tmp_path: Path) -> None:
    log = CostLog(tmp_path)
    unpriced = Endpoint("http://two.example/v1", "", name="router")
    with closing(SpendTracker(tmp_path)) as spend:
        spend.record(unpriced, Usage(1000, 1000, cost=0.25))
        log.record("judge-v1", unpriced, "small", Usage(1000, 1000, cost=0.25))
        log.flush()
        total = spend.total()
    assert (total["router"].money, read_costs(tmp_path)[0].money) == (0.25, 0.25)


def test_counting_tokens_costs_nothing() -> None:
    question = Question(MEASURE, ("a text",), (("model", "m"),))
    assert (max_usage(question), actual_usage(question, Answer(values=(2.0,)))) == (Usage(), Usage())


def test_money_is_counted_by_price_and_kept_for_the_next_process(tmp_path: Path) -> None:
    with closing(SpendTracker(tmp_path)) as first:
        first.record(PRICED, THOUSAND)
        first.record(PRICED, THOUSAND)
        first.record(Endpoint("http://two.example/v1", ""), THOUSAND)
    first.record(PRICED, THOUSAND)  # an answer that arrives late
    assert first._store is None
    assert SpendTracker(tmp_path).total() == {
        "mini": Spend(3, 3000, 3000, pytest.approx(0.033)),
        "": Spend(1, 1000, 1000, 0, unpriced=1),
    }


def test_a_price_that_is_unknown_is_said_and_never_zero() -> None:
    unpriced = Spend.of(Endpoint("http://two.example/v1", ""), THOUSAND)
    free = Spend.of(Endpoint("http://two.example/v1", "", price=Price(0, 0)), THOUSAND)
    stated = Spend.of(Endpoint("http://two.example/v1", ""), Usage(1000, 1000, cost=0.25))
    tokens = "1,000 tokens read, 1,000 written"
    assert format_spend(unpriced) == f"1 question, {tokens}, at a price that is not set"
    assert format_spend(free) == f"1 question, {tokens}, 0.0000"
    assert format_spend(unpriced + stated).endswith("2,000 written, 0.2500 besides 1 question without a price")
    assert format_spend(Spend()) == "0 questions, 0 tokens read, 0 written, 0.0000"


def test_nothing_was_spent_in_a_new_folder_and_looking_makes_no_file(tmp_path: Path) -> None:
    assert SpendTracker(tmp_path / "new").total() == {}
    assert not (tmp_path / "new").exists()


def test_a_question_that_may_cost_more_than_is_left_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "0.02")
    said = r"0\.0110 of 0\.02 are spent, and it may cost up to 0\.0110\. Raise TOUCHSTONE_LLM_BUDGET"
    with closing(SpendTracker(tmp_path)) as ledger:
        with ledger.reserve(PRICED, THOUSAND):
            ledger.record(PRICED, THOUSAND)
        with pytest.raises(TouchstoneError, match=said), ledger.reserve(PRICED, THOUSAND):
            pass


def test_a_question_waits_for_those_under_way_and_is_asked_when_they_cost_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "0.02")
    entered = threading.Event()
    with closing(SpendTracker(tmp_path)) as spend:

        def second() -> None:
            with spend.reserve(PRICED, THOUSAND):
                entered.set()

        with spend.reserve(PRICED, THOUSAND):
            waiting = threading.Thread(target=second)
            waiting.start()
            assert not entered.wait(0.3)
            spend.record(PRICED, Usage(10, 10))
        waiting.join(PATIENCE_S)
    assert entered.is_set()


def test_who_waits_for_money_may_give_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "0.02")
    refused = pytest.raises(TouchstoneError, match="Nobody waits for this answer any more")
    with (
        closing(SpendTracker(tmp_path)) as spend,
        spend.reserve(PRICED, THOUSAND),
        refused,
        spend.reserve(PRICED, THOUSAND, lambda: True),
    ):
        pass


def test_what_a_killed_process_had_reserved_is_free_when_it_was_not_seen_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "0.02")
    killed = SpendTracker(tmp_path)
    with closing(killed), closing(SpendTracker(tmp_path)) as mine, killed.reserve(PRICED, THOUSAND):
        killed._closed.set()  # no heartbeat any more
        with closing(sqlite3.connect(tmp_path / "spending-1.sqlite")) as store, store:
            store.execute("UPDATE alive SET seen = seen - 60")
        with mine.reserve(PRICED, THOUSAND, lambda: True):
            assert mine.total() == {}


def spend_all(folder: str, asked: Any) -> None:
    """Ask 40 questions that may cost 0.011 and cost 0.0055, eight at once, until the budget forbids one."""
    spend = SpendTracker(Path(folder))

    def ask(_: int) -> bool:
        try:
            with spend.reserve(PRICED, THOUSAND):
                spend.record(PRICED, Usage(500, 500))
                return True
        except TouchstoneError:
            return False

    with ThreadPoolExecutor(8) as pool:
        asked.put(sum(pool.map(ask, range(40))))
    spend.close()


@pytest.mark.slow
def test_two_processes_share_one_budget_and_neither_goes_beyond_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "0.1")
    context = multiprocessing.get_context("spawn")
    asked = context.Queue()
    both = [context.Process(target=spend_all, args=(str(tmp_path), asked)) for _ in range(2)]
    for process in both:
        process.start()
    number = asked.get(timeout=60) + asked.get(timeout=60)
    for process in both:
        process.join(60)
    # all but what is less than one question may cost
    assert number == 17
    assert SpendTracker(tmp_path).total()["mini"].money == pytest.approx(17 * 0.0055)


def test_an_endpoint_may_have_a_budget_of_its_own(tmp_path: Path) -> None:
    poor = Endpoint("http://one.example/v1", "", name="mini", price=PRICED.price, budget=0.01)
    said = r"Raise budget under \[mini\] in the file of TOUCHSTONE_ENDPOINTS"
    with pytest.raises(TouchstoneError, match=said), SpendTracker(tmp_path).reserve(poor, THOUSAND):
        pass


def test_a_budget_cannot_be_kept_without_prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "5")
    said = r"'default' has no prices to keep it by\. Set TOUCHSTONE_LLM_PRICE_READ and its like for tokens written, 0 where it is free\."
    with (
        pytest.raises(TouchstoneError, match=said),
        SpendTracker(tmp_path).reserve(Endpoint("http://a.b/v1", ""), THOUSAND),
    ):
        pass


def test_a_free_endpoint_is_asked_when_the_budget_is_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "0")
    free = Endpoint("http://a.b/v1", "", price=Price(0, 0))
    with closing(SpendTracker(tmp_path)) as ledger:
        with ledger.reserve(free, THOUSAND):
            ledger.record(free, THOUSAND)
        assert ledger.total() == {"": Spend(1, 1000, 1000)}


def test_a_person_spends_no_more_than_a_person_may_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_PERSON_BUDGET", "0.02")
    with closing(SpendTracker(tmp_path)) as spend:
        with spend.reserve(PRICED, THOUSAND, payer="ada"):
            spend.record(PRICED, THOUSAND, "ada")
        refused = (
            r"ada has spent 0\.0110 at endpoints, a person of this server may spend 0\.02 \(TOUCHSTONE_PERSON_BUDGET\)"
        )
        with pytest.raises(TouchstoneError, match=refused), spend.reserve(PRICED, THOUSAND, payer="ada"):
            pass
        for payer in ("ben", "", ""):
            with spend.reserve(PRICED, THOUSAND, payer=payer):
                spend.record(PRICED, THOUSAND, payer)
        assert spend.by_person() == {name: Spend(1, 1000, 1000, pytest.approx(0.011)) for name in ("ada", "ben")}
        assert spend.total()["mini"].money == pytest.approx(0.044)


def test_a_question_of_a_person_waits_for_their_own_under_way_and_for_nobody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_PERSON_BUDGET", "0.02")
    with closing(SpendTracker(tmp_path)) as spend, spend.reserve(PRICED, THOUSAND, payer="ada"):
        with spend.reserve(PRICED, THOUSAND, payer="ben"):
            pass
        waiting = pytest.raises(TouchstoneError, match="Nobody waits for this answer any more")
        with waiting, spend.reserve(PRICED, THOUSAND, lambda: True, "ada"):
            pass


def test_a_folder_of_an_earlier_version_counts_what_people_spend_from_now_on(tmp_path: Path) -> None:
    with closing(SpendTracker(tmp_path)) as earlier:
        earlier.record(PRICED, THOUSAND)
    with closing(sqlite3.connect(tmp_path / "spending-1.sqlite")) as store, store:
        store.execute("DROP TABLE person_spent")
        store.execute("DROP TABLE reserved_by")
    assert SpendTracker(tmp_path).by_person() == {}
    with closing(SpendTracker(tmp_path)) as spend:
        spend.record(PRICED, THOUSAND, "ada")
        assert spend.by_person()["ada"].questions == 1
