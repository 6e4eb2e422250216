"""A metric of ours as a scorer of inspect_ai."""

from __future__ import annotations

from anyio import to_thread
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from core.assessment.notebook.scores import score_texts
from core.assessment.notebook.session import parse_metrics
from core.errors import TouchstoneError


@scorer(metrics=[mean(), stderr()])
def consistency(metric: str, document: str = "document") -> Scorer:
    """See `touchstone.inspect_scorer`."""
    [parsed] = parse_metrics(metric)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001  # a summary is compared with its document
        if document not in state.metadata:
            raise TouchstoneError(
                f"The sample {state.sample_id!r} has no document. Put it into its metadata as {document!r}, or name the key: "
                f"inspect_scorer(…, document=KEY). Known: {', '.join(state.metadata) or 'none'}."
            )
        texts = ([state.output.completion], [str(state.metadata[document])])
        # the engine batches what several samples ask meanwhile
        [record] = await to_thread.run_sync(score_texts, parsed.spec, *texts)

        if record["score"] is None:
            return Score.unscored(reason="scoring_failed", answer=state.output.completion, explanation=record["error"])
        lines = [f"{part['score']:.3f}  {part['text']}" for part in record["sentences"]]
        metadata = {"signature": record["signature"], "sentences": record["sentences"]}
        return Score(
            value=record["score"], answer=state.output.completion, explanation="\n".join(lines), metadata=metadata
        )

    return score
