"""Let DeepEval write a test run of two cases into the folder of the first argument."""

import os
import sys

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="1", DEEPEVAL_RESULTS_FOLDER=sys.argv[1], CONFIDENT_API_KEY="")
os.chdir(sys.argv[1])

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."


class Faithfulness(BaseMetric):
    threshold, async_mode, evaluation_model = 0.5, False, None
    __name__ = "Faithfulness"

    def measure(self, test_case, *args, **kwargs):
        self.score = 1.0 if "noon" in test_case.actual_output else 0.0
        self.success, self.reason = self.score >= self.threshold, "Because."
        return self.score

    async def a_measure(self, test_case, *args, **kwargs):
        return self.measure(test_case)

    def is_successful(self):
        return self.success


cases = [
    LLMTestCase(input="When did it leave?", actual_output=answer, retrieval_context=[DOCUMENT], expected_output="Gold.")
    for answer in ("The Alma left Kiel at noon.", "The Alma left Kiel at night.")
]
evaluate(
    cases,
    [Faithfulness()],
    async_config=AsyncConfig(run_async=False),
    display_config=DisplayConfig(show_indicator=False, print_results=False),
    cache_config=CacheConfig(write_cache=False, use_cache=False),
)
