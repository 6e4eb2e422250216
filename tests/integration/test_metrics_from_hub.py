"""From nothing to a score, for every metric with weights: doctor says what is missing, downloads it from a hub whose
repositories have the form of the real ones, and the score is that of the same weights in a folder.
"""

from __future__ import annotations

import json
import shutil
import tarfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from huggingface_hub import constants
from transformers import BartForConditionalGeneration
from typer.testing import CliRunner

from cli import app
from core.scoring.metric import METRICS
from tests.conftest import Weights as Built
from tests.doubles.model_hub import ModelHub
from tests.parity import tiny_entailment as entailment
from tests.parity import tiny_likelihood as likelihood
from tests.parity import tiny_qa as qa
from tests.parity import tiny_tokens as tokens
from tests.parity.published_forms import LEFTOVERS, Vocabulary, Weights, publish, publish_lightning
from tests.parity.toy_parser import stand_in
from tests.tiny import TEXT, byte_level, deberta, roberta, t5
from tests.unit.core.models.hub import serving


@dataclass(frozen=True)
class Part:
    """A repository of the hub: the setting that names it, what it holds, and in which form."""

    setting: str
    repository: str
    build: Callable[..., Path]
    weights: Weights
    vocabulary: Vocabulary
    given: tuple[object, ...] = ()
    inside: str = ""

    def folder(self, built: Built) -> Path:
        return built(self.build, *self.given) / self.inside


def sentence_encoder(folder: Path) -> Path:
    """A BERT with mean pooling, as sentence-transformers saves it."""
    qa.bert(folder)
    pooling = {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}
    names = ("Transformer", "Pooling")
    modules = [
        {"idx": n, "name": str(n), "path": f"{n}_{name}" if n else "", "type": f"sentence_transformers.models.{name}"}
        for n, name in enumerate(names)
    ]
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    return folder


BART = Part("checkpoint", "facebook/bart-large-cnn", likelihood.bart, "pickle", "merges")
VITC = Part("checkpoint", "tals/albert-xlarge-vitaminc-mnli", entailment.albert_nli, "pickle", "spiece.model")

FROM_HUB: Mapping[str, tuple[Part, ...]] = {
    "bartscore": (BART,),
    "bertscore": (Part("checkpoint", "microsoft/deberta-xlarge-mnli", tokens.deberta_v1, "pickle", "tokenizer.json"),),
    "bespoke-minicheck-7b": (
        Part("checkpoint", "bespokelabs/Bespoke-MiniCheck-7B", tokens.llama, "shards", "tokenizer.json"),
    ),
    "bleurt-20": (Part("checkpoint", "lucadiliello/BLEURT-20", tokens.bleurt, "pickle", "as it is"),),
    "coco": (Part("checkpoint", "facebook/bart-large-cnn", likelihood.summarizer, "safetensors", "merges", (TEXT,)),),
    "factcc": (Part("checkpoint", "manueldeprada/FactCC", entailment.factcc, "pickle", "as it is"),),
    "factcg": (Part("checkpoint", "yaxili96/FactCG-DeBERTa-v3-Large", deberta, "safetensors", "tokenizer.json"),),
    "fenice": (
        Part(
            "extractor", "Babelscape/t5-base-summarization-claim-extractor", qa.extractor, "safetensors", "spiece.model"
        ),
        Part(
            "entailment",
            "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli",
            qa.deberta,
            "shards",
            "spm.model",
        ),
    ),
    "generation-gap": (
        Part("checkpoint", "facebook/bart-large-cnn", likelihood.summarizer, "safetensors", "merges", (TEXT,)),
    ),
    "hhem": (
        Part(
            "checkpoint", "vectara/hallucination_evaluation_model", entailment.hhem, "safetensors", "none", (), "hhem"
        ),
        Part("backbone", "google/flan-t5-base", entailment.hhem, "none", "tokenizer.json", (), "flan"),
    ),
    "lettucedetect": (
        Part(
            "checkpoint",
            "KRLabsOrg/lettucedect-base-modernbert-en-v1",
            tokens.modernbert,
            "safetensors",
            "tokenizer.json",
        ),
    ),
    "longdocfactscore": (
        Part("checkpoint", "facebook/bart-large", likelihood.bart_without_head, "pickle", "merges"),
        Part("encoder", "sentence-transformers/bert-base-nli-mean-tokens", sentence_encoder, "pickle", "vocab.txt"),
    ),
    "minicheck-deberta": (Part("checkpoint", "lytang/MiniCheck-DeBERTa-v3-Large", deberta, "pickle", "spm.model"),),
    "minicheck-flan-t5": (Part("checkpoint", "lytang/MiniCheck-Flan-T5-Large", t5, "pickle", "tokenizer.json"),),
    "minicheck-roberta": (Part("checkpoint", "lytang/MiniCheck-RoBERTa-Large", roberta, "safetensors", "merges"),),
    "q2": (
        Part(
            "generator", "mrm8488/t5-base-finetuned-question-generation-ap", qa.writer, "pickle", "spiece.model", (2,)
        ),
        Part("answerer", "ktrapeznikov/albert-xlarge-v2-squad-v2", qa.albert, "pickle", "spiece.model"),
        Part("entailment", "boychaboy/SNLI_roberta-large", qa.judge, "pickle", "merges", (20,)),
    ),
    "questeval": (
        Part("generator", "ThomasNLG/t5-qg_squad1-en", qa.writer, "pickle", "spiece.model", (2,)),
        Part("answerer", "ThomasNLG/t5-qa_squad2neg-en", qa.writer, "pickle", "spiece.model", (3,)),
        Part("encoder", "google-bert/bert-base-multilingual-cased", qa.bert, "safetensors", "tokenizer.json"),
    ),
    "summac-conv": (VITC,),
    "summac-zs": (VITC,),
    "unieval-fact": (Part("checkpoint", "MingZhong/unieval-fact", likelihood.unieval, "pickle", "tokenizer.json"),),
    "unieval-sum": (Part("checkpoint", "MingZhong/unieval-sum", likelihood.unieval, "pickle", "tokenizer.json"),),
}
OTHERWISE = {"alignscore-base", "alignscore-large", "dae", "dae-spacy", "qafacteval"}
"""A file of Lightning, and archives that are not on the hub: each has a test of its own below; dae has the one of dae-spacy."""

SETTINGS = {"questeval": ["layer=2"], "bespoke-minicheck-7b": ["through=transformers", "dtype=float32"]}
# SentencePiece's map of characters makes a line break a blank, which the tokenizers of the tiny folders do not
PAIR = tuple(text.replace("\n", " ") for text in qa.PAIRS_OF_QUESTIONS["ordinary"])


@dataclass
class Machine:
    """A fresh machine before a hub: what is published there, and the commands of a person."""

    hub: ModelHub
    built: Built
    folder: Path

    def parser(self, name: str) -> list[str]:
        """A parser of rules in the place of spaCy's, for the metrics that parse."""
        if not hasattr(METRICS.get(name)(), "parser"):
            return []
        build = tokens.arcs if name == "dae-spacy" else stand_in
        return [f"parser={self.built(build)}"]

    def spec(self, name: str, *settings: str) -> str:
        chosen = [*settings, *SETTINGS.get(name, []), *self.parser(name)]
        return METRICS.parse(f"{name}[{','.join(chosen)}]" if chosen else name).spec

    def run(self, *arguments: object) -> tuple[int, str]:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        return result.exit_code, result.output

    def score(self, spec: str) -> float:
        pairs, scores = self.folder / "pairs.jsonl", self.folder / "scores.jsonl"
        pairs.write_text(json.dumps({"id": "pair", "document": PAIR[0], "summary": PAIR[1]}))
        status, output = self.run("score", pairs, "--metric", spec, "-o", scores)
        assert status == 0, output
        row = json.loads(scores.read_text())
        assert row["status"] == "ok", row["error"]
        return float(row["score"])


@pytest.fixture
def machine(built_hub: ModelHub, weights: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    template = built_hub.address + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", built_hub.address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("pages.commands.shared.messages._UPDATE_S", 0.02)
    # spaCy is no part of this test: a parser of rules stands in
    monkeypatch.setattr(
        "core.assessment.catalog.metric_setup.find_spec", lambda name: name == "spacy" or find_spec(name)
    )
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    monkeypatch.setenv("TOUCHSTONE_MEMORY", "8GB")
    monkeypatch.chdir(tmp_path)
    return Machine(built_hub, weights, tmp_path)


@pytest.fixture(scope="module")
def built_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelHub]:
    with serving(ModelHub(tmp_path_factory.mktemp("hub"))) as hub:
        yield hub


def test_every_metric_with_weights_is_brought_here_by_some_test_of_this_file() -> None:
    assert sorted({*FROM_HUB, *OTHERWISE}) == [name for name in METRICS.names() if needs_weights(name)]


def needs_weights(name: str) -> bool:
    return bool(METRICS.get(name).card.download_mb) or name == "bespoke-minicheck-7b"


# the others come by the same code
@pytest.mark.parametrize(
    "name",
    [
        name if name in {"summac-zs", "unieval-fact", "hhem"} else pytest.param(name, marks=pytest.mark.slow)
        for name in FROM_HUB
    ],
)
def test_a_metric_comes_from_the_hub_as_it_is(machine: Machine, name: str) -> None:
    for part in FROM_HUB[name]:
        shutil.rmtree(machine.hub.repository(part.repository), ignore_errors=True)
        publish(part.folder(machine.built), machine.hub.repository(part.repository), part.weights, part.vocabulary)
    spec = machine.spec(name)
    status, output = machine.run("doctor", spec)
    assert (status, "needs download" in output) == (1, True), output
    status, output = machine.run("doctor", spec, "--download")
    assert (status, f"{spec}: ready" in output) == (0, True), output
    assert not [file for file in machine.hub.asked if file.endswith(LEFTOVERS)]
    folders = [f"{part.setting}={part.folder(machine.built)}" for part in FROM_HUB[name]]
    assert machine.score(spec) == pytest.approx(machine.score(machine.spec(name, *folders)), abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), [("alignscore-base", "base"), ("alignscore-large", "large")])
def test_alignscore_comes_as_a_file_of_lightning_with_its_optimizer(machine: Machine, name: str, size: str) -> None:
    folder = machine.built(entailment.alignscore)
    file = machine.hub.repository("yzha/AlignScore") / f"AlignScore-{size}.ckpt"
    publish_lightning(folder / "tiny.ckpt", file)
    publish(folder, machine.hub.repository(f"FacebookAI/roberta-{size}"), "none", "merges")
    status, output = machine.run("doctor", name, "--download")
    assert (status, f"{name}: ready" in output) == (0, True), output
    expected = machine.score(f"{name}[checkpoint={folder / 'tiny.ckpt'},backbone={folder}]")
    assert machine.score(name) == pytest.approx(expected, abs=1e-5)
    [copy] = (machine.folder / "hub-cache").rglob("*.ckpt.safetensors")
    assert copy.stat().st_size < file.stat().st_size / 3


def write_archives(machine: Machine) -> None:
    """What the authors of QAFactEval and DAE publish, in the folder of the person who downloaded it."""
    network = BartForConditionalGeneration.from_pretrained(machine.built(qa.asker))
    state = OrderedDict((f"bart.{name}", one) for name, one in network.state_dict().items() if name != "lm_head.weight")
    torch.save(state, "weights.th")
    Path("config.json").write_text(
        json.dumps({"model": {"type": "question_generation", "model_name": "facebook/bart-large"}})
    )
    with tarfile.open("model.tar.gz", "w:gz") as archive:
        archive.add("config.json")
        archive.add("weights.th")
    for name, build in {"model": qa.electra, "DAE_xsum_human_best_ckpt": tokens.dae}.items():
        publish(machine.built(build), Path(name), "pickle", "as it is")
        shutil.make_archive(name, "zip", ".", name)
    publish(machine.built(qa.rater), Path("quip-512-mocha"), "pickle", "merges")
    with tarfile.open("quip-512-mocha.tar.gz", "w:gz") as archive:
        archive.add("quip-512-mocha")
    base = machine.hub.repository("facebook/bart-large")
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    config = json.loads((machine.built(qa.asker) / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**config, "vocab_size": config["vocab_size"] - 2}))
    byte_level().save(str(base / "tokenizer.json"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("qafacteval", {"generator": qa.asker, "answerer": qa.electra, "rater": qa.rater}),
        ("dae-spacy", {"checkpoint": tokens.dae}),
    ],
)
def test_archives_become_folders_by_the_commands_that_doctor_prints(
    machine: Machine, name: str, parts: Mapping[str, Callable[[Path], Path]]
) -> None:
    write_archives(machine)
    for left in ("DAE_xsum_human_best_ckpt", "quip-512-mocha", "model"):
        shutil.rmtree(left)
    spec = machine.spec(name)
    status, output = machine.run("doctor", spec)
    assert (status, "needs setup" in output) == (1, True), output
    commands = [line.split("cli.py ")[1].split() for line in output.splitlines() if "doctor --convert" in line]
    assert len(commands) == len(parts)
    for command in commands:
        status, output = machine.run(*command)
        assert status == 0, output
    status, output = machine.run("doctor", spec)
    assert (status, f"{spec}: ready" in output) == (0, True), output
    folders = [f"{setting}={machine.built(build)}" for setting, build in parts.items()]
    assert machine.score(spec) == pytest.approx(machine.score(machine.spec(name, *folders)), abs=1e-5)
