"""Let MLflow write two traces with assessments into the folder of the first argument."""

import os
import sys

os.environ.update(MLFLOW_ALLOW_FILE_STORE="true", MLFLOW_ENABLE_ASYNC_TRACE_LOGGING="false")

import mlflow
from mlflow.entities import AssessmentSource

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."

mlflow.set_tracking_uri(f"file://{sys.argv[1]}/runs")
mlflow.set_experiment("ferries")
for answer, holds in (("The Alma left Kiel at noon.", True), ("The Alma left Kiel at night.", False)):
    with mlflow.start_span("answer") as span:
        span.set_inputs({"question": "When did the ferry leave?", "context": DOCUMENT})
        span.set_outputs(answer)
    judge = AssessmentSource(source_type="LLM_JUDGE", source_id="judge")
    person = AssessmentSource(source_type="HUMAN", source_id="kim")
    mlflow.log_feedback(trace_id=span.trace_id, name="groundedness", value=float(holds), source=judge)
    mlflow.log_feedback(trace_id=span.trace_id, name="faithful", value="yes" if holds else "no", source=person)
traces = mlflow.search_traces(return_type="pandas")
traces.to_json(f"{sys.argv[1]}/traces.jsonl", orient="records", lines=True)
traces.to_csv(f"{sys.argv[1]}/traces.csv", index=False)
