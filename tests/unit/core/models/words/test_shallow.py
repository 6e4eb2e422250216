"""The shallow model learns what the surface tells, is honest about what it lacks, and is a metric like any other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies

from core.errors import BadSettingError, LoadError, TouchstoneError
from core.evaluation.training import shallow_data as training_data
from core.evaluation.training.shallow_data import document_numbers, shallow_features
from core.evaluation.training.shallow_trainer import TrainingTable, TrainingTask, held_out_pairs, train_model
from core.model_reference import Checkpoint
from core.models.adapters import mlp
from core.models.words.shallow import SHALLOW_FEATURES, ShallowModel, read_model
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.stats.statistic import Values
from core.types import Example, Failure, FailureKind, Item, Outcome, Question, Result, Verdict
from tests.parity import tiny_shallow

LABELS = TrainingTask("synthetic", "label", "probability", seed=3)
SCORES = TrainingTask("synthetic", "a metric", "score", seed=3)
ENTITY, NOVELTY = SHALLOW_FEATURES.index("entity-overlap"), SHALLOW_FEATURES.index("word-novelty")


def table(target: Callable[[Values], Values]) -> TrainingTable:
    """Four pairs to each of a hundred synthetic documents, with a target that is a function of their features."""
    values = np.random.default_rng(7).uniform(0, 1, (400, 6))
    return TrainingTable(values, target(values), np.repeat(np.arange(100), 4))


def novel(values: Values) -> Values:
    return (values[:, NOVELTY] > 0.5).astype(float)


def with_gaps(of: TrainingTable) -> TrainingTable:
    """The same, with the entity overlap of every third pair undefined."""
    values = of.values.copy()
    values[::3, ENTITY] = np.nan
    return replace(of, values=values)


def item(number: int, document: str, group: str = "", intended: Verdict | None = None) -> Item:
    return Item(Example(f"pair-{number}", document, "Rain fell."), group=group, intended=intended)


@pytest.fixture(scope="module")
def learned() -> ShallowModel:
    return train_model(table(novel), LABELS, {"conciseness": "a signature"})


def test_a_label_that_depends_on_one_feature_is_learned(learned: ShallowModel) -> None:
    assert learned.facts.agreement is not None
    assert learned.facts.agreement > 0.95
    assert (learned.facts.pairs, learned.facts.documents) == (300, 75)
    assert (learned.facts.held_out_pairs, learned.facts.held_out_documents) == (100, 25)


def test_a_label_that_depends_on_nothing_is_not_learned() -> None:
    coin = np.random.default_rng(1).integers(0, 2, 400).astype(float)
    agreement = train_model(table(lambda _: coin), LABELS, {}).facts.agreement
    assert agreement is not None
    assert 0.3 < agreement < 0.7


def test_the_scores_of_a_metric_are_learned_on_their_own_scale() -> None:
    scores = table(lambda values: 40 * values[:, NOVELTY] ** 2 - 300)
    model = train_model(scores, SCORES, {})
    assert model.facts.agreement is not None
    assert (model.facts.measure, model.facts.agreement > 0.95) == ("Spearman", True)
    assert np.abs(model.predict(scores.values) - scores.targets).mean() < 3


def test_the_same_seed_gives_the_same_weights_and_another_gives_others(learned: ShallowModel) -> None:
    assert train_model(table(novel), LABELS, {"conciseness": "a signature"}) == learned
    assert train_model(table(novel), replace(LABELS, seed=4), {}).layers != learned.layers


def test_an_agreement_is_unknown_where_the_held_out_targets_are_all_alike() -> None:
    rows = table(novel)
    alike = replace(rows, targets=np.where(held_out_pairs(rows.documents, LABELS.seed), 1.0, rows.targets))
    assert train_model(alike, LABELS, {}).facts.agreement is None


def test_targets_that_are_all_alike_are_refused() -> None:
    with pytest.raises(TouchstoneError, match="300 pairs to learn from all have the same label"):
        train_model(table(lambda values: np.ones(len(values))), LABELS, {})


@given(strategies.integers(0, 2**32 - 1))
def test_no_document_stands_on_both_sides_of_the_split(seed: int) -> None:
    items = [item(n, f"Text {n % 12}.", group=f"group {n % 9}" if n % 2 else "") for n in range(60)]
    apart = held_out_pairs(document_numbers(items), seed)
    sides = [[one for one, out in zip(items, apart, strict=True) if bool(out) is side] for side in (True, False)]
    assert all(sides)
    assert {one.example.document for one in sides[0]}.isdisjoint(one.example.document for one in sides[1])
    assert {one.group for one in sides[0] if one.group}.isdisjoint(one.group for one in sides[1])


def test_pairs_of_one_group_or_of_one_text_are_of_one_document() -> None:
    items = [item(0, "A", "x"), item(1, "B", "y"), item(2, "C"), item(3, "B", "x"), item(4, "C"), item(5, "D", "z")]
    assert document_numbers(items).tolist() == [0, 0, 1, 0, 1, 2]


def test_one_document_cannot_be_split() -> None:
    with pytest.raises(TouchstoneError, match="All pairs are of one document"):
        held_out_pairs(np.zeros(9, dtype=np.intp), 0)


def test_an_undefined_feature_counts_as_the_mean_of_training_and_is_marked(learned: ShallowModel) -> None:
    model = train_model(with_gaps(table(novel)), LABELS, {})
    mean = np.array([model.means])
    absent, marked = mean.copy(), np.array([list(layer) for layer in model.layers[0].weights])[6 + ENTITY]
    absent[0, ENTITY] = np.nan
    assert np.abs(marked).max() > 0
    assert model.predict(absent) != model.predict(mean)
    assert model.undefined == tuple(name == "entity-overlap" for name in SHALLOW_FEATURES)
    assert learned.undefined == (False,) * 6


def test_that_a_feature_is_undefined_can_be_what_tells() -> None:
    gaps = with_gaps(table(novel))
    agreement = train_model(
        replace(gaps, targets=np.isnan(gaps.values[:, ENTITY]).astype(float)), LABELS, {}
    ).facts.agreement
    assert agreement is not None
    assert agreement > 0.95


def test_a_feature_that_never_varied_has_no_say() -> None:
    rows = table(novel)
    rows.values[:, ENTITY] = 0.5
    model = train_model(rows, LABELS, {})
    here, there = rows.values[:1].copy(), rows.values[:1].copy()
    there[0, ENTITY] = 0.9
    assert model.predict(here) == model.predict(there)


def test_a_feature_that_no_training_pair_lacked_must_be_there(learned: ShallowModel, tmp_path: Path) -> None:
    path = saved(learned, tmp_path)
    kind = mlp.load(path, Checkpoint(str(path), "mlp"), "cpu")
    lacking = Question(Checkpoint(str(path), "mlp"), (), tuple((name, 0.5) for name in SHALLOW_FEATURES[1:]))
    with pytest.raises(TouchstoneError, match=re.escape("This text has no rouge2[measured=f1]")):
        kind.encode([lacking])


def saved(model: ShallowModel, folder: Path) -> Path:
    path = folder / "model.json"
    path.write_text(model.model_dump_json(), encoding="utf-8")
    return path


def test_a_saved_model_predicts_the_same_and_is_plain_text(learned: ShallowModel, tmp_path: Path) -> None:
    path = saved(learned, tmp_path)
    values = np.random.default_rng(9).normal(0, 2, (50, 6))
    assert read_model(path).predict(values) == pytest.approx(learned.predict(values), abs=1e-9)
    written = json.loads(path.read_text(encoding="utf-8"))
    assert [len(layer["weights"]) for layer in written["layers"]] == [12, 16]
    assert written["facts"]["signatures"] == {"conciseness": "a signature"}


def test_a_prediction_is_that_of_the_network_written_out(learned: ShallowModel) -> None:
    values = [0.2, 0.9, 0.4, 0.7, 0.1, 0.3]
    read_in = [(v - m) / s for v, m, s in zip(values, learned.means, learned.scales, strict=True)] + [0.0] * 6
    first, last = learned.layers
    hidden = [
        np.tanh(bias + sum(x * row[unit] for x, row in zip(read_in, first.weights, strict=True)))
        for unit, bias in enumerate(first.biases)
    ]
    logit = last.biases[0] + sum(h * row[0] for h, row in zip(hidden, last.weights, strict=True))
    assert learned.predict(np.array([values]))[0] == pytest.approx(1 / (1 + np.exp(-logit)), abs=1e-12)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"features": ["rouge2"]}, "it reads rouge2, and the features are"),
        ({"means": [0.0]}, "means, scales and undefined must hold one entry"),
        ({"scales": [0.0] * 6}, "scales above 0"),
        ({"layers": []}, "the last layer must have one output"),
        ({"layers": [{"weights": [[1.0]], "biases": [1.0]}]}, "the layers do not fit together"),
        ({"target_mean": "NaN"}, "target_mean"),
        ({"more": 1}, "more"),
    ],
)
def test_a_file_that_is_no_model_is_refused_with_what_is_wrong(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    path = saved(tiny_shallow.shallow(), tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(LoadError, match=rf"(?s)model\.json is no shallow model: .*{re.escape(reason)}"):
        read_model(path)


def test_a_model_of_the_features_of_before_is_refused_with_the_reason(learned: ShallowModel, tmp_path: Path) -> None:
    path = saved(learned, tmp_path)
    path.write_text(path.read_text("utf-8").replace("conciseness[numerator=document]", "conciseness"), "utf-8")
    with pytest.raises(LoadError, match=r"it reads .*, conciseness, and the features are .*train-shallow"):
        read_model(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\x80\x04\x95\x05", b"[]"])
def test_a_pickle_or_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(LoadError, match=r"Train one: python cli\.py train-shallow"):
        read_model(tmp_path / "model.json")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path_factory.mktemp("shallow")))
    yield opened
    opened.close()


def outcome(engine: Engine, spec: str, document: str, summary: str) -> Outcome:
    [(_, found)] = engine.run([METRICS.parse(spec)], [Example("pair", document, summary)])
    return found


DOCUMENT = "The harbour of Lindvale was closed on Tuesday. Nobody was hurt. It rained for 3 days."


def test_the_features_are_the_scores_of_the_metrics_of_these_names(engine: Engine) -> None:
    examples = [Example("named", DOCUMENT, "Lindvale was closed."), Example("plain", DOCUMENT, "it rained.")]
    values, signatures = shallow_features(engine, examples)
    scores = [[score(engine, spec, example) for spec in SHALLOW_FEATURES] for example in examples]
    assert np.array_equal(values, np.array(scores), equal_nan=True)
    assert np.isnan(values).tolist() == [[False] * 6, [name == "entity-overlap" for name in SHALLOW_FEATURES]]
    assert list(signatures) == list(SHALLOW_FEATURES)
    assert "weights:" in signatures["semantic-similarity[compared=sentences]"]


def score(engine: Engine, spec: str, example: Example) -> float:
    found = outcome(engine, spec, example.document, example.summary)
    return found.score if isinstance(found, Result) else float("nan")


def test_a_metric_that_breaks_is_not_learned_from(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = replace(METRICS.parse("semantic-similarity"), checkpoint="./nowhere")  # type: ignore[type-var]  # a dataclass
    parse = METRICS.parse
    monkeypatch.setattr(
        METRICS, "parse", lambda spec: nowhere if spec == "semantic-similarity[compared=sentences]" else parse(spec)
    )
    with pytest.raises(TouchstoneError, match="has no value for 'pair': There is no folder"):
        shallow_features(engine, [Example("pair", DOCUMENT, "Nobody was hurt.")])


def test_the_metric_gives_the_prediction_for_its_features(
    engine: Engine, learned: ShallowModel, tmp_path: Path
) -> None:
    summary = "It is closed in Lindvale, and 9 boats sank on Tuesday."
    found = outcome(engine, f"shallow[model={saved(learned, tmp_path)}]", DOCUMENT, summary)
    assert isinstance(found, Result), found
    values, _ = shallow_features(engine, [Example("pair", DOCUMENT, summary)])
    assert found.score == pytest.approx(learned.predict(values)[0], abs=1e-5)
    assert "Predicts label as learned from 300 pairs of 75 documents of synthetic" in found.seen.notes[0]
    assert "entity-overlap: 0.667." in found.seen.notes
    assert str(tmp_path) not in found.signature


def test_the_metric_says_which_feature_is_undefined_and_why(engine: Engine, tmp_path: Path) -> None:
    found = outcome(engine, f"shallow[model={tiny_shallow.model(tmp_path / 'tiny')}]", DOCUMENT, "it rained.")
    assert isinstance(found, Result)
    assert any(note.startswith("entity-overlap: undefined. The summary names nothing") for note in found.seen.notes)


def test_a_text_without_a_feature_that_was_always_there_is_refused(
    engine: Engine, learned: ShallowModel, tmp_path: Path
) -> None:
    found = outcome(engine, f"shallow[model={saved(learned, tmp_path)}]", DOCUMENT, "it rained.")
    assert isinstance(found, Failure)
    assert (found.kind, found.error.split(",")[0]) == (FailureKind.INPUT, "This text has no entity-overlap")


def test_without_a_model_the_metric_says_how_to_train_one(engine: Engine) -> None:
    found = outcome(engine, "shallow", DOCUMENT, "Nobody was hurt.")
    assert isinstance(found, Failure)
    assert "python cli.py train-shallow PAIRS.jsonl -o MODEL.json" in found.error
    with pytest.raises(BadSettingError):
        next(METRICS.parse("shallow").rounds(Example("pair", DOCUMENT, "Rain.")))


@pytest.mark.parametrize("path", ["nowhere.json", "some/where.json"])
def test_a_model_that_is_not_there_is_not_looked_for_on_the_hub(engine: Engine, path: str) -> None:
    metric = METRICS.parse(f"shallow[model={path}]")
    assert metric.spec == f"shallow[model=./{path}]"
    found = outcome(engine, metric.spec, DOCUMENT, "Nobody was hurt.")
    assert isinstance(found, Failure)
    assert (found.kind, f"'./{path}'" in found.error) == (FailureKind.LOAD, True)


def test_a_model_trained_anew_under_the_same_name_answers_anew(
    learned: ShallowModel, tmp_path: Path, engine: Engine
) -> None:
    spec = f"shallow[model={saved(learned, tmp_path)}]"
    first = outcome(engine, spec, DOCUMENT, "Nobody was hurt in Lindvale.")
    saved(tiny_shallow.shallow(), tmp_path)
    other = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path))
    second = outcome(other, spec, DOCUMENT, "Nobody was hurt in Lindvale.")
    other.close()
    assert isinstance(first, Result)
    assert isinstance(second, Result)
    assert first.score != second.score
    assert first.signature != second.signature


def test_a_target_is_the_label_or_a_metric_of_a_file(tmp_path: Path) -> None:
    scores = tmp_path / "scores:1.jsonl"
    scores.touch()
    assert training_data.parse_target("label") == training_data.TrainingTarget()
    assert training_data.parse_target(f"{scores}:rouge2[measured=f1]") == training_data.TrainingTarget(
        "rouge2[measured=f1]", scores
    )
    with pytest.raises(TouchstoneError, match=r"Write label, or SCORES\.jsonl:METRIC"):
        training_data.parse_target("nowhere.jsonl:rouge2")


def test_pairs_without_a_clear_label_are_left_out() -> None:
    verdicts = [Verdict.CONSISTENT, None, Verdict.BORDERLINE, Verdict.INCONSISTENT]
    aims = training_data.TrainingTarget().of([item(n, "Rain.", intended=verdict) for n, verdict in enumerate(verdicts)])
    assert [(one.example.id, number) for one, number in aims] == [("pair-0", 1.0), ("pair-3", 0.0)]
    with pytest.raises(TouchstoneError, match="None of the 1 pairs has a label"):
        training_data.TrainingTarget().of([item(0, "Rain.")])


def test_scores_are_read_whatever_characters_their_sentences_hold_and_failed_ones_are_none(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    records = [
        {"id": "a", "metric": "rouge2", "score": 0.5, "sentences": [{"text": "Rain\u2028fell\x85."}]},
        {"id": "b", "metric": "rouge2", "score": None},
        {"id": "a", "metric": "bleu", "score": 3},
    ]
    path.write_text("\n\n".join(json.dumps(one, ensure_ascii=False) for one in records), encoding="utf-8")
    assert training_data.read_scores(path, "rouge2") == {"a": 0.5}
    with pytest.raises(TouchstoneError, match="None of the 1 pairs has a score of bleu"):
        training_data.TrainingTarget("bleu", path).of([item(0, "Rain.")])


@pytest.mark.parametrize("line", [b"no JSON", b"[]", b'{"id": "pair-0"}', b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_holds_no_scores_is_named_with_the_line(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_bytes(b'{"id": "pair-0", "metric": "rouge2", "score": 1}\n' + line)
    with pytest.raises(TouchstoneError, match=r"scores\.jsonl, line 2: this is no object"):
        training_data.read_scores(path, "rouge2")
