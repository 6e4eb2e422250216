"""A copy of the trained metric that comes with Touchstone, which stands in for one of a person's own."""

from __future__ import annotations

import shutil
from pathlib import Path

from core.models.weights.locations import locate
from core.scoring.metrics.mine import EmbeddedWordSupport


def model(folder: Path) -> Path:
    """The folder of this model."""
    return Path(shutil.copytree(locate(EmbeddedWordSupport().weights), folder))


SPECS = {"mine": lambda built: f"mine[model={built(model)}]", "word-support": lambda _: "word-support"}
