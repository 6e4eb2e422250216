"""A sample of the attacks that `make attacks` makes each night."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.hostile_files import DOCUMENTS, TABLES, contents, read_hostile
from tests.attacks.replays import replay_all
from tests.e2e.shared_server import opened

_CONTENTS = contents()


def test_there_are_more_than_two_hundred_hostile_files() -> None:
    assert len(_CONTENTS) * len((*TABLES, *DOCUMENTS)) >= 200


@pytest.mark.parametrize(
    ("ending", "name"),
    [
        (".csv", "many columns"),
        (".json", "deep objects"),
        (".jsonl", "half a character"),
        (".xlsx", "an archive that unpacks to a gigabyte"),
        (".parquet", "Parquet with a foot of four gigabytes"),
        (".html", "deep tags"),
        (".docx", "a document with entities"),
        (".pdf", "a PDF whose pages are their own children"),
    ],
)
def test_a_hostile_file_is_read_or_refused_in_a_sentence(ending: str, name: str, tmp_path: Path) -> None:
    assert read_hostile(tmp_path, ending, _CONTENTS[name]).partition(":")[0] in {"read", "refused"}


@pytest.mark.slow
def test_a_press_of_a_managers_page_does_nothing_for_who_may_not_open_it(tmp_path: Path) -> None:
    with opened(tmp_path) as shared:
        replays = replay_all(shared, most_of_a_page=3)
    assert (replays.through, replays.crashes) == ([], [])
    assert replays.sent.total() > 200
