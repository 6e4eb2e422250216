"""Let Argilla write two records that two people answered into the folder of the first argument."""

import json
import sys
import uuid
from pathlib import Path

import argilla as rg
from argilla.records._io import GenericIO

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."
PEOPLE = [uuid.UUID(int=number) for number in (1, 2)]


def record(number, summary, value):
    return rg.Record(
        id=str(number),
        fields={"document": DOCUMENT, "summary": summary},
        metadata={"system": "m1"},
        responses=[rg.Response("faithful", value, user_id=person) for person in PEOPLE],
        suggestions=[rg.Suggestion("faithful", "no", score=0.2, agent="m")],
    )


records = [record(1, "The Alma left Kiel at noon.", "yes"), record(2, "The Alma left Kiel at night.", "no")]
for name, flatten in (("nested", False), ("flat", True)):
    Path(sys.argv[1], f"{name}.json").write_text(json.dumps(GenericIO.to_list(records, flatten=flatten)))
