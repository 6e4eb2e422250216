"""A metric of ours as a scorer of MLflow."""

from __future__ import annotations

from typing import Any

from mlflow.entities import Feedback
from mlflow.genai.scorers import Scorer, scorer

from core.assessment.notebook.scores import score_texts
from core.assessment.notebook.session import parse_metrics
from core.errors import TouchstoneError


def consistency(metric: str, document: str) -> Scorer:
    """See `touchstone.mlflow_scorer`."""
    [parsed] = parse_metrics(metric)

    def score(inputs: dict[str, Any], outputs: Any) -> Feedback:
        if document not in inputs:
            raise TouchstoneError(
                f"The inputs have no document. Put it into them as {document!r}, or name the key: mlflow_scorer(…, document=KEY). "
                f"Known: {', '.join(inputs) or 'none'}."
            )
        [record] = score_texts(parsed.spec, [str(outputs)], [str(inputs[document])])
        if record["score"] is None:
            return Feedback(name=parsed.name, error=TouchstoneError(record["error"]))
        lines = [f"{part['score']:.3f}  {part['text']}" for part in record["sentences"]]
        metadata = {"signature": record["signature"]}
        return Feedback(name=parsed.name, value=record["score"], rationale="\n".join(lines), metadata=metadata)

    return scorer(name=parsed.name)(score)
