"""What a press of a key would cost at endpoints, in words."""

from __future__ import annotations

from collections.abc import Sequence

from core.llm.words import told
from core.metric import Metric
from core.trouble import Trouble, attempt
from core.types import Example
from pages.ui import services


def cost_words(metrics: Sequence[Metric], examples: Sequence[Example]) -> str:
    """What asking these metrics about these texts would cost at most; empty where nothing is paid for or nobody can be asked."""
    engine = services.engine()
    found = attempt(lambda: told(engine.estimate(engine.talks(metrics, examples))))
    return "" if isinstance(found, Trouble) else found
