"""What endpoints were paid: counted by tokens, kept for other processes, and never beyond a budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.llm.chat import Sampling, first_question
from core.llm.endpoints import Endpoint, Price
from core.llm.prompts import Messages
from core.llm.spend import Spend, SpendTracker, Usage, actual_usage, max_usage
from core.types import Answer, EndpointModel, Question

QUESTION = first_question(Messages("Score.", "x" * 399), Sampling("m", max_tokens=50))
MEASURE = EndpointModel("mini", "endpoint_token_count")
PRICED = Endpoint("http://one.example/v1", "", name="mini", price=Price(1.0, 10.0))
THOUSAND = Usage(1_000, 1_000)


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


def test_counting_tokens_costs_nothing() -> None:
    question = Question(MEASURE, ("a text",), (("model", "m"),))
    assert (max_usage(question), actual_usage(question, Answer(values=(2.0,)))) == (Usage(), Usage())


def test_money_is_counted_by_price_and_kept_for_the_next_process(tmp_path: Path) -> None:
    first = SpendTracker(tmp_path)
    first.record(PRICED, THOUSAND)
    first.record(PRICED, THOUSAND)
    first.record(Endpoint("http://two.example/v1", ""), THOUSAND)
    assert SpendTracker(tmp_path).total() == {
        "mini": Spend(2, 2000, 2000, pytest.approx(0.022)),
        "": Spend(1, 1000, 1000, 0),
    }


def test_nothing_was_spent_in_a_new_folder_and_looking_makes_no_file(tmp_path: Path) -> None:
    assert SpendTracker(tmp_path / "new").total() == {}
    assert not (tmp_path / "new").exists()


def test_a_question_that_may_cost_more_than_is_left_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "0.02")
    ledger = SpendTracker(tmp_path)
    with ledger.reserve(PRICED, THOUSAND):
        ledger.record(PRICED, THOUSAND)
    said = r"0\.0110 of 0\.02 are spent or under way, and it may cost up to 0\.0110\. Raise TOUCHSTONE_LLM_BUDGET"
    with pytest.raises(TouchstoneError, match=said), ledger.reserve(PRICED, THOUSAND):
        pass


def test_questions_under_way_count_at_their_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "0.02")
    ledger = SpendTracker(tmp_path)
    refused = pytest.raises(TouchstoneError, match="are spent or under way")
    with ledger.reserve(PRICED, THOUSAND), refused, ledger.reserve(PRICED, THOUSAND):
        pass
    with ledger.reserve(PRICED, THOUSAND):  # the first one came to nothing
        assert ledger.total() == {}


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
    ledger = SpendTracker(tmp_path)
    with ledger.reserve(free, THOUSAND):
        ledger.record(free, THOUSAND)
    assert ledger.total() == {"": Spend(1, 1000, 1000, 0.0)}
