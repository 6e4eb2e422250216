"""Parameters of addresses by which a page opens a dialog or fills a form of another."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OPEN_PARAMETER = "open"
JUDGE_PARAMETER = "judge"
"""On Evaluate: a metric that the form of scores begins with."""
IMPORT_PARAMETERS: Mapping[str, str] = MappingProxyType({"tab": "Data", OPEN_PARAMETER: "import"})
"""Of Evaluate with the dialog of the import."""
