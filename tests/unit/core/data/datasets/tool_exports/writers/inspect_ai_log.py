"""Let inspect_ai write the log of two samples in two epochs into the folder of the first argument, as an archive and as JSON."""

import sys

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, mean, scorer
from inspect_ai.solver import generate

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."
ANSWERS = ("The Alma left Kiel at noon.", "The Alma left Kiel at night.")


@scorer(metrics=[accuracy()])
def grounded():
    async def score(state, target):
        return Score(value="C" if "noon" in state.output.completion else "I", answer=state.output.completion)

    return score


@scorer(metrics={"overlap": [mean()]})
def parts():
    async def score(state, target):
        return Score(value={"overlap": 0.25})

    return score


for log_format in ("eval", "json"):
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in ANSWERS * 2]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=9, output_tokens=9, total_tokens=18)
    samples = [Sample(id=n, input=DOCUMENT * 3, target="A gold summary.") for n in (1, 2)]
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=[grounded(), parts()], epochs=2)
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    eval(
        task, model=model, log_dir=sys.argv[1], log_format=log_format, max_connections=1, max_samples=1, display="none"
    )
