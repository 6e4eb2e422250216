"""Direct assessment and its closed-book control: a number from an answer of the asked form, else a failure with the answer."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.assessment.catalog.metric_catalog import list_metrics
from core.errors import BadSettingError
from core.models.llm.endpoints.endpoint import address_fingerprint
from core.models.llm.prompts import bundled_prompt
from core.models.llm.spending.budget import SpendTracker
from core.models.llm.spending.spend import CostEstimate, Spend, format_estimate
from core.models.model_pool import ModelPool
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.outcome_records import outcome_record
from core.settings import Settings
from core.types import Example, Failure, FailureKind, Outcome, Result, Span
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, refusal, serving, stream, text

KEY = "sk-a-secret-of-nobody"
PAIR = Example("pair", "It rained in Lindvale.", "Rain fell.")
AT_ONCE = {"retry-after": "0.001"}
PATIENCE_S = 20.0
FILE = """
[mini]
base_url = "{url}"
key_from = "ONE_KEY"
model = "small"
stream = true
price_read = 1000
price_written = 10000
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", KEY)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    opened = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path / "cache"))
    yield opened
    opened.close()


@contextmanager
def answering(monkeypatch: pytest.MonkeyPatch, *replies: Reply | Callable[[str, Body], Reply]) -> Iterator[Endpoint]:
    """The default endpoint, which gives these answers in turn and the last one for good."""
    left = list(replies)

    def answer(path: str, body: Body) -> Reply:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply if isinstance(reply, Reply) else reply(path, body)

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        yield endpoint


def outcome(engine: Engine, spec: str = "direct-assessment", example: Example = PAIR) -> Outcome:
    [(_, found)] = engine.run([METRICS.parse(spec)], [example])
    return found


def result(engine: Engine, spec: str = "direct-assessment") -> Result:
    found = outcome(engine, spec)
    assert isinstance(found, Result), found
    return found


def failure(engine: Engine, spec: str = "direct-assessment") -> Failure:
    found = outcome(engine, spec)
    assert isinstance(found, Failure), found
    return found


def mark(score: object) -> Reply:
    return text(json.dumps({"score": score}))


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        (mark(87), 0.87),
        (mark(0), 0.0),
        (mark(100.0), 1.0),
        (mark(61.5), 0.615),
        (text('```json\n{"score": 40}\n```'), 0.4),
        (text('Here it is:\n{"score": 40}\nI hope that helps.'), 0.4),
        (text('<think>{"score": 1}</think>{"score": 40}'), 0.4),
    ],
    ids=["whole", "zero", "hundred", "fraction", "fenced", "trailing prose", "thoughts"],
)
def test_a_score_from_0_to_100_becomes_one_from_0_to_1(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, reply: Reply, score: float
) -> None:
    with answering(monkeypatch, reply):
        assert result(engine).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (
            text('{"score": 8', ended="length"),
            'cut at its limit of tokens. Set max_tokens= higher, or reasoning_tokens of the endpoint of a reasoning model. The model said: “{"sc',
        ),
        (text(None, refused="I must not."), "The model refused. The model said: “I must not.”"),
        (text("", ended="content_filter"), "The endpoint's filter blocked the answer."),
        (text(""), "The answer is empty. The model said nothing."),
        (
            text("Die Zusammenfassung ist zu 90 Prozent richtig."),
            "no complete JSON object; one is expected. The model said",
        ),
        (text('{"Punktzahl": 90}'), "score: Field required"),
        (text('{"score": 8'), "The answer holds no complete JSON object"),
        (text('{"score": "high"}'), "score: Input should be a valid number"),
        (text('{"score": true}'), "score: Input should be a valid number"),
        (mark(101), "score: Input should be less than or equal to 100"),
        (mark(-1), "score: Input should be greater than or equal to 0"),
        (text('{"score": NaN}'), "The answer"),
        (text('{"score": 1} {"score": 2}'), "2 JSON objects"),
    ],
    ids="truncated refused filtered empty language keys broken quoted bool high low nan two".split(),
)
def test_what_is_no_score_is_a_failure_with_the_raw_answer(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, reply: Reply, sentence: str
) -> None:
    with answering(monkeypatch, reply):
        found = failure(engine)
    assert found.kind is FailureKind.INPUT
    assert sentence in found.error
    assert outcome_record(PAIR, found)["score"] is None


def test_an_answer_that_cannot_be_read_is_asked_for_once_more(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch, text("Ninety."), mark(90)) as endpoint:
        found = result(engine)
    assert found.score == pytest.approx(0.9)
    assert found.seen.notes == ("The first answer could not be read and was asked for once more.",)
    assert [len(body["messages"]) for _, body in endpoint.asked] == [2, 4]


@pytest.mark.parametrize(
    "reply",
    [
        text('{"score": 8', ended="length"),
        text(None, refused="I must not."),
        text("", ended="content_filter"),
        text(""),
    ],
    ids=["truncated", "refused", "filtered", "empty"],
)
def test_no_cache_keeps_a_retry_from_helping(engine: Engine, monkeypatch: pytest.MonkeyPatch, reply: Reply) -> None:
    with answering(monkeypatch, reply, mark(70)):
        failure(engine)
        assert result(engine).score == pytest.approx(0.7)


def test_a_score_is_paid_for_once_and_a_sample_is_a_fresh_one(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch, mark(70), mark(20)) as endpoint:
        assert [result(engine).score for _ in range(3)] == pytest.approx([0.7] * 3)
        assert result(engine, "direct-assessment[sample=1]").score == pytest.approx(0.2)
    assert len(endpoint.asked) == 2


def test_the_document_is_read_by_one_and_kept_from_the_other(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch, mark(70)) as endpoint:
        seen = [result(engine, name).seen.pieces for name in ("direct-assessment", "closed-book")]
    sent = [json.dumps(body["messages"]) for _, body in endpoint.asked]
    assert [PAIR.document in messages for messages in sent] == [True, False]
    assert all(PAIR.summary in messages for messages in sent)
    assert seen == [(Span(0, len(PAIR.document)),), ()]


def test_the_control_asks_for_factual_accuracy_and_not_for_consistency_with_what_it_cannot_see(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(monkeypatch, mark(70)) as endpoint:
        signature = result(engine, "closed-book").signature
    [(_, body)] = endpoint.asked
    sent = json.dumps(body["messages"])
    assert "factual accuracy" in sent.lower()
    assert "consisten" not in sent
    assert "prompt:direct-closed-book@2#" in signature


def test_the_signature_tells_model_prompt_sampling_and_endpoint(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(monkeypatch, mark(70)) as endpoint:
        facts = result(engine, "direct-assessment[temperature=0.5]").signature.split("|")
    assert {"direct-assessment", "model:tiny", "temperature:0.5", "top_p:1.0", "max_tokens:512", "sample:0"} <= {*facts}
    assert bundled_prompt("direct-assessment").signature in facts
    assert f"address:{address_fingerprint(endpoint.url)[:12]}" in facts


def test_an_edited_prompt_makes_another_number_with_another_signature(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours = (Path(__file__).parents[5] / "core/models/prompts/direct-assessment.md").read_text(encoding="utf-8")
    with answering(monkeypatch, mark(70), mark(30)):
        before = result(engine)
        (tmp_path / "prompts").mkdir()
        (tmp_path / "prompts/direct-assessment.md").write_text(ours.replace("You assess", "You strictly assess"))
        monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path / "prompts"))
        after = result(engine)
    assert (before.score, after.score) == pytest.approx((0.7, 0.3))
    assert before.signature != after.signature


def test_inside_retrieval_the_prompt_stands_in_the_signature_too(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(monkeypatch, mark(70)):
        found = result(engine, "retrieve[metric=direct-assessment,k=1]")
    assert bundled_prompt("direct-assessment").signature in found.signature
    assert "model:tiny" in found.signature


def test_a_named_endpoint_is_asked_with_its_model_key_and_price(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ONE_KEY", KEY)
    monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(tmp_path / "endpoints.toml"))
    with serving(lambda _path, _body: stream('{"sco', 're": 55}', read=7, written=3)) as endpoint:
        (tmp_path / "endpoints.toml").write_text(FILE.format(url=endpoint.url))
        found = result(engine, "direct-assessment[endpoint=mini]")
    assert found.score == pytest.approx(0.55)
    assert "model:small" in found.signature
    assert endpoint.keys == [f"Bearer {KEY}"]
    assert SpendTracker(tmp_path / "cache").total()["mini"].money == pytest.approx((7 * 1000 + 3 * 10_000) / 1e6)


@pytest.mark.slow
def test_a_stream_that_breaks_off_is_a_failure(engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ONE_KEY", KEY)
    monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(tmp_path / "endpoints.toml"))
    with serving(lambda _path, _body: stream('{"score": 5', ended="")) as endpoint:
        (tmp_path / "endpoints.toml").write_text(FILE.format(url=endpoint.url))
        found = failure(engine, "direct-assessment[endpoint=mini]")
    assert found.error == f"{endpoint.url} broke off in the middle of its answer. Ask again."


@pytest.mark.parametrize(
    "first",
    [refusal(429, "later", **AT_ONCE), refusal(500, "boom", **AT_ONCE), Reply(dropped=True)],
    ids=["429", "500", "dropped"],
)
def test_what_fails_for_the_moment_costs_no_score(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, first: Reply
) -> None:
    with answering(monkeypatch, first, mark(70)) as endpoint:
        assert result(engine).score == pytest.approx(0.7)
    assert len(endpoint.asked) == 2


def test_a_long_pause_that_a_server_asks_for_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch, refusal(429, "later", **{"retry-after": "600"})) as endpoint:
        found = failure(engine)
    assert found.error == f"{endpoint.url} has reached its rate limit. Wait 600 s and try again. It says: “later”."
    assert len(endpoint.asked) == 1


def test_a_slow_answer_holds_up_no_quick_one(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = threading.Event()

    def answer(_path: str, body: Any) -> Reply:
        if "Snow" in body["messages"][1]["content"]:
            assert quick.wait(PATIENCE_S), "the quick answer waited for the slow one"
            return mark(10)
        return mark(70)

    slow = Example("slow", PAIR.document, "Snow fell.")
    many = [Example(f"pair-{number}", PAIR.document, f"Rain fell {number} times.") for number in range(20)]
    with answering(monkeypatch, answer):
        request = engine.submit("ana", [METRICS.parse("direct-assessment")], [slow, *many])
        version, cells = engine.cells(request)
        while sum(cell.outcome is not None for cell in cells.values()) < len(many):
            assert engine.wait(request, version, PATIENCE_S)
            version, cells = engine.cells(request)
        assert cells["direct-assessment", "slow"].outcome is None
        quick.set()
        engine.release("ana")


def test_a_budget_stops_a_run_with_a_sentence_and_what_was_paid_for_is_kept(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_AT_ONCE", "1")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_READ", "0")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_WRITTEN", "1000")
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "0.516")  # 512 tokens at most, 3 in truth: the third may cost too much
    metric = METRICS.parse("direct-assessment")
    examples = [Example(f"pair-{number}", PAIR.document, f"Rain fell {number} times.") for number in range(4)]
    with answering(monkeypatch, mark(70)) as endpoint:
        found = [one for _, one in engine.run([metric], examples)]
        refused = [one.error for one in found if isinstance(one, Failure)]
        assert len(refused) == 2
        assert "Raise TOUCHSTONE_LLM_BUDGET and start again; all answers so far are kept." in refused[0]
        monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "5")
        assert all(isinstance(one, Result) for _, one in engine.run([metric], examples))
    assert len(endpoint.asked) == 4


def test_a_person_without_money_left_asks_nothing_and_others_do(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_READ", "0")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_WRITTEN", "1000")
    monkeypatch.setenv("TOUCHSTONE_PERSON_BUDGET", "0.514")  # 512 tokens at most, 3 in truth
    metric = METRICS.parse("direct-assessment")
    first, second, third = [Example(str(n), PAIR.document, f"Rain fell {n} times.") for n in range(3)]
    with answering(monkeypatch, mark(70)) as endpoint:
        assert [isinstance(one, Result) for _, one in engine.charged_to("ada").run([metric], [first])] == [True]
        request = engine.charged_to("ada").submit("a page", [metric], [second])
        outcome = request.tasks[metric.spec, second.id].done.result(PATIENCE_S)
        assert isinstance(outcome, Failure)
        assert "ada has spent 0.0030 at endpoints, a person of this server may spend 0.514" in outcome.error
        assert len(endpoint.asked) == 1
        for other in (engine.charged_to("ben"), engine):
            assert [isinstance(one, Result) for _, one in other.run([metric], [third])] == [True]
    spent = SpendTracker(engine.folder).by_person()
    assert {person: spend.questions for person, spend in spent.items()} == {"ada": 1, "ben": 1}


def test_answers_stay_under_the_address_that_gave_them(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch, mark(70)) as first:
        here = result(engine)
    with answering(monkeypatch, mark(20)) as second:
        there = result(engine)
    assert (here.score, there.score) == pytest.approx((0.7, 0.2))
    assert address_fingerprint(first.url)[:12] in here.signature
    assert address_fingerprint(second.url)[:12] in there.signature


def test_a_question_is_not_sent_to_an_address_that_was_set_while_it_waited(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second question of a conversation, after the address changed: neither asked elsewhere nor kept as asked here."""
    with serving(lambda _path, _body: mark(20)) as other:

        def moving(_path: str, _body: Body) -> Reply:
            monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", other.url)
            return text("Ninety.")

        with answering(monkeypatch, moving) as endpoint:
            found = failure(engine)
    assert f"was changed while this question waited for {endpoint.url}. Ask again." in found.error
    assert other.asked == []


@pytest.mark.parametrize(
    "setting", ["temperature=-1", "temperature=3", "top_p=0", "top_p=2", "max_tokens=0", "sample=-1"]
)
def test_a_setting_out_of_range_is_refused(setting: str) -> None:
    with pytest.raises(BadSettingError, match=r"direct-assessment: .* got"):
        METRICS.parse(f"direct-assessment[{setting}]")


@pytest.mark.parametrize("name", ["direct-assessment", "closed-book"])
def test_without_an_endpoint_one_sentence_says_what_to_set(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_MODEL")
    pool = ModelPool("cpu", 1_000_000, tmp_path)
    [line] = [line for line in list_metrics(pool) if line.name == name]
    assert line.state == "needs endpoint"
    found = failure(engine, name)
    assert found.kind is FailureKind.NEEDS_ENDPOINT
    assert "\n" not in found.error
    pool.close()


@pytest.mark.parametrize("reply", [refusal(401, f"Incorrect key {KEY}"), refusal(400, f"{KEY} is wrong"), mark(70)])
def test_the_key_ends_nowhere(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with answering(monkeypatch, reply) as endpoint:
        found = outcome(engine)
    engine.close()
    assert {*endpoint.keys} == {f"Bearer {KEY}"}
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY not in f"{found} {json.dumps(outcome_record(PAIR, found))} {caplog.text}"
    assert KEY.encode() not in kept


def test_a_run_is_estimated_before_and_counted_after(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_READ", "0")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_WRITTEN", "1000")
    metrics, other = [METRICS.parse("direct-assessment"), METRICS.parse("rouge2")], Example("b", "It rained.", "No.")
    with answering(monkeypatch, mark(70)) as endpoint:
        before = engine.estimate(engine.conversations(metrics, [PAIR, other]))
        assert endpoint.asked == []
        assert (before.questions, before.written, before.money) == (2, 1024, pytest.approx(1.024))
        result(engine)
        after = engine.estimate(engine.conversations(metrics, [PAIR, other]))
    assert (after.questions, after.written) == (1, 512)  # what is kept costs nothing
    assert engine.spent() == {"": Spend(1, 7, 3, pytest.approx(0.003))}


def test_what_nobody_can_be_asked_spoils_no_estimate(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = [METRICS.parse("direct-assessment"), METRICS.parse("direct-assessment[model=m,endpoint=nowhere]")]
    with answering(monkeypatch, mark(70)):
        assert engine.estimate(engine.conversations(metrics, [PAIR])).questions == 1


def test_an_estimate_says_what_it_cannot_know(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch, mark(70)):
        wrapped = engine.estimate(engine.conversations([METRICS.parse("retrieve[metric=direct-assessment]")], [PAIR]))
        plain = engine.estimate(engine.conversations([METRICS.parse("direct-assessment")], [PAIR]))
    assert (wrapped.questions, wrapped.open_ended) == (0, 1)
    assert plain.unpriced == ("default",)
    assert format_estimate(wrapped).endswith("1 text will need more, which is not known before")
    assert format_estimate(plain).endswith(
        "about 512 written with answers of full length; the price of default is not set"
    )
    assert format_estimate(CostEstimate()) == ""


@pytest.mark.parametrize(
    ("scale", "said", "expected"),
    [
        ("5", '{"score": 5}', 1.0),
        ("5", '{"score": "4/5"}', None),
        ("5", '{"score": 2}', 0.25),
        ("5", '{"score": 0}', None),
        ("yes-no", '{"consistent": "Yes."}', 1.0),
        ("yes-no", '{"consistent": false}', 0.0),
        ("yes-no", '{"consistent": "partly"}', None),
    ],
)
def test_a_mark_on_another_scale_lies_between_0_and_1(
    scale: str, said: str, expected: float | None, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = METRICS.parse(f"direct-assessment[scale={scale}]")
    with answering(monkeypatch, text(said)) as endpoint:
        [(_, outcome)] = engine.run([metric], [PAIR])
    asked = endpoint.asked[0][1]["messages"][-1]["content"]
    assert ("1 to 5" if scale == "5" else '"yes" or "no"') in asked
    assert (outcome.score if isinstance(outcome, Result) else None) == expected


def test_a_judge_names_its_other_scales_and_refuses_what_there_is_not() -> None:
    scales = [one.spec for one in METRICS.parse("direct-assessment[model=m]").rescalings()]
    assert scales == ["direct-assessment[model=m,scale=5]", "direct-assessment[model=m,scale=yes-no]"]
    assert not METRICS.parse("closed-book").rescalings()
    with pytest.raises(BadSettingError, match=r"has no scale '7'\. Leave it out, or take 5 or yes-no"):
        METRICS.parse("direct-assessment[scale=7]")
    with pytest.raises(BadSettingError, match="Leave wording or scale out"):
        METRICS.parse("direct-assessment[scale=5,wording=1]")
