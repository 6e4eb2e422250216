"""The reach of each rule, in numbers."""

from __future__ import annotations

import pytest

from annotations.campaigns.campaign import CampaignRules
from annotations.campaigns.rule_reach import rule_reach

ITEMS = {"work": 100, "gold": 12, "qualification": 7}


@pytest.mark.parametrize(
    ("rules", "name", "sentence"),
    [
        (CampaignRules(calibration=10), "calibration", "The first 10 items go to all 5 people: 50 labels."),
        (CampaignRules(pass_right=6), "pass_right", "Each of 5 people needs 6 of 7 right to go on."),
        (CampaignRules(gold_every=10), "gold_every", "About 4 gold items of 12 for each of 5 people."),
        (CampaignRules(repeat_every=20), "repeat_every", "About 2 items come a second time to each of 5 people."),
        (
            CampaignRules(most_per_person=30),
            "most_per_person",
            "5 people give at most 150 of 200 labels; 50 labels stay open.",
        ),
        (
            CampaignRules(most_overlap=4),
            "most_overlap",
            "Up to 4 people label those of the 100 items that stay unsure: 200 more labels at most.",
        ),
        (CampaignRules(overlap=6), "overlap", "1 person more needed: 5 people may label."),
    ],
)
def test_a_rule_says_how_many_items_people_or_labels_it_touches(rules: CampaignRules, name: str, sentence: str) -> None:
    assert rule_reach(rules, ITEMS, people=5)[name] == sentence


def test_rules_that_are_off_and_rules_without_items_say_nothing() -> None:
    assert rule_reach(CampaignRules(), ITEMS, people=5) == {}
    assert rule_reach(CampaignRules(gold_every=10, pass_right=3), {"work": 3}, people=5) == {}
