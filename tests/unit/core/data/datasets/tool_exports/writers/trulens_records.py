"""Let TruLens write two records with their feedback into the folder of the first argument."""

import os
import sys
import time

os.environ["TRULENS_OTEL_TRACING"] = "0"
os.chdir(sys.argv[1])

from trulens.apps.virtual import TruVirtual, VirtualApp, VirtualRecord
from trulens.core import Feedback, TruSession
from trulens.core.schema.select import Select

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."
SECONDS = 30


def groundedness(source: str, statement: str) -> float:
    return 1.0 if "noon" in statement else 0.25


session = TruSession(database_url="sqlite:///trulens.sqlite")
retriever = Select.RecordCalls.retriever
app = VirtualApp()
app[retriever] = "retriever"
feedback = (
    Feedback(groundedness, name="Groundedness").on(source=retriever.get_context.rets).on(statement=Select.RecordOutput)
)
recorder = TruVirtual(app_name="ferries", app_version="m1", app=app, feedbacks=[feedback], feedback_mode="with_app")
for answer in ("The Alma left Kiel at noon.", "The Alma left Kiel at night."):
    calls = {retriever.get_context: {"args": ["When?"], "rets": DOCUMENT}}
    recorder.add_record(VirtualRecord(main_input="When did the ferry leave?", main_output=answer, calls=calls))

end = time.monotonic() + SECONDS
records, _ = session.get_records_and_feedback()
while time.monotonic() < end and not ("Groundedness" in records and records["Groundedness"].notna().all()):
    time.sleep(0.5)
    records, _ = session.get_records_and_feedback()
records.to_csv("records.csv", index=False)
