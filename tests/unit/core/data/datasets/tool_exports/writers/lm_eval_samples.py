"""Let lm-evaluation-harness log two samples into the folder of the first argument."""

import json
import sys
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."
ANSWERS = ("The Alma left Kiel at noon.", "The Alma left Kiel at night.")


class Scripted(LM):
    def generate_until(self, requests, *args, **kwargs):
        return [ANSWERS[number] for number, _ in enumerate(requests)]

    def loglikelihood(self, requests, *args, **kwargs):
        return [(-1.0, True) for _ in requests]

    def loglikelihood_rolling(self, requests, *args, **kwargs):
        return [-1.0 for _ in requests]


folder = Path(sys.argv[1])
docs = folder / "docs.json"
docs.write_text(json.dumps([{"article": DOCUMENT, "highlights": "A gold summary."}] * 2))
task = {
    "task": "ferries",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": str(docs)}},
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "Summarize: {{article}}",
    "doc_to_target": "{{highlights}}",
    "generation_kwargs": {"until": ["\n\n"]},
    "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
}
tracker = EvaluationTracker(output_path=str(folder))
results = simple_evaluate(model=Scripted(), tasks=[task], log_samples=True, bootstrap_iters=0)
samples = results.pop("samples")
tracker.save_results_aggregated(results=results, samples=samples)
for name, logged in samples.items():
    tracker.save_results_samples(task_name=name, samples=logged)
