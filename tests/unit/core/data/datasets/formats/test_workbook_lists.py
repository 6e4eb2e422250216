"""Lists of answers that a workbook offers for its cells: their words are stated labels, and their codes are read as words."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation

from core.data.dataset import Refusal
from core.data.datasets.formats.workbook_lists import workbook_classes
from core.data.datasets.generic import Generic
from core.errors import TouchstoneError
from core.types import Verdict

CONSISTENT, INCONSISTENT = Verdict.CONSISTENT, Verdict.INCONSISTENT
WORDS = ("fully supported", "not supported")


def book(path: Path, answers: tuple[object, object], **rule: str) -> Path:
    """A workbook whose third column has this rule, with the choices of WORDS in cells of another sheet."""
    made = Workbook()
    sheet = made.active
    sheet.append(["document", "summary", "answer of Kim"])
    for number, answer in enumerate((*answers, *answers)):
        sheet.append([f"It rained all day in town {number}.", f"It rained {number}.", answer])
    lists = made.create_sheet("Lists")
    for word in WORDS:
        lists.append([word])
    made.defined_names["Answers"] = DefinedName("Answers", attr_text="Lists!$A$1:$A$2")
    validation = DataValidation(sqref="C2:C100", **rule)
    sheet.add_data_validation(validation)
    made.save(path)
    made.close()
    return path


def verdicts(path: Path) -> list[Verdict | None]:
    records = list(Generic().read(path))
    return [record.intended for record in records if not isinstance(record, Refusal)]


@pytest.mark.parametrize("formula", [f'"{",".join(WORDS)}"', "Lists!$A$1:$A$2", "Answers"])
def test_the_words_of_a_list_are_stated(formula: str, tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", WORDS, type="list", formula1=formula)
    assert workbook_classes(path) == {"answer of Kim": {}}
    assert verdicts(path) == [CONSISTENT, INCONSISTENT] * 2
    assert "stated: by the classes that the file names" in Generic().settings_used(path)["labels"]


@pytest.mark.parametrize(
    "choices",
    [
        "1 = hallucinated,0 = faithful",
        "1 - hallucinated,0 - faithful",
        "1: hallucinated,0: faithful",
        "1 (hallucinated),0 (faithful)",
    ],
)
def test_codes_of_a_list_are_read_as_its_words(choices: str, tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", (1, 0), type="list", formula1=f'"{choices}"')
    assert workbook_classes(path) == {"answer of Kim": {"1": "hallucinated", "0": "faithful"}}
    assert verdicts(path) == [INCONSISTENT, CONSISTENT] * 2


def test_codes_that_the_message_of_a_rule_explains_are_read_as_its_words(tmp_path: Path) -> None:
    rule = {"type": "list", "formula1": '"0,1"', "prompt": "0 = hallucinated; 1 = faithful", "promptTitle": "Label"}
    path = book(tmp_path / "t.xlsx", (1, 0), **rule)
    assert verdicts(path) == [CONSISTENT, INCONSISTENT] * 2


@pytest.mark.parametrize("formula", ['"0,1"', '"A,B"', "Missing!$A$1:$A$2", "Nothing"])
def test_a_list_that_says_nothing_leaves_the_question(formula: str, tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", (1, 0), type="list", formula1=formula)
    assert workbook_classes(path) == {}
    with pytest.raises(TouchstoneError, match="--label-of-1"):
        list(Generic(label="answer of Kim").read(path))


def test_rules_of_numbers_are_no_classes(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", (1, 0), type="whole", operator="between", formula1="0", formula2="1")
    assert workbook_classes(path) == {}
