"""Answers once given are there for every later process; nothing else is taken for them."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.model_reference import Checkpoint, EndpointModel, ExpectedModel
from core.scoring.engine import answer_file
from core.scoring.engine.cache import AnswerCache, cache_key, cache_keys
from core.types import Answer, Question, Span
from tests.doubles.process import finish, start

QUESTION = Question(Checkpoint("model", "sequence_classifier"), ("A claim.",), (("limit", 512),), Span(0, 8))
ANSWER = Answer((0.1, -1e300, 5e-324), (Span(0, 2),), ("text 😀",), tokens=7, cut=1)

WRITER = """
import sys
from pathlib import Path
from core.scoring.engine.cache import AnswerCache
from core.types import Answer
cache = AnswerCache(Path(sys.argv[1]))
for number in range(200):
    cache.put({f"{sys.argv[2]}-{number}".encode(): Answer((float(number),))})
"""

BIG_WRITER = """
import sys
from pathlib import Path
from core.scoring.engine.cache import AnswerCache
from core.types import Answer
cache = AnswerCache(Path(sys.argv[1]), int(sys.argv[3]))
largest = 0
for number in range(60):
    cache.put({f"{sys.argv[2]}-{number}-{row}".encode(): Answer((0.5,) * 128) for row in range(20)})
    largest = max(largest, cache.size_bytes)
cache.close()
print(largest)
"""

# a limit of the size of files does to writes what a full disk does: they end in the middle
FULL_DISK = """
import resource, sys
from pathlib import Path
from core.scoring.engine.cache import AnswerCache
from core.types import Answer
cache = AnswerCache(Path(sys.argv[1]))
cache.put({b"before": Answer((1.0,))})
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for number in range(50):
    cache.put({f"{number}-{row}".encode(): Answer((float(number),) * 128) for row in range(20)})
found = cache.get([b"before", b"0-0", b"49-19"])
assert [len(answer.values) for answer in found.values()] == [1, 128, 128], found
cache.close()
"""


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[AnswerCache]:
    opened = AnswerCache(tmp_path / "cache")
    yield opened
    opened.close()


def test_an_answer_is_read_back_exactly(tmp_path: Path) -> None:
    answers = [ANSWER, Answer(), Answer((0.1, -0.0), tokens=7, cut=1), Answer((), (Span(0, 2),)), Answer((), (), ("",))]
    cache = AnswerCache(tmp_path)
    cache.put({bytes([number]): answer for number, answer in enumerate(answers)})
    cache.close()
    again = AnswerCache(tmp_path)
    assert again.get([bytes([number]) for number in range(9)]) == {bytes([n]): one for n, one in enumerate(answers)}
    again.close()


def test_answers_survive_reopening(tmp_path: Path) -> None:
    first = AnswerCache(tmp_path)
    first.put({b"a": ANSWER, b"b": Answer()})
    first.close()
    second = AnswerCache(tmp_path)
    assert second.get([b"a", b"b"]) == {b"a": ANSWER, b"b": Answer()}
    second.close()


def test_only_what_was_read_or_written_recently_is_recent(tmp_path: Path) -> None:
    first = AnswerCache(tmp_path)
    first.put({b"a": ANSWER, b"b": ANSWER})
    assert first.recent([b"a", b"c"]) == {b"a": ANSWER}
    first.close()
    second = AnswerCache(tmp_path)
    second.get([b"b"])
    assert second.recent([b"a", b"b"]) == {b"b": ANSWER}
    second.close()


def test_more_answers_than_a_statement_has_variables_are_read(tmp_path: Path) -> None:
    answers = {str(number).encode(): Answer((float(number),)) for number in range(1234)}
    first = AnswerCache(tmp_path)
    first.put(answers)
    first.close()
    second = AnswerCache(tmp_path)
    assert second.get(list(answers)) == answers
    second.close()


def test_what_no_longer_fits_into_the_memory_is_still_on_disk(cache: AnswerCache) -> None:
    cache.put({b"first": ANSWER})
    cache.put({str(number).encode(): Answer((0.5,) * 384) for number in range(3_000)})  # as embeddings are
    assert cache.recent([b"first"]) == {}
    assert cache.get([b"first"]) == {b"first": ANSWER}


def test_the_memory_holds_more_of_small_answers(cache: AnswerCache) -> None:
    cache.put({b"first": ANSWER})
    cache.put({str(number).encode(): Answer((0.5,)) for number in range(30_000)})
    assert cache.recent([b"first"]) == {b"first": ANSWER}


def test_a_hot_key_is_never_the_first_to_go(cache: AnswerCache) -> None:
    cache.put({b"hot": ANSWER})
    for batch in range(5):
        cache.put({f"{batch}-{number}".encode(): Answer() for number in range(10_000)})
        assert cache.recent([b"hot"]) == {b"hot": ANSWER}


def test_two_processes_write_and_read_the_same_file(cache: AnswerCache, tmp_path: Path) -> None:
    writers = [start("-c", WRITER, str(tmp_path / "cache"), name) for name in ("one", "two")]
    cache.put({f"here-{number}".encode(): Answer((float(number),)) for number in range(200)})
    assert [finish(writer) for writer in writers] == [(0, "", "")] * 2
    keys = [f"{name}-{number}".encode() for name in ("one", "two", "here") for number in range(200)]
    found = cache.get(keys)
    assert [found[one].values for one in keys] == [(float(number),) for number in range(200)] * 3


def test_many_threads_use_one_cache(cache: AnswerCache) -> None:
    barrier = threading.Barrier(8)
    wrong: list[bytes] = []

    def work(name: int) -> None:
        barrier.wait()
        for number in range(50):
            mine = f"{name}-{number}".encode()
            cache.put({mine: Answer((float(number),))})
            if cache.get([mine]) != {mine: Answer((float(number),))}:
                wrong.append(mine)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(cache.get([f"{name}-{number}".encode() for name in range(8) for number in range(50)])) == 400


def test_the_first_of_two_answers_stays(tmp_path: Path) -> None:
    first = AnswerCache(tmp_path)
    first.put({b"a": ANSWER})
    first.put({b"a": Answer()})
    first.close()
    second = AnswerCache(tmp_path)
    assert second.get([b"a"]) == {b"a": ANSWER}
    second.close()


def test_a_folder_that_cannot_be_made_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TouchstoneError, match=r"file/answers-3\.sqlite cannot be used: .*Set TOUCHSTONE_CACHE_DIR"):
        AnswerCache(tmp_path / "file")


def test_an_infinite_value_is_kept_as_it_is(cache: AnswerCache) -> None:
    cache.put({b"a": Answer((math.inf, -math.inf))})
    assert cache.get([b"a"]) == {b"a": Answer((math.inf, -math.inf))}


@pytest.mark.parametrize(
    ("question", "fingerprint", "device"),
    [
        (replace(QUESTION, inputs=("Another claim.",)), "weights", "cpu"),
        (replace(QUESTION, inputs=("A claim", ".")), "weights", "cpu"),
        (replace(QUESTION, options=(("limit", 511),)), "weights", "cpu"),
        (replace(QUESTION, options=()), "weights", "cpu"),
        (QUESTION, "other weights", "cpu"),
        (QUESTION, "weights", "cuda"),
        (replace(QUESTION, checkpoint=replace(QUESTION.checkpoint, kind="sentence_embedding")), "weights", "cpu"),
        (replace(QUESTION, checkpoint=replace(QUESTION.checkpoint, dtype="float16")), "weights", "cpu"),
    ],
)
def test_whatever_decides_an_answer_changes_its_key(question: Question, fingerprint: str, device: str) -> None:
    assert cache_key(question, fingerprint, device) != cache_key(QUESTION, "weights", "cpu")


@pytest.mark.parametrize(
    "same",
    [
        replace(QUESTION, claim=Span(5, 13), evidence=Span(0, 4)),
        replace(QUESTION, checkpoint=replace(QUESTION.checkpoint, source="elsewhere", revision="v2")),
    ],
)
def test_where_a_text_stood_and_its_weights_lay_does_not_change_its_key(same: Question) -> None:
    assert cache_key(same, "weights", "cpu") == cache_key(QUESTION, "weights", "cpu")


def test_a_closed_cache_answers_no_more(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    cache.close()
    with pytest.raises(sqlite3.ProgrammingError):
        cache.get([b"a"])


def test_the_file_keeps_within_its_limit_and_drops_what_was_used_longest_ago(tmp_path: Path) -> None:
    limit = 600_000
    cache = AnswerCache(tmp_path, limit)
    cache.put({b"often read": ANSWER, b"never read": ANSWER})
    for number in range(100):
        cache.put({f"{number}-{row}".encode(): Answer((0.5,) * 128) for row in range(20)})
        assert cache.size_bytes <= limit + 40_000  # what one write adds
        reader = AnswerCache(tmp_path, limit)  # one that has nothing in memory
        assert b"often read" in reader.get([b"often read"])
        reader.close()
    assert cache.size_bytes > limit // 2
    cache.close()
    last = AnswerCache(tmp_path, limit)
    assert last.get([b"often read", b"never read", b"0-0", b"99-0"]).keys() == {b"often read", b"99-0"}
    last.close()


def test_what_was_paid_for_is_never_dropped(tmp_path: Path) -> None:
    limit = 300_000
    cache = AnswerCache(tmp_path, limit)
    cache.put({b"first paid": ANSWER}, paid=True)
    for number in range(60):
        cache.put({f"{number}-{row}".encode(): Answer((0.5,) * 128) for row in range(20)})
        cache.put({f"paid {number}".encode(): ANSWER}, paid=True)
    cache.close()
    full = AnswerCache(tmp_path, 1)
    full.put({b"one more": ANSWER})  # the limit is less than what was paid for
    full.close()
    last = AnswerCache(tmp_path, limit)
    paid = [b"first paid", *(f"paid {number}".encode() for number in range(60))]
    assert last.get([*paid, b"0-0"]).keys() == {*paid}
    last.close()


@pytest.mark.slow
def test_a_limit_that_was_lowered_is_reached_in_small_steps(tmp_path: Path) -> None:
    first = AnswerCache(tmp_path)
    first.put({str(number).encode(): Answer((0.5,) * 128) for number in range(6000)})
    whole = first.size_bytes
    first.close()
    lowered = AnswerCache(tmp_path, 2_000_000)
    sizes = []
    while lowered.size_bytes > 2_000_000:
        lowered.put({f"new {len(sizes)}".encode(): ANSWER})
        sizes.append(lowered.size_bytes)
    assert whole > 6_000_000
    assert len(sizes) > 3
    assert lowered.get([b"5999", b"new 0", b"0"]).keys() == {b"5999", b"new 0"}
    lowered.close()


def test_two_processes_share_a_limit(tmp_path: Path) -> None:
    limit = 700_000
    writers = [start("-c", BIG_WRITER, str(tmp_path), name, str(limit)) for name in ("one", "two")]
    ended = [finish(writer) for writer in writers]
    assert [(code, errors) for code, _, errors in ended] == [(0, "")] * 2
    assert all(limit // 2 < int(largest) <= limit + 80_000 for _, largest, _ in ended)
    cache = AnswerCache(tmp_path, limit)
    assert any(cache.get([f"{name}-59-{row}".encode() for name in ("one", "two") for row in range(20)]))
    cache.close()


def test_a_full_disk_is_a_warning_and_answers_stay_in_memory(tmp_path: Path) -> None:
    code, _, errors = finish(start("-c", FULL_DISK, str(tmp_path)))
    assert (code, errors.count("Answers are no longer kept in")) == (0, 1), errors
    assert "Free some space on the disk" in errors


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        replace(QUESTION, inputs=()),
        replace(QUESTION, inputs=('"Größe" \\ 😀 \x00\u2028', "b"), options=()),
        replace(QUESTION, options=(("layer", 5), ("beta", 0.1), ("name", "a, b"), ("words", (1, 2)))),
        replace(
            QUESTION, checkpoint=replace(QUESTION.weights, expects=ExpectedModel((("no", "0"), ("yes",)), ("bert",)))
        ),
        replace(QUESTION, checkpoint=EndpointModel("fast", "endpoint_chat", "http://localhost:1")),
    ],
)
def test_keys_are_those_of_the_caches_that_people_have(question: Question) -> None:
    """The hash of one JSON list of all that decides an answer: another key would have everything asked again."""
    model = question.checkpoint
    dtype = model.dtype if isinstance(model, Checkpoint) else ""
    expected = model.expects.labels if isinstance(model, Checkpoint) and model.expects else ()
    facts = ["weights", model.kind, dtype, expected, "cpu", question.options, question.inputs]
    assert cache_key(question, "weights", "cpu") == hashlib.sha256(json.dumps(facts).encode()).digest()


def test_the_facts_of_a_model_are_asked_for_once_among_many_questions() -> None:
    asked = []

    def weights(model: object) -> tuple[str, str]:
        asked.append(model)
        return "weights", "cpu"

    questions = [replace(QUESTION, inputs=(f"Claim {number}.",)) for number in range(50)]
    assert cache_keys(questions, weights) == [cache_key(question, "weights", "cpu") for question in questions]
    assert asked == [QUESTION.checkpoint]


def test_a_cache_that_is_kept_from_being_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lock(_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database is locked")

    cache = AnswerCache(tmp_path)
    monkeypatch.setattr(answer_file, "_read_rows", lock)
    with pytest.raises(TouchstoneError, match=r"^The answer cache cannot be read: database is locked\. Settle that"):
        cache.get([b"key"])
    cache.close()
