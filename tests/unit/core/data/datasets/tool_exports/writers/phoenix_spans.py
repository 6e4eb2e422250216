"""Let Phoenix keep two spans with annotations and write them as a table and as JSON lines into the folder of the first argument.

Its server runs as a process of its own, which ends with this one.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

FOLDER = Path(sys.argv[1])
PORT, GRPC_PORT = "16006", "14317"
ADDRESS = f"http://127.0.0.1:{PORT}"
SECONDS = 240
DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."

settings = {"PHOENIX_WORKING_DIR": str(FOLDER), "PHOENIX_PORT": PORT, "PHOENIX_GRPC_PORT": GRPC_PORT}
os.environ.update(settings, PHOENIX_TELEMETRY_ENABLED="false")
phoenix = Path(sys.executable).with_name("phoenix")
with (FOLDER / "server.log").open("w") as log:
    server = subprocess.Popen([phoenix, "serve"], stdout=log, stderr=log)


def wait_for_server() -> None:
    end = time.monotonic() + SECONDS
    while True:
        try:
            urllib.request.urlopen(f"{ADDRESS}/healthz", timeout=5)
        except (urllib.error.URLError, OSError):
            if time.monotonic() > end or server.poll() is not None:
                raise
            time.sleep(0.5)
        else:
            return


def write() -> None:
    from phoenix.client import Client
    from phoenix.otel import register

    provider = register(
        project_name="ferries",
        endpoint=f"{ADDRESS}/v1/traces",
        batch=False,
        verbose=False,
        set_global_tracer_provider=False,
    )
    tracer = provider.get_tracer("ferries")
    ids = {}
    for answer in ("The Alma left Kiel at noon.", "The Alma left Kiel at night."):
        with tracer.start_as_current_span("answer", openinference_span_kind="chain") as span:
            span.set_input("When did the ferry leave?")
            with tracer.start_as_current_span("documents", openinference_span_kind="retriever") as retriever:
                retriever.set_input("When did the ferry leave?")
                retriever.set_attribute("retrieval.documents.0.document.content", DOCUMENT)
            span.set_attribute("retrieval.documents.0.document.content", DOCUMENT)
            span.set_output(answer)
            ids[format(span.get_span_context().span_id, "016x")] = answer
    client, end = Client(base_url=ADDRESS), time.monotonic() + SECONDS
    spans = client.spans.get_spans_dataframe(project_identifier="ferries", timeout=SECONDS)
    while len(spans) < 2 * len(ids) and time.monotonic() < end:
        time.sleep(0.5)
        spans = client.spans.get_spans_dataframe(project_identifier="ferries", timeout=SECONDS)
    for id, answer in ids.items():
        client.spans.add_span_annotation(
            span_id=id,
            annotation_name="groundedness",
            annotator_kind="LLM",
            score=float("noon" in answer),
            label="yes",
            sync=True,
        )
    roots = spans[spans["span_kind"] == "CHAIN"]
    roots.to_csv(FOLDER / "spans.csv")
    roots.to_json(FOLDER / "spans.jsonl", orient="records", lines=True, date_format="iso", default_handler=str)
    roots.to_parquet(FOLDER / "spans.parquet")
    found = client.spans.get_spans(project_identifier="ferries")
    (FOLDER / "spans.json").write_text(json.dumps(list(found), default=str), encoding="utf-8")
    annotations = client.spans.get_span_annotations_dataframe(span_ids=list(ids), project_identifier="ferries")
    annotations.to_csv(FOLDER / "annotations.csv")


try:
    wait_for_server()
    write()
finally:
    server.terminate()
    server.wait()
