"""What the meaning-breaking perturbations make of sentences of ours, and what they refuse."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.edits.perturbation import PERTURBATIONS
from core.errors import UnscorableError
from core.text import edits as executable
from core.text.english import wide_names
from core.text.english.name_swaps import stand_ins
from core.text.english.names import Name, NameKind
from core.types import Example, Span


def variants(name: str, summary: str, document: str = "") -> set[str]:
    """All that a perturbation may make of a summary, over many seeds; the document is the summary where none is given."""
    example = Example("x", document or summary, summary)
    try:
        drawn = [PERTURBATIONS.parse(name).edits(example, random.Random(seed)) for seed in range(60)]
    except UnscorableError:
        return set()
    return {executable.apply(summary, edits) for edits in drawn}


@pytest.mark.parametrize(
    ("name", "summary", "variant"),
    [
        ("negation", "The bridge is closed to lorries.", "The bridge is not closed to lorries."),
        ("negation", "The council has sold the mill.", "The council has not sold the mill."),
        ("negation", "The court rejected the claim.", "The court did not reject the claim."),
        ("negation", "The bank is not on the chart.", "The bank is on the chart."),
        ("negation", "Visitors can see the vault.", "Visitors cannot see the vault."),
        ("negation", "The tailor baked the bread.", "The tailor did not bake the bread."),
        ("negation", "The twins graduated in June.", "The twins did not graduate in June."),
        ("negation", "Police say the men left.", "Police do not say the men left."),
        ("negation", "The couple had two sons.", "The couple did not have two sons."),
        ("antonym", "The mayor said that it will open.", "The mayor denied that it will open."),
        ("antonym", "The bank was praised by them.", "The bank was criticised by them."),
        ("antonym", "She wanted to leave.", "She refused to leave."),
        ("pronoun", "They left their boat.", "They left his boat."),
        ("pronoun", "They are late.", "She is late."),
        ("number", "It fell 1,100ft.", "It fell 660ft."),
        ("number", "He was sentenced to 20 years.", "He was sentenced to 28 years."),
        ("circumstance-foreign", "The choir sang a hymn.", "In Ankara, the choir sang a hymn."),
        ("circumstance-swapped", "They left after the storm.", "They left before the storm."),
        ("circumstance-swapped", "It costs more than 20 pounds.", "It costs less than 20 pounds."),
        ("circumstance-swapped", "She has over 40 books.", "She has under 40 books."),
        ("circumstance-swapped", "They voted against the law.", "They voted together with the law."),
        ("circumstance-swapped", "He drove into the yard.", "He drove out of the yard."),
        ("antonym", "The clerk will accept the offer.", "The clerk will reject the offer."),
        ("antonym", "The firm sold its yard.", "The firm bought its yard."),
        ("antonym", "Prices fell by a fifth.", "Prices rose by a fifth."),
        ("antonym", "The town built the bridge.", "The town demolished the bridge."),
        ("antonym", "The mill denied the report.", "The mill confirmed the report."),
        ("antonym", "The new lamp is cheaper than the old one.", "The new lamp is dearer than the old one."),
        ("pronoun", "Orla sold her boat.", "Orla sold his boat."),
        ("pronoun", "He thanked her.", "She thanked her."),
        ("pronoun", "Nils told her that it rained.", "Nils told him that it rained."),
        ("date", "It opened on Monday.", "It opened on Friday."),
        ("date", "He came for a morning walk.", "He came for an afternoon walk."),
        ("number", "She is an 80-year-old pilot.", "She is a 48-year-old pilot."),
        ("negation", "The harvest substantially rose.", "The harvest did not substantially rise."),
        ("negation", "The mill reportedly closed in May.", "The mill reportedly did not close in May."),
        ("date", "Sales fell in the third quarter.", "Sales fell in the first quarter."),
        ("date", "Sales were higher than in Q3.", "Sales were higher than in Q1."),
        ("entity-swapped", "Lars Holm praised Nils Berg.", "Nils Berg praised Lars Holm."),
        ("tense", "The mill closed in the spring.", "The mill will close in the spring."),
        ("tense", "The mill was sold to a baker.", "The mill will be sold to a baker."),

        ("circumstance-foreign", "It closed its Lisbon plant.", "It closed its Oslo plant."),
        ("circumstance-foreign", "The pumps at Lode End failed.", "The pumps at Ankara failed."),
    ],
)  # fmt: skip
def test_one_local_edit_keeps_the_grammar(name: str, summary: str, variant: str) -> None:
    assert variant in variants(name, summary)


@pytest.mark.parametrize(
    ("name", "summary"),
    [
        ("negation", "Is the bridge open?"),
        ("negation", "Some roads were closed."),
        ("negation", "It depends on whether the bridge is open."),
        ("negation", "The sum is less than when he was away."),
        ("negation", "Unless it hid a claim that it knew of."),
        ("antonym", "The value is not protected."),
        ("negation", "He never was in Rome."),
        ("antonym", "A fall in the value of the house was feared."),
        ("antonym", "The concert was sold out."),
        ("antonym", "Half of the beds were sold by noon."),
        ("antonym", "They threatened to close it."),
        ("antonym", "The city has to build a new bridge."),
        ("antonym", "She appointed a new director."),
        ("antonym", "Damages were denied, and he left."),
        ("antonym", "A bicycle can be hired for a day."),
        ("antonym", "The van lost power."),
        ("antonym", "She lost her battle to cancer."),
        ("antonym", "He helped the club survive."),
        ("circumstance-swapped", "The side went into lunch."),
        ("circumstance-swapped", "It was their match against Leeds."),
        ("negation", "Everybody had told them of it."),
        ("pronoun", "The book is his."),
        ("pronoun", "She hurt herself."),
        ("pronoun", "The ship tore her hull."),
        ("number", "The match ended 2-0 on 3 May 2014."),
        ("number", "Two of the three came, seven in ten left."),
        ("number", "They work from nine to five."),
        ("date", "It may open on 1 of 3 days."),
        ("date", "Men march on the palace, and they may win."),
        ("entity-swapped", "Ana Costa met Tom Reid."),
        ("circumstance-foreign", "The Lisbon office is large."),
        ("negation", "A pupil named Tom in the hall."),
        ("negation", "When the storm came."),
        ("antonym", "She spoke of a recorded message."),
        ("number", "Two-thirds of them left."),
        ("pronoun", "They own it."),
        ("negation", "We don t pay."),
        ("negation", "The tenant expresses interest in the mill."),
        ("negation", "He had not yet left."),
        ("negation", "A letter praising the boats built to order."),
        ("number", "It costs between 20 and 30 pounds."),
        ("number", "It stays at $455 million to $475 million."),
        ("number", "In the end, Four returns home."),
        ("pronoun", "The author says that they left."),
        ("pronoun", "That makes them good candidates."),
        ("entity-foreign", "It is the highest since Jan. 18."),
        ("entity-swapped", "Lars Holm met Nils Berg."),
        ("tense", "The mill closed two years ago."),
        ("tense", "The mill closed and the baker left."),
        ("tense", "Tom and Ann exchange heated words."),
        ("entity-swapped", "Lars Holm and Nils Berg met."),
        ("entity-swapped", "Ida Holm and Nils Berg met Lars Lund."),
    ],
)  # fmt: skip
def test_what_cannot_be_broken_for_sure_is_refused(name: str, summary: str) -> None:
    assert variants(name, summary) == set()


def test_a_closed_road_is_open_and_one_closed_by_somebody_is_opened() -> None:
    assert variants("antonym", "The road was closed.") == {"The road was open."}
    assert variants("antonym", "The road was closed by him.") == {"The road was opened by him."}


def test_a_lower_bound_is_never_replaced_by_what_it_entails() -> None:
    made = variants("number", "It cost more than 400 pounds.")
    assert made
    assert all(int(variant.split()[4]) > 400 for variant in made)


def test_a_percentage_stays_below_a_hundred() -> None:
    assert all(int(variant.split()[0]) < 100 for variant in variants("number", "90 per cent of them left."))


def test_a_person_is_swapped_for_one_whom_the_document_names_elsewhere() -> None:
    document = "Tom Reid won the race. The cup was given by Ian Baker. Ana Costa watched."
    assert variants("entity-swapped", "Tom Reid won the race.", document) == {
        "Ian Baker won the race.",
        "Ana Costa won the race.",
    }


def test_an_office_takes_another_name_in_full_and_no_title() -> None:
    document = "Justice Ana Costa ruled. Mrs Hale watched. Eva Lund left. Vera slept."
    assert variants("entity-swapped", "Justice Ana Costa ruled.", document) == {"Justice Eva Lund ruled."}
    assert variants("entity-swapped", "Cruise Ana Costa ruled.", document) == set()


def test_two_names_of_one_person_are_not_swapped() -> None:
    document = "Scott Shirley flew to Rome. Later Mr Shirley complained. Scott was angry."
    assert variants("entity-swapped", "Mr Shirley complained.", document) == set()


def test_a_pronoun_that_follows_keeps_the_swap_to_one_gender() -> None:
    document = "Tom Reid won the race. He was glad. Ana Costa watched. Ian Baker gave the cup."
    assert variants("entity-swapped", "Tom Reid won the race. He was glad.", document) == {
        "Ian Baker won the race. He was glad."
    }


def test_a_foreign_name_is_written_like_the_old_one() -> None:
    made = variants("entity-foreign", "Dr Reid thanked them.")
    assert made
    assert all(variant.startswith("Dr ") and "Reid" not in variant for variant in made)


@pytest.mark.parametrize(("name", "old"), [("entity-foreign", "Nokia"), ("entity-foreign[names=guessed]", "the NHS")])
def test_no_name_stands_for_itself(name: str, old: str) -> None:
    made = variants(name, f"It is said that {old} grew.")
    assert made
    assert f"It is said that {old} grew." not in made


def test_a_place_or_time_comes_from_another_sentence_of_the_document() -> None:
    document = "The fair opened in Oslo on Monday. A second one will close in Rome on Friday."
    assert variants("circumstance-swapped", "The fair opened in Oslo on Monday.", document) == {
        "The fair opened in Oslo on Friday.",
        "The fair opened in Rome on Monday.",
    }
    elsewhere = "The fair opened in Oslo. A second one will close in Rome."
    assert variants("circumstance-swapped", "The fair opened in Oslo.", elsewhere) == {"The fair opened in Rome."}


def test_a_contrary_that_the_document_uses_is_left_alone() -> None:
    document = "The firm sold its yard. A bank bought the cranes."
    assert variants("antonym", "The firm sold its yard.", document) == set()


def test_what_the_document_does_not_hold_is_not_said_to_be_its() -> None:
    with pytest.raises(UnscorableError):
        PERTURBATIONS.parse("date").edits(Example("x", "It opened then.", "It opened on Monday."), random.Random(0))


def test_who_speaks_in_a_dialogue_is_a_person() -> None:
    dialogue = "Wulfric: The mill is closed.\nYsolde: Since when?\nWulfric: Since May.\nYsolde: I see."
    assert "Ysolde tells Wulfric that the mill is closed." in variants(
        "entity-swapped", "Wulfric tells Ysolde that the mill is closed.", dialogue
    )
    assert not variants("entity-foreign", "Client tells Agent that it is closed.", "Client: It is.\nAgent: Why?\n" * 2)


def test_whom_somebody_speaks_for_is_a_company() -> None:
    document = "Hello, I am calling from BrightWorks. BrightWorks sells pumps."
    assert variants("entity-foreign", "BrightWorks sells pumps.", document)
    assert not variants("entity-foreign", "BrightWorks is a data set.", "The BrightWorks is a data set.")


def test_a_document_without_capitals_mentions_names_all_the_same() -> None:
    assert variants("entity-foreign", "Helen left the clinic.", "[doctor] hello , helen .")


REPORT = (
    "Velmora announced a loss. Velmora shares fell. Its boss Quenby Thrale said that the Drisk government had asked Ozcorp Ltd "
    "for help. Ozcorp Ltd reported a profit. Norway's parliament met Tilda Marrow, who leads the NBX. The NBX said no."
)


@pytest.mark.parametrize(
    ("name", "summary", "old"),
    [
        ("entity-foreign", "Velmora announced a loss.", "Velmora"),
        ("entity-foreign", "The NBX said no.", "NBX"),
        ("entity-foreign", "Quenby Thrale asked for help.", "Quenby Thrale"),
        ("entity-foreign", "The Norwegian parliament met.", "Norwegian"),
        ("entity-swapped", "Velmora announced a loss.", "Velmora"),
    ],
)
def test_names_that_no_list_has_are_guessed_where_that_is_asked_for(name: str, summary: str, old: str) -> None:
    assert not variants(name, summary, REPORT)
    made = variants(f"{name}[names=guessed]", summary, REPORT)
    assert made
    assert all(old not in variant for variant in made)


def test_a_guessed_place_never_takes_one_that_may_hold_it() -> None:
    document = "Crops failed near Kolvik. Nobody left Kolvik. Rain fell in Drammond, the capital of Drammond."
    assert not variants("entity-swapped[names=guessed]", "Kolvik lost its crops.", document)


def test_names_are_parsed_by_a_pipeline_whose_version_the_signature_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.cfg").write_text("[nlp]")
    (tmp_path / "meta.json").write_text('{"lang": "en", "name": "toy", "version": "1.2"}')
    entity = SimpleNamespace(text="the Velmora", start_char=0, label_="ORG")
    monkeypatch.setattr(wide_names, "load_pipeline", lambda _: (lambda _: SimpleNamespace(ents=[entity]), 0))
    spec = f"entity-foreign[names=parsed,parser={tmp_path}]"
    assert PERTURBATIONS.parse(spec).signature == f"{PERTURBATIONS.parse(spec).spec}|parser:en_toy 1.2"
    assert "the Red Cross lost." in variants(spec, "the Velmora lost.")


FURTHER = "entity-swapped[names=guessed]"


@pytest.mark.parametrize(
    ("summary", "document", "expected"),
    [
        # the article comes and goes with the country
        ("The fair opened in the UK.", "The fair opened in the UK. Rain fell in Peru.", {"The fair opened in Peru."}),
        ("Peru won.", "Peru won. Rain fell in the UK.", {"The UK won."}),
        ("Crops failed in Peru.", "Crops failed in Peru. Rain fell in the UK.", {"Crops failed in the UK."}),
        # none has a place after an adjective, and a country that modifies stays an acronym or a word
        ("Crops failed in dry Peru.", "Crops failed in dry Peru. Rain fell in the UK.", set()),
        ("A US envoy left.", "A US envoy left. Rain fell in the UK and in Peru.", {"A UK envoy left."}),
        (
            "He came to the Oslo airport.",
            "He came to the Oslo airport. Rain fell in Rome.",
            {"He came to the Rome airport."},
        ),
        # cities and states stand for their like alone, and no price is a country
        ("It rained in Iowa.", "It rained in Iowa. Snow fell in Ohio and in Phnom Penh.", {"It rained in Ohio."}),
        ("It cost US$10 in Iowa.", "It cost US$10 in Iowa. Snow fell in Peru.", set()),
        # a county stands after its town, and for its like
        (
            "He lives in Yeovil, Dorset.",
            "He lives in Yeovil, Dorset. Rain fell in Kent.",
            {"He lives in Yeovil, Kent."},
        ),
        # one country by two names, and a country in another
        ("Rain fell in Britain.", "Rain fell in Britain. The UK has seen snow in Scotland too.", set()),
        # a body by its initials
        ("The World Bank said no.", "The World Bank said no. The WB is in debt.", set()),
        ("NI took part.", "BBC NI took part. Later BBC Northern Ireland left.", set()),
        # the surname of one whom the document never calls by it alone
        ("Quandt lost.", "Mr Hugo Quandt lost. Then came Ian Baker.", {"Ian Baker lost."}),
        # a time zone is no body
        ("The CIA said so.", "The CIA said so. It was at 5 BST there.", set()),
        # what is said of two who are kin may be said of each
        ("Tom Reid and his brother left.", "Tom Reid and his brother left. Ian Baker is that brother.", set()),
        # one acts on the other where no verb stands between
        (
            "Peru's attack on Mali failed.",
            "Peru's attack on Mali failed.",
            {"Mali's attack on Peru failed."},
        ),
        ("Peru's border with Mali is long.", "Peru's border with Mali is long.", set()),
        ("Peru's talks in Mali failed.", "Peru's talks in Mali failed.", set()),
    ],
)
def test_a_further_name_is_swapped_where_the_sentence_is_right_and_false(
    summary: str, document: str, expected: set[str]
) -> None:
    assert variants(FURTHER, summary, document) == expected


def test_a_rank_is_no_part_of_a_person_whom_the_document_names_in_full_without_it() -> None:
    example = Example("1", "Ana Costa ruled. Then came Eva Lund.", "Supt Ana Costa ruled.")
    ana, there = (Name(Span(start, start + 9), "Ana Costa", NameKind.WOMAN, definite=False) for start in (5, 0))
    eva = Name(Span(27, 35), "Eva Lund", NameKind.WOMAN, definite=False)
    assert stand_ins(example, [ana], [there, eva]) == [(ana, eva)]
    assert not stand_ins(example, [ana], [eva])


def test_a_pronoun_forbids_a_further_name_only_of_the_other_gender() -> None:
    document = "Anna Holm lost her ring. Then came Tom Reid. Yrsel Quandt slept, as Quandt does."
    assert variants(FURTHER, "Anna Holm lost her ring.", document) == {
        "Yrsel Quandt lost her ring.",
        "Quandt lost her ring.",
    }
    document = "Anna Holm lost a ring. Then came Tom Reid."
    assert variants(FURTHER, "Anna Holm lost a ring.", document) == {"Tom Reid lost a ring."}


def test_a_name_of_which_more_than_the_words_around_tell_the_kind_is_taken_before_others() -> None:
    document = "Anna Holm built it. Then came Tom Reid, and minister Velmora spoke. Velmora, who won, left."
    assert variants(FURTHER, "Anna Holm built it.", document) == {"Tom Reid built it."}


def test_a_month_that_is_also_a_word_is_refused_with_what_is_true_of_it() -> None:
    example = Example("x", "The mill closed in March.", "The mill closed in March.")
    with pytest.raises(UnscorableError, match="March and May only beside their day, as “3 March”"):
        PERTURBATIONS.parse("date").edits(example, random.Random(0))
    assert variants("date", "The mill closed on 3 March.")
