"""A cross-encoder from its training to the metric: the same weights for the same seed, the same scores everywhere, no skill where there is none."""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import LoadError, TouchstoneError
from core.evaluation.training.card import BROKEN, NOTICED, PAIR_SHARE, WITHOUT, CardFigure, card_figures, verdict
from core.evaluation.training.cross_encoder_trainer import EncoderSetting, encoder_account, train_cross_encoder
from core.evaluation.training.stress_rows import StressSource
from core.evaluation.training.training_data import TrainingData
from core.evaluation.training.training_plan import Recipe, TrainingPlan, TrainingSource
from core.evaluation.training.training_run import TrainedFolder, load_pair_network, train_to_folder
from core.models.unfinished_training import TrainingStep
from core.models.words.head import CARD_FILE, DOCUMENTS_FILE, WEIGHTS_FILE, document_key
from core.results.cases.pooling import scores_out_of_fold, training_documents
from core.results.runs.stress_run import Plan, Source, StressRun, Variant
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.stats.statistic import Values
from core.types import Example, Item, Result, Verdict

PORTS = "Aven Borel Corvin Dastra Elmor Fenwick Garlan Hovel Istren Jarrow Kelby Lorne".split()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("cache")
    with closing(Engine.open(Settings(cache_dir=folder, device="cpu"))) as opened:
        yield opened


def items(documents: int, shuffled: bool = False) -> list[Item]:
    """A supported summary for each document, and one edited to deny it: what the small network can see."""
    found = []
    labels = [Verdict.CONSISTENT, Verdict.INCONSISTENT] * documents
    if shuffled:
        random.Random(3).shuffle(labels)
    for number in range(documents):
        port = PORTS[number % len(PORTS)]
        document = f"A ship left {port} on day {number}. It carried {number + 2} crates of salt. Nobody was hurt."
        texts = (f"A ship left {port}. It carried salt.", f"A ship left {port}. It never ever carried salt.")
        for side, text in enumerate(texts):
            parent = f"d{number}" if side and not shuffled else None
            example = Example(f"d{number}{'/edited' * side}", document, text)
            label = labels[2 * number + side]
            found.append(Item(example, intended=label, group=f"g{number}", parent=parent))
    return found


def plan(labelled: list[Item], encoder: Path, *, lora: bool = False, recipe: Recipe = "cross-encoder") -> TrainingPlan:
    setting = EncoderSetting(str(encoder), max_tokens=64, lora=lora)
    return TrainingPlan([TrainingSource("ships", labelled, licence="CC0")], 0.0, 1, recipe, "Ships", setting)


def trained(asked: TrainingPlan, folder: Path, engine: Engine) -> tuple[list[TrainingStep], TrainedFolder]:
    steps, run = [], train_to_folder(asked, asked.data(), folder, engine)
    while True:
        try:
            steps.append(next(run))
        except StopIteration as end:
            return steps, end.value


@dataclass(frozen=True)
class Alone:
    """A cross-encoder trained without the baselines beside it, which take longer than it does."""

    folder: Path
    data: TrainingData
    losses: list[float]
    held_out: Values
    figures: list[CardFigure]


def trained_alone(asked: TrainingPlan, folder: Path) -> Alone:
    data, network = asked.data(), load_pair_network(asked.encoder, "cpu", asked.seed)
    losses, run = [], train_cross_encoder(data, network, asked.seed)
    while True:
        try:
            step = next(run)
        except StopIteration as end:
            account = encoder_account(end.value, asked.encoder, network.limit)
            break
        if step.loss is not None:
            losses.append(step.loss)
    network.save(folder)
    return Alone(folder, data, losses, account.held_out, card_figures(data, account, {}))


@pytest.fixture(scope="module")
def ships(tiny_roberta: Path, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    return trained_alone(plan(items(120), tiny_roberta), tmp_path_factory.mktemp("ships") / "model")


def digest(folder: Path) -> str:
    return hashlib.sha256((folder / WEIGHTS_FILE).read_bytes()).hexdigest()


def score(engine: Engine, folder: Path, document: str, summary: str) -> Result:
    [(_, outcome)] = engine.run([METRICS.parse(f"mine[model={folder}]")], [Example("pair", document, summary)])
    assert isinstance(outcome, Result), outcome
    return outcome


@pytest.mark.slow
def test_it_learns_what_can_be_seen_and_the_loss_falls(ships: Alone) -> None:
    assert min(ships.losses) < ships.losses[0]
    auc = ships.figures[0].estimate
    assert (auc.n, auc.documents) == (48, 24)
    assert auc.low is not None
    assert auc.low > 0.5
    assert "it reaches an AUC of" in verdict(ships.figures)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_file_whatever_others_draw(tiny_roberta: Path, tmp_path: Path) -> None:
    import torch

    first = trained_alone(plan(items(24), tiny_roberta), tmp_path / "first")
    torch.manual_seed(99)
    expected = torch.rand(1).item()
    torch.manual_seed(99)
    again = trained_alone(plan(items(24), tiny_roberta), tmp_path / "again")
    assert torch.rand(1).item() == expected  # and others draw what they would have drawn
    assert digest(again.folder) == digest(first.folder)


@pytest.mark.slow
def test_plain_sentence_transformers_and_the_metric_say_the_same(ships: Alone, engine: Engine) -> None:
    from sentence_transformers import CrossEncoder

    from core.models.networks.tokenizer import TextTokenizer
    from core.models.weights.weight_files import max_text_tokens
    from core.models.words.claims import premise

    folder = ships.folder
    plain = CrossEncoder(str(folder), device="cpu", local_files_only=True)
    long = " ".join(f"On day {day} a ship left {PORTS[day % 12]} with {day} crates of salt." for day in range(40))
    limit, count = max_text_tokens(folder, 512), TextTokenizer.load(folder).count
    assert limit == 64
    for document in ("A ship left Aven. It carried salt.", long):
        result = score(engine, folder, document, "A ship left Borel with salt. It never sank.")
        for part in result.parts:
            claim = part.span.of("A ship left Borel with salt. It never sank.")
            read = premise(document, claim, limit, count)
            assert read is not None
            assert abs(float(plain.predict([(read.text, claim)])[0]) - part.score) <= 1e-5
            assert part.evidence == read.closest
        assert result.score == pytest.approx(np.prod([part.score for part in result.parts]), abs=1e-5)


@pytest.mark.slow
def test_the_metric_gives_the_scores_that_training_judged(ships: Alone, engine: Engine) -> None:
    places = np.flatnonzero(~np.isnan(ships.held_out))
    assert len(places) == 48
    for place in places[:8]:
        row = ships.data.rows[place]
        assert abs(score(engine, ships.folder, row.document, row.summary).score - ships.held_out[place]) <= 1e-5


@pytest.mark.slow
def test_an_edited_sentence_alone_is_asked_again(ships: Alone, engine: Engine) -> None:
    folder, document = ships.folder, "A ship left Aven at dawn. It carried salt."
    before = score(engine, folder, document, "A ship left Aven. It carried salt.")
    after = score(engine, folder, document, "A ship left Aven. It never ever carried salt.")
    assert before.counts.planned == 2
    assert (after.counts.asked, after.counts.cached) == (1, 1)
    assert before.parts[0] == after.parts[0]
    assert after.parts[1].score != before.parts[1].score


@pytest.mark.slow
def test_shuffled_labels_are_called_no_better_than_chance(tiny_roberta: Path, tmp_path: Path) -> None:
    found = trained_alone(plan(items(80, shuffled=True), tiny_roberta), tmp_path / "model")
    value = found.figures[0].estimate.value
    assert value is not None
    assert 0.3 <= value <= 0.7
    assert "no better than chance" in verdict(found.figures)


@pytest.mark.slow
def test_the_folder_says_what_it_is_and_evaluation_knows_its_documents(
    tiny_roberta: Path, tmp_path: Path, engine: Engine
) -> None:
    _, found = trained(plan(items(24), tiny_roberta), tmp_path / "model", engine)
    card = (found.folder / CARD_FILE).read_text()
    for part in ("CC0", "cross-encoder", "seed 1", "summaries, shallow", "bertscore-minilm", "What it cannot see"):
        assert part in card, part
    keys = {document_key(item.example.document) for item in items(24)}
    assert set((found.folder / DOCUMENTS_FILE).read_text().split()) == keys
    assert training_documents(found.spec) == keys
    assert not scores_out_of_fold(found.spec)
    assert not [path for path in found.folder.iterdir() if path.suffix in {".bin", ".pt", ".pkl", ".py"}]
    assert not any(item.example.summary in card for item in items(24))
    texts = [path.read_text() for path in found.folder.glob("*.*") if path.suffix in {".md", ".json", ".txt"}]
    assert not any(str(tiny_roberta.parent) in text for text in texts)  # paths of this machine are nobody's business


@pytest.mark.slow
def test_a_stress_run_hardens_and_its_card_has_the_matrix_before_and_after(
    tiny_roberta: Path, tmp_path: Path, engine: Engine
) -> None:
    run = StressRun(Plan("ships", ("shuffled", "synonyms", "negation"), ("rouge2",)))
    for item in items(60)[::2]:
        example = item.example
        run.add(Source(example, item.group))
        port = example.summary.split()[3]
        made = (
            f"It carried salt. A ship left {port}",
            f"A boat left {port} It carried salt.",
            f"A ship left {port} It never ever carried salt.",
        )
        for kind, summary in zip(run.plan.kinds, made, strict=True):
            run.add(Variant(example.id, kind, summary=summary))
    benchmark = [
        Item(Example(f"b{number}", "A dog ran home. It was tired.", text), intended=label, group="dogs")
        for number, (text, label) in enumerate(
            [("A dog ran home.", Verdict.CONSISTENT), ("It never ever was tired.", Verdict.INCONSISTENT)]
        )
    ]
    asked = replace(plan(items(60), tiny_roberta), stress=StressSource("ships run", run, {"dogs": benchmark}))
    steps, found = trained(asked, tmp_path / "model", engine)
    assert {"Epochs", "Epochs, without the stress run", "Scoring the benchmarks"} <= {step.stage for step in steps}
    figures = {(one.of, one.measure): one.estimate for one in found.figures}
    assert figures["negation", NOTICED].n == figures[f"negation{WITHOUT}", NOTICED].n == 12
    assert figures["labelled summaries, above the same without the stress run", "AUC difference"].n == 24
    card = (found.folder / CARD_FILE).read_text()
    for part in (
        "## The stress run",
        "| synonyms | left alone |",
        "No document of dogs was learned from",
        "without the run)",
    ):
        assert part in card, part
    alone = trained_alone(plan(items(60), tiny_roberta), tmp_path / "alone")
    plain = figures[f"{BROKEN}{WITHOUT}", PAIR_SHARE]
    assert alone.figures[-1].estimate.value == plain.value  # the same documents are judged by the same weights


def test_a_training_that_is_cancelled_writes_nothing(tiny_roberta: Path, tmp_path: Path, engine: Engine) -> None:
    asked = plan(items(24), tiny_roberta)
    run = train_to_folder(asked, asked.data(), tmp_path / "model", engine)
    while next(run).stage != "Epoch 1":
        pass
    run.close()
    assert not (tmp_path / "model").exists()


def test_labels_of_one_class_among_the_judged_are_refused(tiny_roberta: Path, tmp_path: Path, engine: Engine) -> None:
    few = [item for item in items(24) if item.intended is Verdict.CONSISTENT or item.group == "g0"]
    with pytest.raises(TouchstoneError, match="are all of one class"):
        trained(plan(few, tiny_roberta), tmp_path / "model", engine)


def test_an_encoder_that_is_not_there_or_writes_is_refused(tmp_path: Path, tiny_t5: Path, engine: Engine) -> None:
    with pytest.raises(TouchstoneError, match="encoder="):
        trained(plan(items(24), tmp_path / "nothing"), tmp_path / "model", engine)
    with pytest.raises(LoadError, match="encoder-decoder"):
        trained(plan(items(24), tiny_t5), tmp_path / "model", engine)


@pytest.mark.slow
def test_lora_without_peft_says_what_to_install(
    tiny_roberta: Path, tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(TouchstoneError, match=r"pip install peft=="):
        trained(plan(items(24), tiny_roberta, lora=True), tmp_path / "model", engine)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # peft warns of what it does not use here
def test_lora_is_merged_into_weights_that_anyone_loads(tiny_roberta: Path, tmp_path: Path, engine: Engine) -> None:
    pytest.importorskip("peft")
    from sentence_transformers import CrossEncoder

    found = trained_alone(plan(items(60), tiny_roberta, lora=True), tmp_path / "model")
    assert min(found.losses) < found.losses[0]
    plain = CrossEncoder(str(found.folder), device="cpu", local_files_only=True)
    document, claim = "A ship left Aven. It carried salt.", "It carried salt."
    expected = float(plain.predict([(document, claim)])[0])
    assert abs(score(engine, found.folder, document, claim).score - expected) <= 1e-5
    again = trained_alone(plan(items(60), tiny_roberta, lora=True), tmp_path / "again")
    assert digest(again.folder) == digest(found.folder)


@pytest.mark.slow
def test_a_shallow_model_has_a_card_and_names_its_documents(tiny_roberta: Path, tmp_path: Path, engine: Engine) -> None:
    _, found = trained(plan(items(24), tiny_roberta, recipe="shallow"), tmp_path / "model", engine)
    auc = found.figures[0].estimate
    assert auc.value is not None
    assert auc.low is not None
    assert "## Figures" in (found.folder / CARD_FILE).read_text()
    keys = {document_key(item.example.document) for item in items(24)}
    assert training_documents(found.spec) == keys
    trained(plan(items(24), tiny_roberta, recipe="shallow"), tmp_path / "model", engine)  # again into the same folder
