"""Numbers, amounts, dates and times by value: a right one in another form is the same, a wrong one is not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis.strategies import text

from core.text.english.quantities import find_quantities
from core.text.quantity_forms import read_quantities, states_quantity

FORMS = [
    # the document, the same in another form, a wrong one in that form
    ("3,400,000 crowns", "3400000 crowns", "4400000 crowns"),
    ("3,400,000 crowns", "3’400’000 crowns", "3’500’000 crowns"),
    ("3,400,000 crowns", "3'400'000 crowns", "3'500'000 crowns"),
    ("3,400,000 crowns", "3 400 000 crowns", "3 500 000 crowns"),
    ("3,400,000 crowns", "3.400.000 crowns", "3.500.000 crowns"),
    ("3,400,000 crowns", "34,00,000 crowns", "35,00,000 crowns"),
    ("3,400,000 crowns", "3.4 million crowns", "4.4 million crowns"),
    ("3,400,000 crowns", "3,4 million crowns", "4,4 million crowns"),
    ("3,400,000 crowns", "3.4m crowns", "4.4m crowns"),
    ("3,400,000 crowns", "3.4 mn crowns", "4.4 mn crowns"),
    ("3,400,000 crowns", "three point four million crowns", "four point four million crowns"),
    ("3,400,000 crowns", "three million four hundred thousand crowns", "three million five hundred thousand crowns"),
    ("3,400,000 crowns", "34 lakh crowns", "35 lakh crowns"),
    ("3.4 million crowns", "3,400,000 crowns", "3,400 crowns"),
    ("3.4e6 units", "3,400,000 units", "34,000,000 units"),
    ("3.4×10⁶ units", "3.4 million units", "3.4 billion units"),
    ("$3.4bn", "3.4 billion dollars", "3.4 million dollars"),
    ("$3.4 million", "US$3,400,000", "US$3,900,000"),
    ("€250,000", "250,000 euros", "260,000 euros"),
    ("50 cents", "$0.50", "$0.60"),
    ("2.5 million litres", "two and a half million litres", "three and a half million litres"),
    ("500,000 homes", "half a million homes", "a million homes"),
    ("1,000 cars", "one thousand cars", "two thousand cars"),
    ("100 cars", "a hundred cars", "two hundred cars"),
    ("12 cars", "a dozen cars", "two dozen cars"),
    ("125 cars", "one hundred and twenty-five cars", "one hundred and thirty-five cars"),
    ("twenty-five cars", "25 cars", "35 cars"),
    ("2½ hours", "2.5 hours", "3.5 hours"),
    ("5 percent", "5 %", "6 %"),
    ("5 percent", "5%", "6%"),
    ("5 percent", "five per cent", "six per cent"),
    ("half of the crew", "50 percent of the crew", "60 percent of the crew"),
    ("75%", "three quarters", "two thirds"),
    ("25 basis points", "0.25 percent", "0.5 percent"),
    ("1,000 m", "1 km", "2 km"),
    ("1,000 m", "one kilometre", "two kilometres"),
    ("2.5 kg", "2,500 grams", "2,600 grams"),
    ("90 minutes", "1.5 hours", "2.5 hours"),
    ("two weeks", "14 days", "15 days"),
    ("24 months", "two years", "three years"),
    ("two decades", "20 years", "30 years"),
    ("3 hectares", "30,000 square metres", "40,000 square metres"),
    ("36 km/h", "10 m/s", "12 m/s"),
    ("1.5 GWh", "1,500 MWh", "1,600 MWh"),
    ("23°F", "-5 °C", "5 °C"),
    ("an eleven-metre gash", "eleven metres", "twelve metres"),
    ("5 January 2024", "January 5, 2024", "January 6, 2024"),
    ("5 January 2024", "2024-01-05", "2024-01-06"),
    ("5 January 2024", "05/01/2024", "06/02/2024"),
    ("5 January 2024", "the 5th of January", "the 6th of January"),
    ("5 January 2024", "Jan. 5", "Jan. 6"),
    ("5 January 2024", "January 2024", "February 2024"),
    ("5 January 2024", "2024", "2023"),
    ("3 p.m.", "15:00", "16:00"),
    ("3 p.m.", "three o’clock", "four o’clock"),
    ("15:30", "half past three", "half past four"),
    ("12:00", "noon", "midnight"),
    ("nineteen ninety-nine", "1999", "1998"),
    ("the 3rd attempt", "3rd", "4th"),
]


@pytest.mark.parametrize(("document", "same", "wrong"), FORMS)
def test_a_right_number_in_another_form_is_stated_and_a_wrong_one_is_not(document: str, same: str, wrong: str) -> None:
    document = f"It was {document} in all."
    for form, is_stated in ((same, True), (wrong, False)):
        quantities = find_quantities(f"It was {form} in all.")
        assert quantities, form
        assert all(states_quantity(document, quantity) for quantity in quantities) == is_stated, form


@pytest.mark.parametrize(
    ("document", "summary"),
    [
        ("5 kg", "5 km"),
        ("$5", "€5"),
        ("5 percent", "5 kg"),
        ("January 2024", "5 January 2024"),
        ("2024", "January 2024"),
        ("3 a.m.", "15:00"),
        ("1,500 cars", "500 cars"),
        ("5.4 metres", "4 metres"),
    ],
)
def test_units_and_parts_of_numbers_are_no_other_number(document: str, summary: str) -> None:
    [quantity] = find_quantities(summary)
    assert not states_quantity(document, quantity)


@pytest.mark.parametrize(
    "words", ["one of them", "G8 and B12", "thousands of people", "five six", "May I", "the once and future"]
)
def test_what_is_no_number_is_not_read_as_one(words: str) -> None:
    assert find_quantities(words) == ()


def test_a_quantity_knows_its_place_and_number() -> None:
    [quantity] = find_quantities("He lost 5 per cent of it")
    assert quantity.span.of("He lost 5 per cent of it") == "5 per cent"
    assert quantity.number.of("He lost 5 per cent of it") == "5"
    assert quantity.measures == {("share", Fraction(1, 20))}


@pytest.mark.parametrize(
    ("document", "summary", "read"),
    [
        ("It cost 3,400,000 crowns.", "It cost 3.4 million crowns.", "It cost 3,400,000 crowns."),
        ("He lost 5 percent.", "Lost: five per cent, or 5%", "Lost: 5 percent, or 5 percent"),
        ("It cost $3,400.", "It cost three thousand four hundred.", "It cost 3,400."),
        ("Five people saw it on 5 January 2024.", "On 2024-01-05 five saw it.", "On 5 January 2024 five saw it."),
    ],
)
def test_a_summary_is_read_with_the_forms_of_its_document(document: str, summary: str, read: str) -> None:
    reading = read_quantities(summary, document)
    assert reading is not None
    assert reading.text == read


def test_numbers_in_the_same_form_or_unknown_to_the_document_stay() -> None:
    assert read_quantities("Twenty of 7 lost 9 %.", "There were twenty, and 7.") is None


@pytest.mark.parametrize(
    "words",
    ["ſix men", "ten thouſand men", "SİX MEN", "fıve men", "at ſix o’clock", "AT NİNE O’CLOCK", "half paſt two"],
)
def test_letters_that_are_others_in_small_or_capitals_make_no_number_in_english(words: str) -> None:
    assert all(quantity.span.of(words) in {"ten", "half", "two"} for quantity in find_quantities(words))


@pytest.mark.parametrize(
    "run",
    [
        "7" * 5000,
        "111 " * 1500,
        "1e" + "9" * 5000,
        "1/" + "3" * 5000,
        "one point" + " two" * 5000,
        "hundred " * 3000 + "point two",
    ],
)
def test_a_run_of_thousands_of_digits_has_no_value(run: str) -> None:
    assert not any(quantity.amounts for quantity in find_quantities(run))
    assert not states_quantity(f"{run} and 5 km", find_quantities("7 km")[0])
    assert states_quantity(f"{run}; 5 km", find_quantities("5,000 metres")[0])


@given(text(max_size=60))
def test_any_text_is_read(written: str) -> None:
    spans = [quantity.span for quantity in find_quantities(written)]
    assert all(0 <= span.start < span.end <= len(written) for span in spans)


@pytest.mark.parametrize(
    ("document", "summary", "stated"),
    [
        ("It cost A$5 a ton.", "It cost US$5 a ton.", False),
        ("It cost C$50 a ton.", "It cost $50 a ton.", False),
        ("It cost US$5 a ton.", "It cost $5 a ton.", True),
        ("COVID-19 killed 40.", "It killed 19.", False),
        ("An F-16 flew over.", "They were 16.", False),
        ("It closed in mid-1990.", "It closed in 1990.", True),
    ],
)
def test_a_dollar_of_another_country_and_the_number_of_a_name_are_no_amount(
    document: str, summary: str, stated: bool
) -> None:
    [quantity] = find_quantities(summary)
    assert states_quantity(document, quantity) is stated


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        ("It lasts for seven years.", "It lasts for seven\nyears."),
        ("It cost 3.4 million euros.", "It cost 3.4\nmillion euros."),
        (
            "The museum opened its doors in the old mill on 3 May 2026 at last.",
            "The museum opened its doors in the old mill on 3\nMay 2026 at last.",
        ),
    ],
)
def test_a_unit_may_stand_on_the_next_line(text: str, wrapped: str) -> None:
    assert find_quantities(wrapped) == find_quantities(text)


def test_the_end_of_a_row_is_no_unit() -> None:
    assert [quantity.measures for quantity in find_quantities("Pears 3\nPlums 5\n- 7\n\nyears")] == [frozenset()] * 3
