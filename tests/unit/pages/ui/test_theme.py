"""The configuration that ships with the app."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from streamlit import config

CONFIG = tomllib.loads((Path(__file__).parents[3] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def keys(table: dict[str, object], prefix: str = "") -> list[str]:
    found = []
    for name, value in table.items():
        found += keys(value, f"{prefix}{name}.") if isinstance(value, dict) else [prefix + name]
    return found


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_streamlit_knows_every_key() -> None:
    assert set(keys(CONFIG)) <= set(config.get_config_options())


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground(theme: str) -> None:
    """WCAG 2.2, 1.4.3: at least 4.5 to 1."""
    colors = CONFIG["theme"][theme]
    for ink in ("textColor", "linkColor"):
        for ground in ("backgroundColor", "secondaryBackgroundColor"):
            assert contrast(colors[ink], colors[ground]) >= 4.5, (ink, ground)
    assert contrast("#ffffff", colors["primaryColor"]) >= 4.5  # the words of a primary button
