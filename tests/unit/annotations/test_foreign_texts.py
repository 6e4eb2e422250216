"""Texts that a manager uploads are read in a time that grows with them, or refused in a sentence."""

from __future__ import annotations

import time

import pytest

from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.people.people import read_people
from annotations.store.records import RecordError


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 5000, "nested too deeply"),
        ("a: " + "{a: " * 3000, "nested too deeply"),
        ("a: " + "9" * 10_000, "no YAML"),
        ("a: [" + "x, " * 60_000 + "]", "at most 50,000 are kept"),
    ],
)
def test_a_question_set_that_takes_long_or_breaks_its_reader_is_refused(text: str, says: str) -> None:
    with pytest.raises(RecordError, match=says):
        read_questions(text)


def test_the_ready_made_sets_are_far_from_the_limit() -> None:
    assert max(map(len, bundled_question_sets().values())) < 10_000


@pytest.mark.slow
def test_a_long_list_of_people_is_read_in_a_time_that_grows_with_it() -> None:
    def seconds(people: int) -> float:
        began = time.process_time()
        assert len(read_people(b"name\n" + b"".join(b"p%d\n" % number for number in range(people)))) == people
        return time.process_time() - began

    assert seconds(20_000) < 40 * seconds(2_000)  # 100 times where each is compared with each


@pytest.mark.parametrize("length", [1, 200_000])
def test_a_cell_without_an_end_is_refused(length: int) -> None:
    with pytest.raises(RecordError, match="no CSV"):
        read_people(b'name\n"' + b"x" * length)
