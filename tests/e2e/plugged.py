"""`python -m tests.e2e.plugged run app.py …`: Streamlit with the test doubles of `plugins` beside our own plugins."""

from __future__ import annotations

from pathlib import Path

from streamlit.web import cli

import core.metrics
import core.models.adapters

_PLUGINS = Path(__file__).parent / "plugins"

core.metrics.__path__.append(str(_PLUGINS / "metrics"))
core.models.adapters.__path__.append(str(_PLUGINS / "adapters"))

if __name__ == "__main__":
    cli.main()
