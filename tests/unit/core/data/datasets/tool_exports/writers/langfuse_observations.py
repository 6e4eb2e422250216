"""Let Langfuse's client write two observations as its API gives them into the folder of the first argument; no server is asked."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from langfuse.api import ObservationsV2Meta, ObservationsV2Response, ObservationV2

FOLDER = Path(sys.argv[1])
DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."
NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)

observations = [
    ObservationV2(
        id=f"o{number}",
        trace_id=f"t{number}",
        start_time=NOW,
        project_id="ferries",
        type="GENERATION",
        name="answer",
        environment="default",
        user_id="u1",
        session_id="s1",
        input={"question": "When did the ferry leave?", "context": DOCUMENT},
        output=answer,
        model="m1",
        total_cost=0.01,
    )
    for number, answer in enumerate(("The Alma left Kiel at noon.", "The Alma left Kiel at night."))
]
page = ObservationsV2Response(data=observations, meta=ObservationsV2Meta(cursor=None))
(FOLDER / "page.json").write_text(page.json(), encoding="utf-8")
(FOLDER / "rows.jsonl").write_text("".join(f"{entry.json()}\n" for entry in observations), encoding="utf-8")
