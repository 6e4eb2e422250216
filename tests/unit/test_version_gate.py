"""The gate on the processor time of the engine: its arithmetic, and a real version that is slower than its last commit."""

from __future__ import annotations

import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from tests.bench.version_gate import Cost, VersionComparison, compare_versions, format_comparison
from tests.sources import ROOT

_SLOWER = """

_plain_get = AnswerCache.get


def _slow_get(self, keys):
    for key in keys:
        sum(range(2_000))
    return _plain_get(self, keys)


AnswerCache.get = _slow_get
"""


def cost(asked: float, cached: float) -> Cost:
    return {"asked": asked, "cached": cached, "memory": 400.0}


def test_a_question_may_cost_a_tenth_more_and_what_the_other_version_differs_from_itself() -> None:
    other, again = [cost(100, 10), cost(90, 10), cost(300, 9)], [cost(105, 11), cost(100, 10), cost(110, 10)]
    compared = VersionComparison("v1", [cost(112, 12), cost(114, 12), cost(116, 12)], other, again)
    assert compared.ratio("asked") == pytest.approx(114 / 102.5)
    assert compared.noise("asked") == pytest.approx(1.05)
    assert compared.slower == ["cached"]
    text = format_comparison(compared).splitlines()
    assert [line.split()[0] for line in text[1:4]] == ["asked", "cached", "memory"]
    assert text[4:] == [
        "Slower: a question from the cache takes 1.20 times the processor time that it takes in v1, and at most 1.10 is "
        "allowed."
    ]
    assert format_comparison(VersionComparison("v1", again, other, again)).endswith("No slower than v1.")


def test_a_version_that_git_has_not_is_refused_with_a_sentence() -> None:
    with pytest.raises(TouchstoneError, match="Git has no version 'no-such-tag' here"):
        compare_versions("no-such-tag", pairs=1, turns=1)


@pytest.mark.slow
def test_a_working_tree_that_reads_the_cache_slowly_is_slower_than_its_commit(tmp_path: Path) -> None:
    archive = subprocess.run(["git", "archive", "HEAD", "core"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(tmp_path, filter="data")
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    for command in (["init", "-q"], ["add", "core"], [*identity, "commit", "-qm", "First"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    cache = tmp_path / "core/scoring/engine/cache.py"
    cache.write_text(cache.read_text("utf-8") + _SLOWER, encoding="utf-8")
    compared = compare_versions("HEAD", pairs=12, turns=1, tree=tmp_path)
    assert "cached" in compared.slower
    assert all(one["asked"] > 0 and one["memory"] > 0 for one in (*compared.this, *compared.other, *compared.again))
