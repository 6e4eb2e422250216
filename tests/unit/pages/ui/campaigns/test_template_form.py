"""The pictures of templates: one for each, small, in the proportions of a screen."""

from __future__ import annotations

import pytest
from PIL import Image

from annotations.management.campaign_templates import CampaignTemplate, campaign_templates
from pages.ui.campaigns.template_form import template_picture

MOST_BYTES = 20_000


@pytest.mark.parametrize("template", campaign_templates(), ids=lambda template: template.name)
def test_a_template_has_a_small_picture(template: CampaignTemplate) -> None:
    file = template_picture(template.name)
    assert file.stat().st_size <= MOST_BYTES
    with Image.open(file) as picture:
        assert picture.size == (640, 400)
