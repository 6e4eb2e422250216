"""A teacher labels a training: offline and behind a loopback endpoint, asked once whatever is killed, within its budget."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadSettingError, TouchstoneError
from core.evaluation.training.cross_encoder_trainer import EncoderSetting
from core.evaluation.training.teacher import Teacher, add_scores
from core.evaluation.training.teacher_scores import TEACHER_FILE
from core.evaluation.training.training_data import TrainingData
from core.evaluation.training.training_plan import TrainingPlan, TrainingSource
from core.evaluation.training.training_run import TrainedFolder, train_to_folder
from core.models.unfinished_training import TrainingStep
from core.models.words.head import CARD_FILE, FIGURES_FILE
from core.scoring.engine.engine import Engine
from core.settings import Settings
from core.types import Example, Item, Split, StoredScore, T, Verdict
from tests.unit.core.evaluation.training.training_process import items
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, serving, text

JUDGE = "direct-assessment"
TOWN = re.compile(r"A ship from (\w+) brought")


def unlabelled(documents: int = 24) -> list[Item]:
    return [replace(item, intended=None, parent=None, edits=()) for item in items(documents)]


def plan(labelled: list[Item], teacher: Teacher, share: float = 0.0, encoder: Path | str = "") -> TrainingPlan:
    setting = EncoderSetting(str(encoder), max_tokens=64)
    recipe = "cross-encoder" if encoder else "shallow"
    return TrainingPlan([TrainingSource("ships", labelled)], share, 1, recipe, "Ships", setting, teacher=teacher)


def ended(run: Generator[TrainingStep, None, T]) -> T:
    while True:
        try:
            next(run)
        except StopIteration as end:
            result: T = end.value
            return result


def taught(training: TrainingPlan, folder: Path, engine: Engine) -> TrainingData:
    return ended(training.taught_data(training.teacher_run(folder, engine)))


def judge(_path: str, body: Body) -> Reply:
    """Marks a summary by whether the town of the ship is that of the document."""
    document, summary = TOWN.findall(body["messages"][-1]["content"])[:2]
    return text(json.dumps({"score": 90 if document == summary else 10}), read=200, written=10)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with closing(Engine.open(Settings(cache_dir=tmp_path / "cache", device="cpu"))) as opened:
        yield opened


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Endpoint]:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)
    with serving(judge) as running:
        settings = {"BASE_URL": running.url, "MODEL": "tiny", "PRICE_READ": "1", "PRICE_WRITTEN": "2"}
        for name, value in settings.items():
            monkeypatch.setenv(f"TOUCHSTONE_LLM_{name}", value)
        yield running


def test_verdicts_of_a_local_metric_are_the_labels_and_people_choose_the_cut(tmp_path: Path, engine: Engine) -> None:
    data = taught(plan(items(), Teacher("rouge2")), tmp_path / "model", engine)
    assert data.taught
    assert (data.taught.pairs, data.taught.cut_source) == (48, "by the labels of people for 48 pairs")
    wrong = np.array([row.wrong for row in data.rows])
    # another town takes two of the bigrams that the document has
    assert wrong.tolist() == (data.taught.people == 0).tolist()
    edited = next(row for row in data.rows if row.wrong)
    assert [span.of(edited.summary) for span in edited.wrong_words or ()] == [TOWN.findall(edited.summary)[0]]


def test_without_labels_corruptions_choose_the_cut_or_it_has_to_be_named(tmp_path: Path, engine: Engine) -> None:
    data = taught(plan(unlabelled(), Teacher("rouge2"), 0.5), tmp_path / "model", engine)
    assert data.taught
    assert re.fullmatch(
        r"by \d+ corruptions beside \d+ harmless edits and sentences of documents", data.taught.cut_source
    )
    assert {row.origin for row in data.rows} >= {"labelled", "corruption", "harmless edit"}
    assert not any("bundled" in row.id for row in data.rows)
    with pytest.raises(TouchstoneError, match="Name it with --teacher-cut"):
        taught(plan(unlabelled(), Teacher("rouge2")), tmp_path / "model", engine)
    with pytest.raises(TouchstoneError, match="calls all 48 pairs inconsistent"):
        taught(plan(unlabelled(), Teacher("rouge2", cut=1.0)), tmp_path / "model", engine)


def test_what_describes_the_surface_is_no_teacher() -> None:
    with pytest.raises(BadSettingError, match="neither side of it is more consistent"):
        Teacher("summary-length").metric()


def test_a_test_and_its_near_duplicates_are_not_even_shown_to_the_teacher(tmp_path: Path, engine: Engine) -> None:
    test = replace(items(1)[0], split=Split.TEST, group="")
    run = plan([*unlabelled(25), test], Teacher("rouge2")).teacher_run(tmp_path / "model", engine)
    assert test.example.document not in {row.document for row in run.rows}
    assert sum(run.left_out.values()) == 3


def test_released_scores_label_and_nothing_is_asked() -> None:
    scored = [
        replace(
            item, scores=(StoredScore("7B judge", 4.0 if item.intended is Verdict.CONSISTENT else 2.0),), intended=None
        )
        for item in items()
    ]
    data = plan(scored, Teacher("7B judge", released=True, cut=3.0)).data()
    assert [row.wrong for row in data.rows] == [item.intended is Verdict.INCONSISTENT for item in items()]
    assert data.taught
    assert (data.taught.pair_seconds, data.taught.pair_money, data.taught.cut) == (None, None, "3 or more")
    with pytest.raises(TouchstoneError, match="Scores of the data: 7B judge"):
        plan(scored, Teacher("other", released=True, cut=3.0)).data()


def test_scores_of_a_file_go_to_the_pairs_of_their_ids_and_less_becomes_more_where_less_is_better() -> None:
    pairs = [Item(Example("a", "d", "s")), Item(Example("b", "d", "s"))]
    first, second = add_scores(pairs, "a 7B judge", {"a": 1.0})
    assert (first.scores, second.scores) == ((StoredScore("a 7B judge", 1.0),), ())
    assert add_scores(pairs, "word-novelty", {"a": 0.2})[0].scores == (StoredScore("word-novelty", -0.2),)
    with pytest.raises(TouchstoneError, match="the ids must be equal"):
        add_scores(pairs, "rouge2", {"c": 1.0})


def test_a_judge_is_asked_once_for_each_pair_and_its_cost_is_counted(
    tmp_path: Path, engine: Engine, endpoint: Endpoint
) -> None:
    training = plan(unlabelled(), Teacher(JUDGE, cut=0.5))
    run = training.teacher_run(tmp_path / "model", engine)
    sentences = run.estimate(Settings(cache_dir=tmp_path / "cache", device="cpu"))
    assert sentences[0] == f"{JUDGE} is to score 48 pairs; 0 of them are scored already."
    assert re.match(r"Requests: 48 questions to endpoints, .*; about 0\.\d+\.", sentences[1])
    assert "unknown before the first answers" in sentences[2]
    assert not endpoint.asked

    data = ended(training.taught_data(run))
    assert len(endpoint.asked) == 48
    assert [row.wrong for row in data.rows] == [item.intended is Verdict.INCONSISTENT for item in items()]
    assert data.taught
    assert data.taught.pair_money == pytest.approx((200 * 1 + 10 * 2) / 1e6)
    # another folder of answers, as on another day: the file in the folder of the metric is enough
    with closing(Engine.open(Settings(cache_dir=tmp_path / "other", device="cpu"))) as other:
        again = taught(training, tmp_path / "model", other)
    assert len(endpoint.asked) == 48
    assert again.rows == data.rows


def test_a_budget_below_the_estimate_asks_nothing_and_one_of_unknown_price_neither(
    tmp_path: Path, engine: Engine, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TouchstoneError, match=r"may cost about 0\.\d+ for 48 pairs, and the budget is 0\.0001"):
        taught(plan(unlabelled(), Teacher(JUDGE, cut=0.5, budget=0.0001)), tmp_path / "model", engine)
    monkeypatch.delenv("TOUCHSTONE_LLM_PRICE_READ")
    monkeypatch.delenv("TOUCHSTONE_LLM_PRICE_WRITTEN")
    with pytest.raises(TouchstoneError, match="is unknown, as the price of"):
        taught(plan(unlabelled(), Teacher(JUDGE, cut=0.5, budget=1.0)), tmp_path / "model", engine)
    assert not endpoint.asked


@pytest.mark.slow
def test_a_labelling_that_was_killed_goes_on_and_asks_nothing_twice(tmp_path: Path, endpoint: Endpoint) -> None:
    folder = tmp_path / "model"
    command = [sys.executable, "-m", "tests.unit.core.evaluation.training.teacher_process", str(folder)]
    root = Path(__file__).parents[5]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as started:
        assert started.stdout
        assert "10\n" in started.stdout
        started.kill()
    assert started.returncode == -signal.SIGKILL
    with (folder / TEACHER_FILE).open("a") as file:
        file.write('{"by": "cut of')
    answered = len({json.dumps(body["messages"]) for _, body in endpoint.asked})

    with closing(Engine.open(Settings(cache_dir=tmp_path / "other", device="cpu"))) as other:
        data_again = taught(plan(unlabelled(), Teacher(JUDGE, cut=0.5)), folder, other)
    texts = [json.dumps(body["messages"]) for _, body in endpoint.asked]
    assert data_again.taught
    assert data_again.taught.pairs == len(set(texts)) == 48
    # only what was under way, 8 at once and a window of finished ones ahead of the file, may be asked for again
    assert len(texts) - 48 <= answered - 10


@pytest.mark.slow
def test_a_small_cross_encoder_learns_a_judge_and_the_card_compares_them(
    tiny_roberta: Path, tmp_path: Path, engine: Engine, endpoint: Endpoint
) -> None:
    people = [replace(item, parent=None, edits=()) for item in items(40)]
    training = plan(people, Teacher(JUDGE, cut=0.5), encoder=tiny_roberta)
    folder = tmp_path / "student"
    trained: TrainedFolder = ended(train_to_folder(training, taught(training, folder, engine), folder, engine))
    assert len(endpoint.asked) == 80
    card = (folder / CARD_FILE).read_text()
    for part in (
        "## The teacher",
        f"The labels are verdicts of {JUDGE}",
        "| labels of people, the teacher | AUC | 100.0",
        "| teacher |",
    ):
        assert part in card, part
    assert "| 0.0002 | 80 |" in card  # money of a pair, and pairs
    record = json.loads((folder / FIGURES_FILE).read_text())["teacher"]
    assert (record["name"], record["pairs"], record["labels_of_people"]) == (JUDGE, 80, 80)
    assert trained.spec == f"mine[model={folder}]"
