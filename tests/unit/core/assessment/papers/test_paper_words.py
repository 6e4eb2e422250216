"""Words of a paper, taken out of a reader's copy: found whatever the layout, checked by hash, and sent as they are printed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from core.assessment.papers.paper_words import find_words, own_words_note, printed_instructions, save_words
from core.base.profile import read_profile
from core.edits.editing.editor import Editor
from core.edits.editing.proposals import EditForm
from core.edits.perturbation import PERTURBATIONS
from core.errors import BadSettingError, TouchstoneError
from core.evaluation.explanations.detect import (
    ExplainMode,
    detect_and_explain,
    explain_given_detection,
    explanation_signature,
)
from core.models.llm.chat import Sampling
from core.models.llm.printed_words import (
    PrintedPiece,
    PrintedWords,
    key_sha256,
    papers_with_prompts,
    papers_with_words,
    printed_key,
    printed_words,
)
from core.models.llm.prompts import load_prompt
from core.scoring.metric import METRICS, signature
from core.types import Example
from tests.drive import drive
from tests.sources import ROOT
from tests.unit.command_line import done, run
from tests.unit.core.models.llm.scripted import serving, text

TEXTS = ROOT.parent / "shared" / "papers"
COPIES = {
    "bump": "bump-2023.txt",
    "longdoc": "long-document-stress-full.txt",
    "ramprasad": "ramprasad-wallace-2024.txt",
    "summexecedit": "summexecedit-2024.txt",
}
PAIR = Example("pair", "The harbour shut. Nobody fell.", "The quay was closed. {{document}} Nobody was hurt.")
SAID = "Rewrite the “whole” text. Keep well-known names.\nText: <summary>"
FOUND = {"negated": {"user": 'Rewrite the "whole" text. Keep well-known names.\nText: <summary>'}}


def piece_of(name: str, part: Any, said: str) -> PrintedPiece:
    key = printed_key(said)
    return PrintedPiece(name, part, "table 1", key[0], len(key), key_sha256(key))


WORDS = PrintedWords("longdoc", {"<summary>": "summary"}, (piece_of("negated", "user", SAID),), rows=("Row",))


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "m")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    return tmp_path


@pytest.mark.parametrize(
    "copy",
    [
        f"Before. {SAID} after.",
        "Rewrite the\n  \u201cwhole\u201d text. Keep well-known na-\nmes.\nText: <summary>",  # lines and a word broken
        'Rewrite the "whole" text. Keep well-known\nRow\tnames.\nText: <summary> </summary>',  # a row's head in a cell
        'Rewrite the "whole" text. Keep well-known names.\\nText: <summary/>',  # as a figure writes line breaks
    ],
)
def test_a_text_is_found_whatever_the_layout(copy: str) -> None:
    texts, missing = find_words(copy, WORDS)
    assert not missing
    assert " ".join(texts["negated"]["user"].split()) == " ".join(FOUND["negated"]["user"].split())


@pytest.mark.parametrize(
    "copy",
    [
        "Write one error. AND\nKeep the rest.",
        "Write one error. AND\n- Keep the rest.",
        "#### Write **one** error. AND\n- · Keep the <u>rest</u>.",
        "Write one <b>error</b>. AND\n\n• Keep the rest.",
    ],
)
def test_instructions_are_found_below_the_marks_of_a_converter(copy: str) -> None:
    piece = piece_of("write-free.task", "instructions", "Write one error. AND Keep the rest.")
    texts, missing = find_words(copy, PrintedWords("bump", {}, (piece,)))
    assert not missing
    assert texts["write-free.task"]["instructions"].split() == "Write one error. AND Keep the rest.".split()


def test_instructions_stand_as_guidelines_once_all_paragraphs_are_here(folder: Path) -> None:
    assert printed_instructions("bump", "write-free") == ""
    install("bump")
    assert own_words_note("bump") == ""  # no signature depends on them
    file = folder / "bump.words.json"
    texts = json.loads(file.read_text(encoding="utf-8"))
    paragraphs = [parts["instructions"] for name, parts in texts.items() if name.startswith("write-free.")]
    assert printed_instructions("bump", "write-free").split("\n\n") == "\n\n".join(paragraphs).split("\n\n")
    assert printed_instructions("bump", "label-pairs") == ""
    del texts["write-free.task"]
    file.write_text(json.dumps(texts), encoding="utf-8")
    assert printed_instructions("bump", "write-free") == ""
    assert printed_instructions("bump", "write-typed") != ""


def test_papers_with_instructions_alone_are_not_offered_for_questions() -> None:
    assert set(papers_with_words()) - set(papers_with_prompts()) == {"bump"}


@pytest.mark.parametrize("copy", ["", SAID.replace("Keep", "Hold"), SAID.replace("text.", "text. Page 7")])
def test_other_words_are_not_found(copy: str) -> None:
    assert find_words(copy, WORDS)[1] == list(WORDS.pieces)


def test_a_copy_without_the_words_writes_nothing_and_says_what_to_do(folder: Path) -> None:
    copy = folder / "copy.txt"
    copy.write_text("A text about something else.", encoding="utf-8")
    result = run("paper-words", "summexecedit", copy)
    assert result.exit_code == 1
    assert "not found  executable-edits, user: appendix F.1" in result.stdout
    assert "Paste the pages with the prompts into a .txt file" in result.stderr
    assert not list(folder.glob("*.json"))


def test_a_second_copy_adds_to_the_first(folder: Path) -> None:
    other = PrintedWords("longdoc", {}, (*WORDS.pieces, piece_of("added", "user", "Insert.")))
    file = save_words(find_words(SAID, WORDS)[0], WORDS, folder)
    file.write_text(json.dumps({}), encoding="utf-8")
    save_words(find_words("Insert.", other)[0], other, folder)
    assert json.loads(file.read_text(encoding="utf-8")) == {"added": {"user": "Insert."}}


def test_a_changed_file_is_refused_with_what_to_do(folder: Path) -> None:
    (folder / "longdoc.words.json").write_text(json.dumps(FOUND), encoding="utf-8")
    with pytest.raises(BadSettingError, match=r"other words than the paper prints: negated, user.*paper-words longdoc"):
        load_prompt("negated", ("document", "summary"), "longdoc")
    (folder / "longdoc.words.json").write_text("[]", encoding="utf-8")
    with pytest.raises(BadSettingError, match=r"no file of a paper's words"):
        load_prompt("negated", ("document", "summary"), "longdoc")


def test_a_paper_that_is_not_known_is_said(folder: Path) -> None:
    result = run("paper-words", "frank", folder / "copy.txt")
    assert isinstance(result.exception, TouchstoneError)
    assert "bump, longdoc, ramprasad, summexecedit" in str(result.exception)


def test_without_the_words_ours_are_used_and_signed_so() -> None:
    mark = f"{read_profile('longdoc').mark}+own-words"
    assert PERTURBATIONS.parse("negated-llm@longdoc").signature.split("|")[-2] == mark
    assert load_prompt("negated", ("document", "summary"), "longdoc").user == load_prompt("negated", ("summary",)).user
    assert "paper:" not in PERTURBATIONS.parse("negated-llm").signature
    assert own_words_note("longdoc").startswith(
        "Paper mode longdoc uses words of Touchstone for 14 of 14 printed texts"
    )
    assert own_words_note("bump") == ""


def test_a_metric_is_signed_once_with_whose_words_it_asked() -> None:
    metric = METRICS.parse("direct-assessment@ramprasad")
    used = load_prompt("direct-assessment", ("document", "summary"), "ramprasad")
    signed = signature(metric, ["0" * 12], "rules", facts=(used.signature,))
    assert signed.count("paper:") == 1
    assert f"|{read_profile('ramprasad').mark}+own-words|" in signed
    assert read_profile("ramprasad").marks(signed)


def install(paper: str) -> None:
    copy = TEXTS / COPIES[paper]
    if not copy.is_file():
        pytest.skip(f"There is no {copy.name} in ../shared/papers.")
    texts, _ = find_words(copy.read_text(encoding="utf-8"), printed_words(paper) or WORDS)
    save_words(texts, printed_words(paper) or WORDS, Path())


def printed(paper: str) -> str:
    """The text of a paper with single blanks, without what a converter put in."""
    copy = (TEXTS / COPIES[paper]).read_text(encoding="utf-8").replace("\\n", "\n").replace("\\", "")
    copy = re.sub(r"</\w+>|(?<=<source)/|(?<=ap)-\nQualifier\t|(?<=T)T(?=he claim)", "", copy)
    return " ".join(copy.replace("’", "'").split())


def as_printed(message: str, places: dict[str, str]) -> str:
    """A message with the paper's names of the texts in their places, with single blanks."""
    for given, name in places.items():
        message = message.replace(given, name)
    return " ".join(message.split())


def messages(monkeypatch: pytest.MonkeyPatch, rounds: Any) -> list[dict[str, str]]:
    with serving(lambda _path, _body: text("no answer")) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        with pytest.raises(TouchstoneError):
            drive(rounds)
    asked: list[dict[str, str]] = endpoint.asked[0][1]["messages"]
    return asked


@pytest.mark.parametrize("paper", ["longdoc", "ramprasad"])
def test_requests_of_rewrites_are_the_printed_prompts(monkeypatch: pytest.MonkeyPatch, paper: str) -> None:
    install(paper)
    source = "<document>" if paper == "longdoc" else "<source>"
    for spec in [kind for kind in read_profile(paper).kinds if "-llm" in kind]:
        kind = PERTURBATIONS.parse(spec)
        assert f"|{read_profile(paper).mark}|" in kind.signature
        for message in messages(monkeypatch, kind.rounds(PAIR, 0)):
            said = as_printed(message["content"], {PAIR.summary: "<summary>", PAIR.document: source})
            assert said in printed(paper), (spec, message["role"])
            assert "harbour" not in said


def test_phrases_are_the_printed_ones_for_each_metric() -> None:
    install("ramprasad")
    for metric in ("questeval", "summac-conv", "unieval-sum", "alignscore-large", "minicheck-flan-t5"):
        kind = PERTURBATIONS.parse(f"assertion@ramprasad[metric={metric}@ramprasad]")
        assert kind.text in printed("ramprasad")  # type: ignore[attr-defined]  # a filler
        assert kind.signature.endswith(read_profile("ramprasad").mark)
    for name in ("baseline-filler", "qualifier-filler", "phrase"):
        assert PERTURBATIONS.parse(f"{name}@ramprasad").text in printed("ramprasad")  # type: ignore[attr-defined]  # fillers
    general = PERTURBATIONS.parse("assertion@ramprasad")
    assert general.signature.endswith("+own-words")  # table 5 has none for every metric


def test_requests_of_edits_and_explanations_are_the_printed_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    install("summexecedit")
    sampling, places = Sampling("m"), {PAIR.summary: "[SUMMARY]", PAIR.document: "[DOCUMENT]"}
    asked = {
        f"edits, {form}": messages(
            monkeypatch, Editor(form, profile="summexecedit").propose_conversation(PAIR).rounds()
        )
        for form in EditForm
    }
    asked["D&E"] = messages(monkeypatch, detect_and_explain(PAIR, sampling, "summexecedit"))
    asked["E|D"] = messages(monkeypatch, explain_given_detection(PAIR, sampling, "summexecedit"))
    for name, [message] in asked.items():
        said = as_printed(message["content"], places)
        assert message["role"] == "user"
        assert said in printed("summexecedit"), name
        assert said.endswith("[Document] [DOCUMENT] [Summary] [SUMMARY]")
    mark = read_profile("summexecedit").mark
    assert f"|{mark}|" in explanation_signature(ExplainMode.DETECT, sampling, "summexecedit")


@pytest.mark.parametrize("paper", papers_with_words())
def test_every_text_of_a_paper_at_hand_is_found_by_the_command(paper: str, folder: Path) -> None:
    install(paper)
    (folder / f"{paper}.words.json").unlink()
    lines = done("paper-words", paper, TEXTS / COPIES[paper]).splitlines()
    assert lines
    assert all(line.startswith("found") for line in lines)
    assert own_words_note(paper) == ""
