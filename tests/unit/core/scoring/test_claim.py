"""The claims of a summary: by sentence, by FENICE's extractor, by a language model whose answers may be anything, and as given."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import BadSettingError, UnknownNameError
from core.models.llm.prompts import bundled_prompt
from core.models.llm.spending.spend import format_estimate
from core.scoring.claim import DECOMPOSERS, decomposition
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.outcome_records import outcome_record
from core.settings import Settings
from core.types import ClaimList, Example, Failure, FailureKind, Outcome, Result, Span, SummaryClaim
from tests.doubles.speaking_model import speaking_llama
from tests.parity import tiny_qa, toy_parser
from tests.parity.toy_parser import ToyParser, sentence_spans
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, serving, text

DOCUMENT = "Rain fell in Lindvale on Monday. The mayor closed the harbour. Nobody was hurt."
SUMMARY = "Rain fell on Monday, and the harbour was closed. Two people were hurt."
PAIR = Example("pair", DOCUMENT, SUMMARY)
LISTED = ["Rain fell on Monday.", "The harbour was closed on Monday.", "Two people were hurt."]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    opened = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path / "cache"))
    yield opened
    opened.close()


@contextmanager
def answering(monkeypatch: pytest.MonkeyPatch, reply: Reply | Callable[[Body], Reply]) -> Iterator[Endpoint]:
    """The default endpoint, which gives this answer to everything."""
    with serving(lambda _, body: reply if isinstance(reply, Reply) else reply(body)) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        yield endpoint


def found_claims(engine: Engine, by: str, example: Example = PAIR) -> ClaimList | Failure:
    [(_, found)] = engine.converse([decomposition(DECOMPOSERS.parse(by), example)])
    return found


def texts(found: ClaimList | Failure) -> list[str]:
    assert isinstance(found, ClaimList), found
    return [claim.text for claim in found.claims]


def score(engine: Engine, spec: str, example: Example = PAIR) -> Outcome:
    [(_, found)] = engine.run([METRICS.parse(spec)], [example])
    return found


def listed(*claims: object) -> str:
    return json.dumps({"claims": claims})


def test_a_way_is_found_by_being_in_the_folder() -> None:
    assert {"fenice", "given", "language-model", "sentence"} <= set(DECOMPOSERS.names())
    with pytest.raises(UnknownNameError, match="No way to find claims is named 'sentences'"):
        METRICS.parse("claims[by=sentences]")
    with pytest.raises(BadSettingError, match="combine"):
        METRICS.parse("claims[combine=max]")


def test_each_sentence_is_a_claim_in_its_place(engine: Engine) -> None:
    found = found_claims(engine, "sentence")
    assert isinstance(found, ClaimList)
    assert texts(found) == ["Rain fell on Monday, and the harbour was closed.", "Two people were hurt."]
    assert [claim.span and claim.span.of(SUMMARY) for claim in found.claims] == texts(found)
    assert (found.summary, found.by) == (SUMMARY, "sentence")


@pytest.mark.parametrize(
    "answer",
    [
        listed(*LISTED),
        f"```json\n{listed(*LISTED)}\n```",
        f"Here are the claims:\n{listed(*LISTED)}\nI hope that helps.",
        f'<think>Is it {{"claims": ["Rain."]}}? No.</think>{listed(*LISTED)}',
        listed(*(f"  {claim}\n" for claim in LISTED), LISTED[0]),
    ],
    ids=["whole", "fenced", "among prose", "after reasoning", "blanks and one twice"],
)
def test_a_model_lists_the_claims(engine: Engine, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    with answering(monkeypatch, text(answer)) as endpoint:
        found = found_claims(engine, "language-model")
    assert texts(found) == LISTED
    assert isinstance(found, ClaimList)
    assert [claim.span and claim.span.start for claim in found.claims] == [0, 0, SUMMARY.index("Two")]
    assert len(endpoint.asked) == 1
    asked = endpoint.asked[0][1]["messages"][1]["content"]
    assert SUMMARY in asked
    assert DOCUMENT not in asked  # the claims are the summary's, whatever the document says
    assert found.by == f"language-model, claims by model:tiny, {bundled_prompt('claims').signature}"


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (text("1. Rain fell on Monday.\n2. Two people were hurt."), "no complete JSON object; one is expected."),
        (text('{"claims": ["Rain fell on Mon'), "no complete JSON object"),
        (text('{"claims": ["Rain fell', ended="length"), "cut at its limit of tokens."),
        (text(""), "The answer is empty."),
        (text(None, refused="I must not."), "The model refused. The model said: “I must not.”"),
        (text(listed()), "claims: List should have at least 1 item"),
        (text(listed("")), "claims.0: String should have at least 1 character"),
        (text(listed("Rain fell.", 3)), "claims.1: Input should be a valid string"),
        (text(listed({"claim": "Rain fell."})), "claims.0: Input should be a valid string"),
        (text('["Rain fell."]'), "no complete JSON object"),
        (text('{"statements": ["Rain fell."]}'), "claims: Field required"),
        (text(listed(*map(str, range(201)))), "claims: List should have at most 200 items"),
        (text(listed("Rain.") + listed("Snow.")), "2 JSON objects"),
    ],
    ids="numbered broken truncated empty refused none blank number object list key many two".split(),
)
def test_what_is_no_list_of_claims_is_a_failure_and_never_a_number(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, reply: Reply, sentence: str
) -> None:
    with answering(monkeypatch, reply):
        found = found_claims(engine, "language-model")
        scored = score(engine, "claims[metric=rouge2,by=language-model]")
    for one in (found, scored):
        assert isinstance(one, Failure)
        assert one.kind is FailureKind.INPUT
        assert sentence in one.error
    assert outcome_record(PAIR, scored)["score"] is None  # type: ignore[arg-type]  # a Failure, as was asserted


def test_a_bad_answer_is_asked_for_once_more(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def second_time(body: Body) -> Reply:
        return text(listed(*LISTED) if len(body["messages"]) > 2 else "- Rain fell on Monday.")

    with answering(monkeypatch, second_time) as endpoint:
        assert texts(found_claims(engine, "language-model")) == LISTED
    assert len(endpoint.asked) == 2
    assert "one JSON object" in endpoint.asked[1][1]["messages"][-1]["content"]


def test_without_an_endpoint_the_reason_is_said(engine: Engine) -> None:
    scored = score(engine, "claims[metric=rouge2,by=language-model]")
    assert isinstance(scored, Failure)
    assert scored.kind is FailureKind.NEEDS_ENDPOINT


def test_the_cost_is_known_before(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch, text(listed(*LISTED))) as endpoint:
        way = DECOMPOSERS.parse("language-model")
        assert format_estimate(engine.estimate([decomposition(way, PAIR)])).startswith("1 question to endpoints")
        judged = METRICS.parse("claims[metric=direct-assessment,by=sentence]")
        assert engine.estimate(engine.conversations([judged], [PAIR])).questions == 2  # a question for each claim
        assert endpoint.asked == []


def test_claims_and_scores_are_asked_for_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch, text(listed(*LISTED))) as endpoint:
        texts(found_claims(engine, "language-model"))
        for metric in ("rouge2", "bleu"):
            assert isinstance(score(engine, f"claims[metric={metric},by=language-model]"), Result)
    assert len(endpoint.asked) == 1


def test_a_claim_whose_judgement_cannot_be_read_fails_the_score(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(body: Body) -> Reply:
        asked = body["messages"][1]["content"]
        return text("I cannot say." if "Two people" in asked else '{"score": 80}')

    with answering(monkeypatch, judge):
        found = score(engine, "claims[metric=direct-assessment]")
    assert isinstance(found, Failure)
    assert found.error.startswith("Claim 2 (“Two people were hurt.”): The answer holds no complete JSON object")


def given(*claims: str, summary: str = SUMMARY, by: str = "edited by hand") -> Example:
    return Example("pair", DOCUMENT, SUMMARY, claims=ClaimList(summary, tuple(map(SummaryClaim, claims)), by))


def test_given_claims_are_what_is_scored(engine: Engine) -> None:
    found = score(engine, "claims[metric=rouge2,by=given]", given("Nobody was hurt."))
    assert isinstance(found, Result)
    assert found.score == 1.0
    assert "|claims:edited by hand|" in found.signature
    [one] = found.claims
    assert one.evidence
    assert one.evidence.of(DOCUMENT) == "Nobody was hurt."


@pytest.mark.parametrize(
    ("example", "sentence"),
    [
        (PAIR, "No claims came with this summary."),
        (given(), "No claims came with this summary."),
        (given("Rain fell.", summary="Rain fell."), "are of another text"),
    ],
    ids=["none", "empty", "stale"],
)
def test_claims_that_are_not_there_or_of_another_text_are_a_failure(
    engine: Engine, example: Example, sentence: str
) -> None:
    found = score(engine, "claims[metric=rouge2,by=given]", example)
    assert isinstance(found, Failure)
    assert sentence in found.error


def test_a_claim_that_the_metric_cannot_score_says_why_and_counts_for_nothing(engine: Engine) -> None:
    found = score(engine, "claims[metric=conciseness,by=given]", given("Nobody was hurt.", "…"))
    alone = score(engine, "conciseness", Example("alone", DOCUMENT, "Nobody was hurt."))
    assert isinstance(found, Result)
    assert isinstance(alone, Result)
    assert found.score == alone.score != 0
    first, second = outcome_record(PAIR, found)["claims"]
    assert (first["score"], first["error"], first["evidence"]["text"]) == (alone.score, None, "Nobody was hurt.")
    assert (second["score"], second["error"]) == (
        None,
        "The summary holds no word, only punctuation or symbols: there is nothing to compare.",
    )
    assert any(note.startswith("Claim 2 was left out: ") for note in found.seen.notes)
    assert isinstance(score(engine, "claims[metric=conciseness,by=given]", given("…")), Failure)


@pytest.fixture(scope="module")
def extractor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Path]]:
    """A T5 with random weights, and rules in place of spaCy."""
    folder = tmp_path_factory.mktemp("extractor")
    with pytest.MonkeyPatch.context() as patch:
        ToyParser().install(patch)
        yield {"extractor": tiny_qa.extractor(folder / "t5"), "parser": toy_parser.parser(folder / "parser")}


def test_the_extractor_of_fenice_writes_them(engine: Engine, extractor: Mapping[str, Path]) -> None:
    by = f"fenice[{','.join(f'{name}={folder}' for name, folder in extractor.items())}]"
    found = found_claims(engine, by)
    written = texts(found)
    assert isinstance(found, ClaimList)
    assert len(written) == len(set(written)) > 0
    assert all(sentence_spans(claim) == [Span(0, len(claim))] for claim in written)
    assert found.by == "fenice[extractor=…,parser=…]"  # a folder means nothing elsewhere
    scored = score(engine, f"claims[metric=bleu,by={by}]")
    assert isinstance(scored, Result)
    assert [one.claim for one in scored.claims] == list(found.claims)
    assert str(extractor["extractor"]) not in scored.signature
    assert scored.signature.count("weights:") == 2


def test_a_chat_model_of_this_machine_lists_them(engine: Engine, tmp_path: Path) -> None:
    folder = speaking_llama(tmp_path / "chat", listed("Rain fell.", "The harbour was closed."))
    found = found_claims(engine, f"language-model[model=local:{folder}]")
    assert texts(found) == ["Rain fell.", "The harbour was closed."]
    assert isinstance(found, ClaimList)
    assert found.by.startswith("language-model[model=local:…], claims by model:local:chat, prompt:claims@1#")
    random = speaking_llama(tmp_path / "random")
    failed = score(engine, f"claims[metric=rouge2,by=language-model[model=local:{random},max_tokens=8]]")
    assert isinstance(failed, Failure)
    assert failed.kind is FailureKind.INPUT


def test_weights_that_are_not_here_are_a_failure_with_what_to_do(engine: Engine, tmp_path: Path) -> None:
    found = score(engine, f"claims[metric=rouge2,by=fenice[extractor={tmp_path / 'none'},parser={tmp_path}]]")
    assert isinstance(found, Failure)
    assert str(tmp_path / "none") in found.error
