"""Small pictures are drawn from the data of things: edits, moves, progress and verdicts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from annotations.management.campaign_progress import CampaignProgress, Share
from annotations.store.records import StoredPair
from core.assessment.audit.question import AuditAnswer, Level
from core.results.runs.bundled_run import bundled_run_lines
from core.results.runs.matrix import shift_matrix
from core.results.runs.shifts import score_shifts
from core.results.runs.stress_run import run_from_lines
from core.types import Result
from pages.ui.home.thumbnails import (
    HEIGHT,
    WIDTH,
    Thumbnail,
    audit_thumbnail,
    campaign_thumbnail,
    pair_thumbnail,
    run_thumbnail,
    thumbnail_html,
)
from tests.unit.annotations.pair_samples import PAIR

STORED = StoredPair("id", datetime.now(UTC), PAIR)


def styles(picture: Thumbnail) -> list[str]:
    return [one.style for one in picture.rectangles]


def test_a_pair_shows_its_edit_and_the_fall_of_its_score() -> None:
    picture = pair_thumbnail(STORED)
    assert styles(picture) == ["plain", "removed", "inserted", "plain"]
    assert sum(one.width for one in picture.rectangles) == WIDTH
    [line] = picture.lines
    assert (line.style, line.y1 < line.y2) == ("plain", True)
    assert pair_thumbnail(replace(STORED, pair=replace(PAIR, edits=(), outcomes=()))).lines == ()


@pytest.mark.parametrize(("metric", "rises"), [("rouge2", [False]), ("word-novelty", [True]), ("source-position", [])])
def test_a_line_rises_where_the_summary_became_more_consistent(metric: str, rises: list[bool]) -> None:
    scored = tuple(replace(one, metric=metric) for one in PAIR.outcomes if isinstance(one, Result))
    lines = pair_thumbnail(replace(STORED, pair=replace(PAIR, outcomes=scored))).lines
    assert [line.y2 < line.y1 for line in lines] == rises


def test_a_run_is_its_matrix_in_the_colours_of_the_moves() -> None:
    run = run_from_lines(bundled_run_lines())
    cells = shift_matrix(run, score_shifts(run), resamples=1)
    picture = run_thumbnail(cells)
    assert len(picture.rectangles) <= len(cells)
    assert {"right", "wrong", "plain"} <= {style.split()[0] for style in styles(picture)}
    assert all(one.x + one.width <= WIDTH and one.y + one.height <= HEIGHT for one in picture.rectangles)


def test_a_campaign_is_the_share_of_its_labels() -> None:
    progress = CampaignProgress(10, 20, 5, 0, 0, 0, 0, 0, Share(0, 0), None, None, ())
    _, done = campaign_thumbnail(progress).rectangles
    assert done.width == WIDTH / 4
    assert campaign_thumbnail(replace(progress, answered=0, required=0)).rectangles[1].width == 0


def test_an_audit_is_a_dot_for_each_verdict_the_good_ones_on_top() -> None:
    findings = [AuditAnswer("q", "t", "axis", level, "s") for level in (Level.GOOD, Level.FAILS, Level.NOT_ASKED)]
    picture = audit_thumbnail(findings)
    assert styles(picture) == ["right", "wrong"]
    assert picture.rectangles[0].y < picture.rectangles[1].y
    assert picture.about == "Verdicts: 1 good, 0 weak, 1 fails"


def test_words_of_a_picture_are_escaped() -> None:
    assert "<b>" not in thumbnail_html(Thumbnail("<b>x</b>"))
