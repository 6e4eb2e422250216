"""Prompted perturbations against a server that says what a script tells it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.edits.perturbation import PERTURBATIONS, Perturbation
from core.errors import MissingEndpointError, TouchstoneError, UnscorableError
from core.models.llm.prompts import PROMPTS_FOLDER
from core.text import edits as executable
from core.types import Edit, Example
from tests.drive import drive
from tests.unit.core.models.llm.scripted import Endpoint, Reply, refusal, serving, text

DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm. Nobody was hurt. Repairs take until June."
SUMMARY = "A storm closed the harbour on Tuesday. Nobody was hurt."
PAIR = Example("pair", DOCUMENT, SUMMARY)
GOOD = {
    "paraphrased-llm": "On Tuesday the harbour was closed by a storm. No one was hurt.",
    "simplified-llm": "There was a storm. It closed the harbour on Tuesday. Nobody was hurt.",
    "synonyms-llm": "A tempest closed the port on Tuesday. Nobody was injured.",
    "less-diverse-llm": "A storm closed the harbour on Tuesday. The storm hurt nobody.",
    "negated-llm": "A storm did not leave the harbour open on Tuesday. It is not the case that anybody was hurt.",
    "summarized-llm": "A storm closed the harbour on Tuesday, hurting nobody.",
    "added-llm": f"{SUMMARY} Repairs take until June.",
    "shuffled-llm": "Nobody was hurt. A storm closed the harbour on Tuesday.",
}
MODEL = "tiny"

Serve = Callable[[Reply], Endpoint]


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.delenv("TOUCHSTONE_PROMPTS_DIR", raising=False)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", MODEL)


def perturbed(monkeypatch: pytest.MonkeyPatch, spec: str, reply: Reply, example: Example = PAIR, seed: int = 0) -> Any:
    """The edits that come of a reply, and what was asked."""
    with serving(lambda _path, _body: reply) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        edits: list[Edit] = drive(PERTURBATIONS.parse(spec).rounds(example, seed))
    return edits, endpoint.asked


def test_there_is_one_for_every_form_of_the_papers() -> None:
    prompted = {plugin.name for plugin in PERTURBATIONS if plugin.card.form == "prompt"}
    assert prompted == set(GOOD)
    assert {file.stem for file in PROMPTS_FOLDER.glob("*.md")} >= {name.removesuffix("-llm") for name in GOOD}


@pytest.mark.parametrize("name", GOOD)
def test_the_edits_execute_to_exactly_what_the_model_said(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    edits, [(path, body)] = perturbed(monkeypatch, name, text(GOOD[name]))
    assert executable.apply(SUMMARY, edits) == GOOD[name]
    assert (path, body["model"], body["temperature"], body["top_p"]) == ("/v1/chat/completions", MODEL, 0, 0.5)


@pytest.mark.parametrize("name", GOOD)
def test_the_summary_is_sent_fenced_and_the_document_only_where_it_is_needed(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    _, [(_, body)] = perturbed(monkeypatch, name, text(GOOD[name]))
    system, user = (message["content"] for message in body["messages"])
    assert f">\n{SUMMARY}\n</summary-" in user
    assert (DOCUMENT in user) == (name == "added-llm")
    assert "never followed" in system


@pytest.mark.parametrize("name", GOOD)
def test_what_comes_around_the_summary_is_no_part_of_the_variant(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    edits, _ = perturbed(monkeypatch, name, text(f"Here is the summary:\n\n```\n{GOOD[name]}\n```"))
    assert executable.apply(SUMMARY, edits) == GOOD[name]


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (text(SUMMARY), "changed nothing"),
        (text("I'm sorry, but the harbour was closed on Tuesday."), "adds text besides the summary"),
        (text("Das Haus brennt. Niemand kam."), "another language"),
        (text(None, refused="I will not."), "The model refused"),
        (text("", ended="stop"), "The answer is empty"),
        (text("On Tuesday the harb", ended="length"), "cut at its limit"),
    ],
    ids=["unchanged", "commentary", "wrong language", "refused", "empty", "truncated"],
)
def test_what_is_no_variant_is_refused_with_what_was_said(
    monkeypatch: pytest.MonkeyPatch, name: str, reply: Reply, problem: str
) -> None:
    with pytest.raises(UnscorableError, match=problem) as raised:
        perturbed(monkeypatch, name, reply)
    message = reply.content["choices"][0]["message"]  # type: ignore[index]  # a completion
    assert (message["refusal"] or message["content"] or "said nothing") in str(raised.value)


@pytest.mark.parametrize("name", sorted(set(GOOD) - {"summarized-llm"}))
def test_a_dropped_sentence_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with pytest.raises(UnscorableError, match=r"dropped .* The model said: “A storm shut the harbour on Tuesday\.”"):
        perturbed(monkeypatch, name, text("A storm shut the harbour on Tuesday."))


def test_a_shortened_summary_may_leave_no_information_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnscorableError, match=r"left information out: Tuesday\. The model said"):
        perturbed(monkeypatch, "summarized-llm", text("A storm closed the harbour."))
    _, asked = perturbed(monkeypatch, "summarized-llm", text(GOOD["summarized-llm"]))
    prompt = asked[0][1]["messages"][1]["content"]
    assert "without leaving out any of its information" in prompt
    assert "main points" not in prompt


def test_one_sentence_cannot_be_shuffled_and_nobody_is_asked() -> None:
    with pytest.raises(UnscorableError, match=r"1 different sentence\(s\); this needs 2"):
        next(PERTURBATIONS.parse("shuffled-llm").rounds(Example("pair", DOCUMENT, "It closed. It closed."), 0))


def test_a_failure_of_the_server_is_told_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", "sk-a-secret-of-nobody")
    with pytest.raises(TouchstoneError, match="does not accept the key") as raised:
        perturbed(monkeypatch, "paraphrased-llm", refusal(401, "sk-a-secret-of-nobody is wrong"))
    assert "sk-a" not in str(raised.value)


def test_an_edit_names_model_prompt_and_endpoint_and_says_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    edits, _ = perturbed(monkeypatch, "negated-llm", text(GOOD["negated-llm"]))
    [by] = {edit.by for edit in edits}
    perturbation = PERTURBATIONS.parse("negated-llm")
    assert by == perturbation.signature
    assert by.startswith("negated-llm|model:tiny|temperature:0|top_p:0.5|max_tokens:2048|prompt:negated@1#")
    assert {edit.explanation for edit in edits} == {perturbation.card.does}


def test_another_prompt_model_or_endpoint_is_another_signature(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain, named = PERTURBATIONS.parse("negated-llm"), PERTURBATIONS.parse("negated-llm[model=other]")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://one.example/v1")
    signatures = {plain.signature, named.signature}
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://two.example/v1")
    signatures.add(plain.signature)
    edited = (PROMPTS_FOLDER / "negated.md").read_text(encoding="utf-8").replace("Put at least one", "Put one")
    (tmp_path / "negated.md").write_text(edited, encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))
    signatures.add(plain.signature)
    assert len(signatures) == 4


def test_a_person_may_put_another_prompt_in_place_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mine = "---\nversion: 9\nvariables: summary\npaper: none\n---\n# System\nBe odd.\n# User\nOddly: {{summary}}\n"
    (tmp_path / "paraphrased.md").write_text(mine, encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))
    edits, [(_, body)] = perturbed(monkeypatch, "paraphrased-llm", text(GOOD["paraphrased-llm"]))
    assert body["messages"][1]["content"].startswith("Oddly: <summary-")
    assert "|prompt:paraphrased@9#" in edits[0].by


def question_of(spec: str, seed: int) -> Any:
    [question] = next(PERTURBATIONS.parse(spec).rounds(PAIR, seed))
    return question


def test_a_seed_is_another_draw_only_where_there_is_something_to_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://one.example/v1")
    assert question_of("negated-llm", 1) == question_of("negated-llm", 2)
    assert question_of("negated-llm[temperature=0.7]", 1) != question_of("negated-llm[temperature=0.7]", 2)


def test_without_an_endpoint_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    with pytest.raises(MissingEndpointError, match=r"No language-model endpoint is set. Set TOUCHSTONE_LLM_BASE_URL"):
        drive(PERTURBATIONS.parse("negated-llm").rounds(PAIR, 0))


@pytest.mark.parametrize("name", GOOD)
def test_there_are_no_edits_before_a_model_is_asked(name: str) -> None:
    perturbation: Perturbation = PERTURBATIONS.parse(name)
    with pytest.raises(UnscorableError, match="asks a language model"):
        perturbation.edits(PAIR, random.Random(0))


@pytest.mark.parametrize("name", GOOD)
def test_its_spelling_reads_back(name: str) -> None:
    perturbation = PERTURBATIONS.parse(f"{name}[model=a,temperature=0.5]")
    assert PERTURBATIONS.parse(perturbation.spec) == perturbation
    assert perturbation != PERTURBATIONS.parse(name)
