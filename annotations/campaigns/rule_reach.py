"""Numbers of items, people and labels that each rule of a campaign touches, before the campaign is made."""

from __future__ import annotations

from collections.abc import Mapping

from annotations.campaigns.campaign import CampaignRules
from core.stats import format_count


def rule_reach(rules: CampaignRules, items: Mapping[str, int], people: int) -> dict[str, str]:
    """By the name of each rule that is on, a sentence with the items, people or labels that it touches.

    `items` are the numbers of items by their part, and `people` those who may label.
    """
    work, crowd = items.get("work", 0), _format_people(people)
    labels = work * rules.overlap
    reach: dict[str, str] = {}
    if rules.most_overlap > rules.overlap:
        extra = work * (rules.most_overlap - rules.overlap)
        reach["most_overlap"] = (
            f"Up to {rules.most_overlap} people label those of the {format_count(work, 'item')} that stay unsure: "
            f"{format_count(extra, 'more label')} at most."
        )
    if rules.calibration:
        first = min(rules.calibration, work)
        reach["calibration"] = (
            f"The first {format_count(first, 'item')} go to all {crowd}: {format_count(first * people, 'label')}."
        )
    if rules.pass_right and (qualifying := items.get("qualification", 0)):
        reach["pass_right"] = f"Each of {crowd} needs {rules.pass_right} of {qualifying} right to go on."
    if rules.gold_every and (gold := items.get("gold", 0)):
        each = min(gold, _each_of(labels, people) // max(rules.gold_every - 1, 1))
        reach["gold_every"] = f"About {format_count(each, 'gold item')} of {gold} for each of {crowd}."
    if rules.repeat_every:
        each = _each_of(labels, people) // rules.repeat_every
        reach["repeat_every"] = f"About {format_count(each, 'item')} come a second time to each of {crowd}."
    if rules.most_per_person:
        reached = min(labels, rules.most_per_person * people)
        rest = f"; {format_count(labels - reached, 'label')} stay open" if reached < labels else ""
        reach["most_per_person"] = (
            f"{crowd.capitalize()} give at most {reached} of {format_count(labels, 'label')}{rest}."
        )
    if rules.overlap > people > 0:
        reach["overlap"] = f"{_format_people(rules.overlap - people)} more needed: {crowd} may label."
    if rules.least_gold or rules.least_repeats or rules.least_seconds or rules.least_variety:
        reach["limits"] = f"Whoever falls short of one is paused, of {crowd}; you let them go on."
    return reach


def _each_of(labels: int, people: int) -> int:
    """The labels of each person where all do as many."""
    return labels // people if people else labels


def _format_people(number: int) -> str:
    return "1 person" if number == 1 else f"{number} people"
