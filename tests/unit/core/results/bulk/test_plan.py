"""A plan of a run over blocks: known times give known hours, and the blocks of its sample are done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy import stats

from core.results.bulk.block_writer import Refusals, write_blocks
from core.results.bulk.blocks import block_names, read_block, row_of_item, write_block, write_manifest
from core.results.bulk.folder import Folder
from core.results.bulk.plan import TimedReport, plan_run
from core.results.bulk.scorer import BlockReport
from core.types import Counts
from tests.unit.core.results.bulk.test_blocks import pairs_of, written
from tests.unit.pages.commands.test_cli import own_settings, run

__all__ = ["own_settings"]


def timed(name: str, after_s: float, seconds: float) -> TimedReport:
    return (after_s, BlockReport(name, counts=Counts(asked=10), seconds=seconds))


def test_hours_and_price_follow_from_the_blocks_after_the_first_of_each_worker() -> None:
    sizes = {"a": 100, "b": 100, "c": 100, "d": 200, "e": 100}
    sample = [
        timed("a", 12.0, 9.0),  # as slow as a start
        timed("b", 13.0, 9.0),
        timed("c", 14.0, 2.0),
        timed("d", 15.0, 4.4),
        timed("e", 17.0, 1.6),
    ]
    plan = plan_run(sample, sizes, crew=2, pairs=1_000_000, workers=10, hourly=0.5)
    assert plan.pair_seconds.value == pytest.approx(0.02)
    assert plan.start_seconds == pytest.approx(13 - 2)
    assert plan.hours.value == pytest.approx((11 + 1_000_000 * 0.02 / 10) / 3600)
    assert plan.price.value == pytest.approx(10 * 0.5 * (11 + 2000) / 3600)
    # Cochran's ratio of totals: residuals of the blocks from their share of the pairs
    residuals = [2.0 - 100 * 0.02, 4.4 - 200 * 0.02, 1.6 - 100 * 0.02]
    error = (3 / 2 * sum(one**2 for one in residuals)) ** 0.5 / 400
    low = 0.02 - stats.t.ppf(0.975, 2) * error
    assert plan.pair_seconds.low == pytest.approx(low)
    assert plan.hours.low == pytest.approx((11 + 1_000_000 * low / 10) / 3600)
    assert (plan.blocks_sampled, plan.pairs_sampled, plan.counts.asked) == (5, 600, 50)


@pytest.fixture
def blocks(tmp_path: Path) -> Folder:
    """40 pairs of 10 documents in 8 blocks."""
    whole, out = (Folder.at(str(tmp_path / name)) for name in ("whole", "blocks"))
    write_blocks(str(written(tmp_path / "in.jsonl", pairs_of(40, 10))), whole, Refusals())
    items = [item for name in block_names(whole) for item in read_block(whole, name)]
    parts = [items[start : start + 5] for start in range(0, len(items), 5)]
    write_manifest(
        out,
        [write_block(out, number, [row_of_item(item) for item in part]) for number, part in enumerate(parts)],
        0,
        "test",
    )
    return out


@pytest.mark.slow
def test_a_sample_is_scored_and_the_run_goes_on_from_there(blocks: Folder, tmp_path: Path) -> None:
    given = ("score", blocks.path, "--to", tmp_path / "to", "--metric", "rouge2")
    done = run(*given, "--plan", "4", "--fleet", "100", "--pairs", "1000000000", "--hourly", "2", "--json")
    plan = json.loads(done.stdout)
    assert (plan["pairs"], plan["workers"], plan["blocks_sampled"], plan["pairs_sampled"]) == (10**9, 100, 4, 20)
    hours, pair_s = plan["hours"], plan["pair_seconds"]
    assert "why" in hours
    assert hours["value"] == pytest.approx((plan["start_seconds"] + 10**7 * pair_s["value"]) / 3600)
    assert plan["price"]["high"] == pytest.approx(200 * hours["high"])
    told = run(*given, "--plan", "3", "--seed", "1").stdout
    assert "Sample: 3 blocks, 15 pairs" in told
    assert "\n20 pairs on 1 workers: " in told
    rest = run(*given, "--stats")
    assert json.loads(rest.stdout.splitlines()[-1])["blocks"] == 1


def test_too_few_blocks_say_what_to_do(blocks: Folder, tmp_path: Path) -> None:
    given = ("score", blocks.path, "--to", tmp_path / "to", "--metric", "rouge2", "--workers", "7")
    done = run(*given, "--plan", "12")
    assert "A plan needs 9 blocks" in str(done.exception)
    assert not list((tmp_path / "to").rglob("0*.parquet"))
