"""Home leads to the pages that one may open, to what was kept, and by words to everything else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from annotations.store.store import Store
from pages.ui.lessons import read_lessons
from tests.unit.annotations.campaigns.actors import make_campaign, save_items
from tests.unit.annotations.pair_samples import PAIR

Open = Callable[..., AppTest]


@pytest.fixture
def home(open_page: Open) -> Open:
    def open_home() -> AppTest:
        app = open_page("home").run(timeout=60)
        assert not app.exception
        return app

    return open_home


def links(app: AppTest) -> dict[str, str]:
    """Every link of the page by its label, with the query of its address."""
    found = (element.proto for element in app.get("page_link"))
    return {link.label.replace("\\", ""): f"{link.page}?{link.query_string}".rstrip("?") for link in found}


def test_a_stranger_finds_three_things_to_do_and_the_first_finding(home: Open) -> None:
    app = home()
    assert [heading.value for heading in app.subheader[:3]] == ["Test a metric", "Label", "Metrics"]
    pages = [*links(app)]
    assert pages == [
        *("Probe", "Stress test", "Evaluate", "Audit", "Papers"),
        *("Annotate", "Campaigns", "Review"),
        *("Metrics", "Prompts"),
        "See what the metrics noticed",
        *[lesson.title for lesson in read_lessons().values()],
    ]


def test_what_was_kept_is_continued_where_it_is(home: Open, store: Store) -> None:
    [item] = save_items(store, 7)
    campaign = make_campaign(store, items=0).campaign
    found = links(home())
    [address] = [address for label, address in found.items() if label.startswith("Boats :gray[campaign, 2")]
    assert address == f"campaigns?campaign={campaign.id}"
    assert f"?example={item}" in found.values()


def test_what_was_made_last_comes_first_with_its_picture(home: Open, store: Store) -> None:
    store.save_pair(PAIR)
    make_campaign(store, items=0)
    app = home()
    recent = [label for label in links(app) if ":gray[" in label]
    assert [label.split()[0] for label in recent] == ["Boats", "Tugs"]
    pictures = [element.proto.body for element in app.get("html") if "ts-thumbnail" in element.proto.body]
    assert ["labels are there" in pictures[0], "1 edit of the summary" in pictures[1]] == [True, True]


@pytest.mark.parametrize(
    ("words", "label", "address"),
    [
        ("freighter", "A freighter", "?example=news-harbour"),
        ("metric ROUGE-2", "ROUGE-2", "metrics?metric=rouge2"),
        ("prompts", "Prompts", "metrics?prompt=all"),
        ("noise band", "What a noise band is", "?lesson=noise-band"),
    ],
)
def test_words_lead_to_examples_metrics_and_pages(home: Open, words: str, label: str, address: str) -> None:
    app = home().text_input(key="home-search").set_value(words).run(timeout=60)
    found = {name: place for name, place in links(app).items() if name.startswith(label) and ":gray[" in name}
    assert address in found.values()


def test_words_that_nothing_has_are_said(home: Open) -> None:
    app = home().text_input(key="home-search").set_value("no *such* thing").run(timeout=60)
    assert "Nothing has “no \\*such\\* thing” in its name\\." in [caption.value for caption in app.caption]
