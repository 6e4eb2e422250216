"""Other layouts of a summary: the words stay, marks and lines change, and what a layout cannot be made of is left alone with a reason."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from core.data.datasets.bundled import bundled_items
from core.edits.battery import read_battery
from core.edits.perturbation import PERTURBATIONS, layout_words
from core.errors import UnscorableError
from core.text import apply, find_quantities, recover
from core.types import Example

PROSE = 'Ana Costa\'s team hired 12 drivers. Fares rise by 5% - to $2.5 million. She said "enough".'
BULLETS = "- the café opens at noon\n- Tom Reid left. He moved to Oslo.\n- Two vans were bought"
HEADED = "## New things\n\n* `parse()` no longer **crashes**\n* dates are read\n  * also with years\n\n## Added\n\n1. A menu\n2. A button\n"
WRAPPED = (
    "The mayor of the town said that the bridge will be closed for\nrepairs until the end of May.\n\nNobody was hurt."
)
VERSE = "The rain came down on Tuesday\nThe river rose by noon"


def variant(name: str, summary: str, seed: int = 0) -> str:
    edits = PERTURBATIONS.parse(name).edits(Example("a", "the document", summary), random.Random(seed))
    return apply(summary, edits)


@pytest.mark.parametrize(
    ("name", "summary", "expected"),
    [
        ("as-list", "One came. Two left.", "- One came.\n- Two left."),
        ("as-list[mark=number]", "One came. Two left.", "1. One came.\n2. Two left."),
        ("as-list[mark=bullet]", "One came.\n\nTwo left.", "• One came.\n• Two left."),
        (
            "as-prose",
            BULLETS,
            "The café opens at noon. Tom Reid left. He moved to Oslo. Two vans were bought.",
        ),
        ("as-prose", "1. iPhone sales fell\n2. Rain fell\n", "iPhone sales fell. Rain fell."),
        ("item-order", "- Rain fell in Oslo.\n- Tom left.", "- Tom left.\n- Rain fell in Oslo."),
        ("item-order", "- [x] Rent\n- [x] Milk\n- [ ] Bread", "- [x] Milk\n- [x] Rent\n- [ ] Bread"),
        ("item-order", "* Rain fell\n  * in Oslo\n* Tom left", "* Tom left\n* Rain fell\n  * in Oslo"),
        (
            "markdown",
            PROSE,
            "**Ana Costa's** team hired **12** drivers. **Fares** rise by **5%** - to $**2.5** million.",
        ),
        ("markdown", "成本下降到3,400,000欧元, 10%.", "成本下降到3,400,000欧元, **10%**."),
        ("markdown[to=heading]", "Rain fell.", "## Summary\n\nRain fell."),
        (
            "markdown[to=plain]",
            HEADED,
            "New things\n\n* parse() no longer crashes\n* dates are read\n  * also with years",
        ),
        ("markdown[to=plain]", "See [the *plan*](https://x.org/a).", "See the plan."),
        ("heading-case", HEADED, "## NEW THINGS\n\n* `parse()` no longer **crashes**"),
        ("heading-case[to=title]", HEADED, "## New Things\n"),
        ("line-breaks[width=20]", "The bridge will be closed in May.", "The bridge will be\nclosed in May."),
        ("line-breaks[at=sentence]", "One came. Two left.", "One came.\nTwo left."),
        ("line-breaks[at=paragraph]", "One came. Two left.", "One came.\n\nTwo left."),
        ("line-breaks[at=none]", WRAPPED, WRAPPED.replace("for\nrepairs", "for repairs")),
        (
            "typography",
            PROSE,
            "Ana Costa’s team hired 12 drivers. Fares rise by 5% – to $2.5 million. She said “enough”.",
        ),
        ("typography[to=plain]", "“It’s over” — at last, 1990–2010.", '"It\'s over" - at last, 1990-2010.'),
        ("unicode-form", "The café", unicodedata.normalize("NFD", "The café")),
        ("unicode-form[form=nfc]", unicodedata.normalize("NFD", "The café"), "The café"),
        ("number-form", "It cost 3.4 million.", "It cost 3,400,000."),
        ("number-form", "They hired 12 drivers.", "They hired twelve drivers."),
        ("number-form", "Some twelve drivers left.", "Some 12 drivers left."),
        ("number-form", "12 drivers left.", "Twelve drivers left."),
        ("number-form", "It has 45000 seats.", "It has 45,000 seats."),
        ("number-form", "It cost $10000.", "It cost $10,000."),
    ],
)
def test_a_layout_is_made(name: str, summary: str, expected: str) -> None:
    assert variant(name, summary).startswith(expected)


@pytest.mark.parametrize(
    ("name", "summary"),
    [
        ("as-list", "Only one came."),
        ("as-list", BULLETS),
        ("as-prose", PROSE),
        ("as-prose", HEADED),
        ("as-prose", "The council refused to:\n- pay\n- build"),  # in prose the refusal would be gone
        ("as-prose", "They sell:\n- bread,\n- milk and\n- eggs."),
        ("as-prose", "- Plants\n  - herbs\n- Trees"),
        ("as-prose", "The firm denied the following.\n- Bribes were paid.\n- Tom Reid knew."),
        ("as-prose", "- [x] Rent was paid\n- [ ] Milk was bought"),
        ("as-prose", "✅ The build\n❌ The tests"),
        ("as-prose", "+ The range\n- The price"),
        ("item-order", "1. Rain fell.\n2. Tom left."),
        ("item-order", "- Rain fell.\n- It flooded the town."),
        ("item-order", "Steps:\n- Open the tap.\n- Wash the pan."),
        ("item-order", "- Preheat the oven.\n- Mix flour and eggs."),
        ("item-order", "- Police shot a man.\n- As a result, riots broke out.\n- Two years later the chief resigned."),
        ("item-order", "- Will Tom Reid stay?\n- No."),
        ("item-order", "- raise taxes;\n- close the library; and\n- build a road."),
        ("item-order", "- [x] Rent was paid\n- [ ] Milk was bought"),
        ("item-order", "+ The range\n- The price"),
        ("item-order", PROSE),
        ("markdown", "Rain fell on **Tuesday**."),
        ("markdown[to=heading]", HEADED),
        ("markdown[to=plain]", PROSE),
        ("markdown[to=plain]", "Sales **rose** by ~~5%~~ 6%."),
        ("markdown[to=plain]", "Sales **rose** by <del>5%</del> 6%."),
        ("heading-case", BULLETS),
        ("line-breaks", BULLETS),
        ("line-breaks[at=none]", VERSE),
        ("line-breaks[at=none]", "One line."),
        ("line-breaks[width=3]", PROSE),
        ("typography", "A board of 5'10\" by 6'2\""),
        ("unicode-form", "Rain fell."),
        ("number-form", "In 2019 Apollo 13 was shown on 3 May at 9 a.m."),
        ("number-form", "1. Rain fell.\n2. Tom left."),
        ("number-form", "Call 5551234567 about order 12345678, ISBN 9783161484100."),
        ("number-form", "Build 22621 fixes it."),
        ("number-form", "Between three and 4 million voted."),
        ("number-form", "Some 200-300 million, as in 3,-2 million."),
        ("number-form", "It fell to −5 degrees, as source [3] says (7)."),
        ("number-form", "It costs 5 €."),
        ("number-form", "It opens on the twenty-sixth."),
        ("number-form", "Компания выросла на 5 процентов, и прибыль составила 12000000 рублей."),
        ("number-form", "公司收入增长了12%。成本下降到3,400,000欧元。"),
    ],
)
def test_what_a_layout_cannot_be_made_of_is_left_alone_with_a_reason(name: str, summary: str) -> None:
    with pytest.raises(UnscorableError, match=r"^[A-Zw].*\.$"):
        variant(name, summary)


def test_every_process_writes_the_same_layouts() -> None:
    code = (
        "import random; from core.edits import PERTURBATIONS; from core.types import Example; "
        "kind = PERTURBATIONS.parse('number-form'); "
        "print([kind.edits(Example('a', 'd', f'It fell by {n}%.'), random.Random(n))[0].new for n in range(20, 40)])"
    )
    written = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=Path(__file__).parents[5],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2", "3")
    }
    assert len(written) == 1


def test_a_line_that_would_be_read_as_a_heading_is_not_made() -> None:
    with pytest.raises(UnscorableError, match="other words of the summary would be read"):
        variant("as-list", "Rain fell. Overview. Tom left.")


@pytest.mark.parametrize("kind", read_battery("layout-1").kinds)
def test_the_words_and_values_of_our_summaries_stay(kind: str) -> None:
    perturbation = PERTURBATIONS.parse(kind)
    for item in bundled_items():
        summary = item.example.summary
        try:
            edits = perturbation.edits(item.example, random.Random(0))
        except UnscorableError:
            continue
        after = apply(summary, edits)
        if kind == "number-form":
            assert [q.amounts for q in find_quantities(after)] == [q.amounts for q in find_quantities(summary)]
        else:
            assert sorted(layout_words(after)) == sorted(layout_words(summary))


def test_the_battery_keeps_the_meaning_by_every_kind() -> None:
    battery = read_battery("layout-1")
    assert len(battery.of_intent("preserving")) == len(battery.kinds)


def test_its_edits_come_back_from_the_two_texts() -> None:
    """Probe recovers the edits of a text that was edited by hand further."""
    edits = PERTURBATIONS.parse("as-list").edits(Example("a", "d", PROSE), random.Random(0))
    assert recover(PROSE, apply(PROSE, edits), edits) == edits
