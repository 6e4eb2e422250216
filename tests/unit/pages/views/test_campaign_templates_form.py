"""A template fills the form of a new campaign, says how it differs from the paper, and opens all of it at one press."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from annotations.campaigns.campaign import load_campaigns
from annotations.management.campaign_templates import campaign_templates
from annotations.store.database import read_session
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import make_campaign

Open = Callable[..., AppTest]


def form(open_page: Open, template: str) -> AppTest:
    app = open_page("campaigns").run()
    app.text_input(key="new-campaign-name").set_value("Round 1")
    app.selectbox(key="new-campaign-template").set_value(template).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("template", campaign_templates(), ids=lambda template: template.name)
def test_a_template_is_one_press(template: object, open_page: Open, store: Store) -> None:
    assert hasattr(template, "name")
    app = form(open_page, template.name)
    app.button(key="new-campaign-go").click().run()
    assert not app.exception
    with read_session(store.engine) as session:
        made = {campaign.name: campaign for campaign in load_campaigns(session)}
    [listed] = [row for row in campaign_templates() if row.name == template.name]
    rules = made["Round 1"].rules
    assert rules.template == listed.name
    assert {name: getattr(rules, name) for name in listed.rules} == dict(listed.rules)
    assert made["Round 1"].questions.name == listed.questions
    assert ("Round 1, qualification" in made) == bool(listed.qualification)


def test_no_campaign_goes_before_items_that_ask_for_no_skill(open_page: Open, store: Store) -> None:
    app = form(open_page, "rate-of-errors")
    assert any("a campaign before it" in caption.value for caption in app.caption)
    app.toggle(key="new-campaign-rate-of-errors-skills-True").set_value(False).run()
    assert not any("a campaign before it" in caption.value for caption in app.caption)
    app.button(key="new-campaign-go").click().run()
    assert not app.exception
    with read_session(store.engine) as session:
        assert [campaign.name for campaign in load_campaigns(session)] == ["Round 1"]


def test_the_form_says_how_it_differs_from_the_paper(open_page: Open) -> None:
    app = form(open_page, "bump-task-1")
    [expander] = [box for box in app.expander if box.label.startswith("How this differs from the paper")]
    assert "paid $3.00" in expander.markdown[0].value.replace("\\", "")
    assert any("Ma et al" in caption.value for caption in app.caption)


def test_a_code_in_the_guidelines_is_asked_once_a_session(open_page: Open, store: Store) -> None:
    make_campaign(store, check_code=True)
    app = open_page("annotate").run()
    [sentence] = [element.value for element in app.markdown if "The code to copy is" in element.value]
    code = sentence.partition("The code to copy is **")[2][:6]
    app.text_input(key="check-code-answer").set_value("000")
    app.button(key="check-code-go").click().run()
    assert "That is not the code" in app.error[0].value
    app.text_input(key="check-code-answer").set_value(f" {code.upper()} ")
    app.button(key="check-code-go").click().run()
    assert not app.exception
    assert "check-code-answer" not in {box.key for box in app.text_input}
    app.run()
    assert "check-code-answer" not in {box.key for box in app.text_input}
