"""What the Campaigns page says of figures, and of settings that would not do what they look like."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotations.campaigns.campaign import CampaignRules, NewTask
from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.management.campaign_progress import CampaignProgress, Share
from core.results.runs.stress_run import Plan, Source, StressRun, Variant
from core.stats.statistic import Estimate
from core.stats.text_tables import format_coefficient
from core.types import Example, Verdict
from pages.ui.campaigns.campaign_editor import setup_hints
from pages.ui.campaigns.campaign_tabs import format_hours_left, format_share
from pages.ui.campaigns.item_pool import ChosenItems, bundled_candidates, run_candidates
from pages.ui.campaigns.rules_form import usual_pass_mark

SUMMARIES = read_questions(bundled_question_sets()["label-summaries"])
HALF_WAY = CampaignProgress(10, 20, 10, 1, 5, 0, 0, 0, Share(0, 10), 40.0, None, ())


def known(part: str) -> ChosenItems:
    return ChosenItems(answered=(NewTask("0", part, key={"verdict": "consistent"}),))  # type: ignore[arg-type]  # a part


@pytest.mark.parametrize(
    ("items", "rules", "hint"),
    [
        (known("gold"), CampaignRules(), "Gold items are never given out"),
        (ChosenItems(), CampaignRules(gold_every=10), "There is no gold item"),
        (known("qualification"), CampaignRules(), "Everybody passes the qualification"),
    ],
)
def test_a_setting_without_effect_is_named(items: ChosenItems, rules: CampaignRules, hint: str) -> None:
    [said] = setup_hints(SUMMARIES, rules, items)
    assert said.startswith(hint)


def test_scores_of_what_is_only_being_written_are_not_promised() -> None:
    written = read_questions(bundled_question_sets()["write-free"])
    assert len(setup_hints(written, CampaignRules(reveal=True), ChosenItems())) == 1
    assert setup_hints(SUMMARIES, CampaignRules(reveal=True), ChosenItems()) == []


def test_a_share_of_none_is_no_share() -> None:
    assert (format_share(Share(6, 7)), format_share(Share(0, 0))) == ("6 of 7 (86%)", "")


def test_the_work_that_is_left_is_told_at_the_pace_so_far() -> None:
    assert format_hours_left(HALF_WAY) == "about 6 min of work left"
    assert format_hours_left(replace(HALF_WAY, required=1000)) == "about 11.0 h of work left"
    assert format_hours_left(replace(HALF_WAY, active_s=None)) == ""
    assert format_hours_left(replace(HALF_WAY, answered=20)) == ""


def test_a_figure_without_an_interval_or_value_says_so() -> None:
    assert format_coefficient(Estimate(0.712, 0.5, 0.834, 10)) == "0.71 [0.50, 0.83]"
    assert format_coefficient(Estimate(1.0, None, None, 3, "All cases are of one document.")) == "1.00"
    assert format_coefficient(Estimate(None, None, None, 0, "Nobody said anything.")) == "–"


def test_a_usual_qualification_asks_for_four_fifths() -> None:
    assert [usual_pass_mark(number) for number in (0, 1, 4, 5, 7, 10)] == [0, 1, 4, 4, 6, 8]


def test_what_a_stress_run_made_can_be_labelled_with_what_it_was_meant_to_be() -> None:
    plan = Plan("Tugs", ("negated", "shuffled"), ("rouge2",))
    source = Source(Example("a", "Two tugs came. It rained.", "Tugs came. It rained."), "a", "news", "Tugs")
    run = StressRun(plan, {"a": source})
    run.add(Variant("a", "shuffled", summary="It rained. Tugs came."))
    run.add(Variant("a", "entity-swapped", summary="Boats came. It rained."))
    run.add(Variant("a", "negated", error="There is no verb to negate."))
    original, shuffled, swapped = run_candidates(run)
    assert (original.edited, original.summary) == (False, "Tugs came. It rained.")
    assert swapped.pair is not None
    assert swapped.pair.title == "Swap an entity within the document (Tugs)"
    assert (shuffled.maker, shuffled.intended) == ("shuffled", None)
    assert (swapped.maker, swapped.intended) == ("entity-swapped", Verdict.INCONSISTENT)
    assert [edit.new for edit in swapped.pair.edits] == ["Boats"]


def test_every_bundled_example_can_be_kept() -> None:
    assert len({one.name for one in bundled_candidates()}) == len(bundled_candidates())
    assert {one.edited for one in bundled_candidates()} == {True, False}
