"""Texts of ten kinds as people and models write them: their units, each located, with the false one by itself."""

from __future__ import annotations

import pytest

from core.text.layout import layout_units

KINDS = {
    "release notes": (
        """# Scheduler 4.2 (2026-03-12)

### ✨ Added
* Calendar view ([#812](https://example.org/812))
* `jobctl pause` - jobs can be paused from the command line

### 🐛 Fixed
* Log lines longer than 8192 bytes are no longer lost

### ⚠️ Breaking
* Support for Python 3.9 was **removed**
* Default timeout: 30 s → 60 s
* Run the migration tool before you upgrade""",
        [
            "Calendar view ([#812](https://example.org/812))",
            "`jobctl pause` - jobs can be paused from the command line",
            "Log lines longer than 8192 bytes are no longer lost",
            "Support for Python 3.9 was **removed**",
            "Default timeout: 30 s → 60 s",
            "Run the migration tool before you upgrade",
        ],
        "60 s",
    ),
    "minutes": (
        """MINUTES – Allotment Society, 4 May 2026

Present: Ruth Oyelaran, Tomas Brandt, Li Wen
Apologies: Karin Holt

1. Pump
   Tomas reported that it had been repaired for €340.
2. Fees
   Agreed: annual fee of 85 euros from January.
3. Fence
   ACTION (Ruth): ask three firms for offers by end of June

Closed 20:40""",
        [
            "MINUTES – Allotment Society, 4 May 2026",
            "Present: Ruth Oyelaran, Tomas Brandt, Li Wen",
            "Apologies: Karin Holt",
            "Pump Tomas reported that it had been repaired for €340.",
            "Fees Agreed: annual fee of 85 euros from January.",
            "Fence ACTION (Ruth): ask three firms for offers by end of June",
            "Closed 20:40",
        ],
        "Ruth): ask",
    ),
    "clinical note": (
        """HPI: 67 y/o F w/ T2DM, HTN, 2 d fever + productive cough.
Exam: T 38.9 °C; SpO2 91% RA.
CXR: consolidation left lower lobe.

A/P:
- Community-acquired pneumonia: levofloxacin 500 mg once daily (penicillin allergy); blood cultures taken
- Diabetes: continue metformin
- F/u: repeat CXR in 6 wks""",
        [
            "HPI: 67 y/o F w/ T2DM, HTN, 2 d fever + productive cough.",
            "Exam: T 38.9 °C; SpO2 91% RA.",
            "CXR: consolidation left lower lobe.",
            "Community-acquired pneumonia: levofloxacin 500 mg once daily (penicillin allergy); blood cultures taken",
            "Diabetes: continue metformin",
            "F/u: repeat CXR in 6 wks",
        ],
        "left lower lobe",
    ),
    "chat": (
        """Maya: export job failed again, disk full on node 7 (98%)
Maya: deleted old snapshots
Jonas: adds an alert at 95 percent this afternoon
Maya: customer gets the file by noon
Jonas: reviews Priya's pull request 👍""",
        [
            "Maya: export job failed again, disk full on node 7 (98%)",
            "Maya: deleted old snapshots",
            "Jonas: adds an alert at 95 percent this afternoon",
            "Maya: customer gets the file by noon",
            "Jonas: reviews Priya's pull request 👍",
        ],
        "95 percent",
    ),
    "README": (
        """# tidemark

> Tide tables → calendars.

## Install

```sh
pip install tidemark
```

## Usage

| Option | Meaning |
| --- | --- |
| `--zone` | time zone, UTC by default |

Reads CSV of the hydrographic office and writes **iCalendar**.

## Requirements

- Python ≥ 3.8
- no dependencies

## License

MIT""",
        [
            "Tide tables → calendars.",
            "pip install tidemark",
            "`--zone` | time zone, UTC by default",
            "Reads CSV of the hydrographic office and writes **iCalendar**.",
            "Python ≥ 3.8",
            "no dependencies",
            "MIT",
        ],
        "3.8",
    ),
    "PDF text": (
        """Nitrate in the river was measured at fourteen sta-
tions between 2015 and 2024. It fell at eleven of
them, by 22 % on average, most where buffer strips
of ten metres or more had been planted. At the four
stations below the sugar works it rose. The authors
recommend a second treatment stage.

12""",
        [
            "Nitrate in the river was measured at fourteen sta- tions between 2015 and 2024.",
            "It fell at eleven of them, by 22 % on average, most where buffer strips of ten metres or more had been planted.",
            "At the four stations below the sugar works it rose.",
            "The authors recommend a second treatment stage.",
        ],
        "At the four",
    ),
    "recipe": (
        """**Lentil soup** (serves 4)

Ingredients:
• 250 g red lentils
• 1 onion, 2 cloves garlic
• 1 l vegetable stock
• juice of ½ lemon

Method:
1) Fry onion and garlic in olive oil for 5 min.
2) Add lentils, a tin of tomatoes and stock.
3) Simmer for 40 minutes.
4) Stir in the lemon juice.""",
        [
            "**Lentil soup** (serves 4)",
            "250 g red lentils",
            "1 onion, 2 cloves garlic",
            "1 l vegetable stock",
            "juice of ½ lemon",
            "Fry onion and garlic in olive oil for 5 min.",
            "Add lentils, a tin of tomatoes and stock.",
            "Simmer for 40 minutes.",
            "Stir in the lemon juice.",
        ],
        "40 minutes",
    ),
    "legal clause": (
        """4. OBLIGATIONS OF THE TENANT

4.1. The Tenant shall pay rent of £1,150 monthly in advance.
4.2. The Tenant shall not, without the Landlord's consent,
    (a) keep dogs; or
    (b) sublet the premises.

5. TERMINATION

5.1. Either party may terminate with two months' written notice.
5.2. The deposit (two months' rent) is returned within thirty (30) days.""",
        [
            "The Tenant shall pay rent of £1,150 monthly in advance.",
            "The Tenant shall not, without the Landlord's consent,",
            "keep dogs; or",
            "sublet the premises.",
            "Either party may terminate with two months' written notice.",
            "The deposit (two months' rent) is returned within thirty (30) days.",
        ],
        "two months' written",
    ),
    "table": (
        """| Channel | Sold | Change |
|:--|--:|--:|
| North | 412 | +38 |
| South | 287 | +12 |
| Online shop | 1 045 | +210 |

Returns: 3.1%
Average price: EUR 640""",
        [
            "North | 412 | +38",
            "South | 287 | +12",
            "Online shop | 1 045 | +210",
            "Returns: 3.1%",
            "Average price: EUR 640",
        ],
        "+12",
    ),
    "verse": (
        """Each evening the old ferryman rowed the lake
to light the island's lamp;
a storm in June broke his oar
and he drifted till the day.

A village girl found him and rowed him home,
and now she lights the lamp
while he, on the shore,
tells her the names of the stars.""",
        [
            "Each evening the old ferryman rowed the lake to light the island's lamp; a storm in June broke his oar and he drifted till the day.",
            "A village girl found him and rowed him home, and now she lights the lamp while he, on the shore, tells her the names of the stars.",
        ],
        "storm in June",
    ),
}
"""Of each kind a summary, its units with one blank for blanks and ends of lines, and words of the unit that is false."""


@pytest.mark.parametrize("kind", KINDS)
def test_the_units_of_a_kind_are_located(kind: str) -> None:
    summary, expected, _ = KINDS[kind]
    assert [" ".join(unit.of(summary).split()) for unit in layout_units(summary)] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_the_false_words_are_in_one_unit(kind: str) -> None:
    summary, _, false = KINDS[kind]
    assert sum(false in unit.of(summary) for unit in layout_units(summary)) == 1
