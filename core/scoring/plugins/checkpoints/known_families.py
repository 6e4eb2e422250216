"""Published metrics whose checkpoints are recognised by the name of their repository, and lead to the metric that reads them as its authors do."""

from __future__ import annotations

import re

from core.model_reference import local_checkpoints
from core.models import hub_file
from core.scoring.metric import METRICS
from core.scoring.plugins.checkpoints.checkpoint_file import FAMILY

FAMILIES = (
    (r"alignscore", "alignscore-large"),
    (r"bespoke-?minicheck", "bespoke-minicheck-7b"),
    (r"minicheck.*roberta", "minicheck-roberta"),
    (r"minicheck.*deberta", "minicheck-deberta"),
    (r"minicheck.*t5", "minicheck-flan-t5"),
    (r"hallucination_evaluation_model|\bhhem", "hhem"),
    (r"lettuce-?de(te)?ct", "lettucedetect"),
    (r"factcg", "factcg"),
    (r"factcc", "factcc"),
    (r"bleurt", "bleurt-20"),
    (r"unieval", "unieval-sum"),
    (r"vitaminc|summac", "summac-zs"),
)
"""Parts of the name of a repository by which it is recognised, and the metric of its family."""


def family_spec(source: str) -> str:
    """The metric, as a spec, that is made for this checkpoint; "" where none is known."""
    for plugin in METRICS:
        if plugin.card.family == FAMILY:
            continue
        if source in {hub_file(model.source)[0] for model in local_checkpoints(plugin().checkpoints())[:1]}:
            return plugin.name
    family = next(
        (name for pattern, name in FAMILIES if re.search(pattern, source.rpartition("/")[2], re.IGNORECASE)), ""
    )
    return f"{family}[checkpoint={source}]" if family else ""


def family_note(source: str) -> str:
    """A sentence that leads to that metric; "" where none is known."""
    spec = family_spec(source)
    if not spec:
        return ""
    return f"{METRICS.parse(spec).card.title} is the metric that is made for such checkpoints, and asks them as its authors do: {spec}."
