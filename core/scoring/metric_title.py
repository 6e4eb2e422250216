"""The title of a metric, which people read in the place of its spec."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from core.errors import TouchstoneError
from core.registry import title_with_settings
from core.scoring.metric import METRICS

_COLUMN_NAME = re.compile(r"(?P<spec>.*?)(?P<addition>( \(ours\))?( \(\d+\))?)")


def metric_title(name: str) -> str:
    """The title of a metric for people to read, with its settings where it has any; a name that is not ours as it is.

    `name` is a spec, or the name of a column of scores, which may add "(ours)" or a number.
    """
    parts = _COLUMN_NAME.fullmatch(name)
    if parts is None:
        return name
    try:
        metric = METRICS.parse(parts["spec"])
    except TouchstoneError:  # released by others, or kept from a time when it had another name
        return name
    return f"{title_with_settings(metric.card.title, parts['spec'])}{parts['addition']}"


def metric_titles(names: Iterable[str]) -> dict[str, str]:
    """The titles of several metrics by their names; those that would read alike keep their names.

    A dataset may have been released with "BLEU" and be scored with our `bleu`, and the ends of two long paths may be the same.
    """
    titles = {name: metric_title(name) for name in names}
    number = Counter(titles.values())
    return {name: title if number[title] == 1 else name for name, title in titles.items()}
