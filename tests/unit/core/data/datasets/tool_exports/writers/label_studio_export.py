"""Let the converter of Label Studio write two tasks that two people judged into the folder of the first argument."""

import json
import sys
from pathlib import Path

from label_studio_sdk.converter.converter import Converter, Format

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."
CONFIG = """<View><Text name="article" value="$article"/><Text name="summary" value="$summary"/>
<Choices name="verdict" toName="summary"><Choice value="Consistent"/><Choice value="Inconsistent"/></Choices>
<Choices name="errors" toName="summary" choice="multiple"><Choice value="Entity"/><Choice value="Number"/></Choices>
<Rating name="fluency" toName="summary"/><TextArea name="why" toName="summary"/></View>"""


def annotation(number, person, holds, **more):
    answers = {
        "verdict": ("choices", {"choices": ["Consistent" if holds else "Inconsistent"]}),
        "fluency": ("rating", {"rating": 4}),
        "why": ("textarea", {"text": ["Because."]}),
        **({} if holds else {"errors": ("choices", {"choices": ["Entity", "Number"]})}),
    }
    results = [
        {"id": name, "from_name": name, "to_name": "summary", "type": kind, "value": value}
        for name, (kind, value) in answers.items()
    ]
    when = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "lead_time": 3.5}
    return {"id": number, "completed_by": person, "result": results, **when, **more}


def task(number, summary, holds):
    people = [annotation(10 * number + person, person, holds) for person in (1, 2)]
    skipped = annotation(10 * number + 3, 3, not holds, was_cancelled=True)
    data = {"article": DOCUMENT, "summary": summary}
    return {"id": number, "data": data, "annotations": [*people, skipped], "predictions": []}


folder = Path(sys.argv[1])
tasks = [task(7, "The Alma left Kiel at noon.", True), task(8, "The Alma left Kiel at night.", False)]
(folder / "tasks.json").write_text(json.dumps(tasks))
converter = Converter(CONFIG, str(folder))
for name, kind in (("min", Format.JSON_MIN), ("csv", Format.CSV)):
    converter.convert(str(folder / "tasks.json"), str(folder / name), kind, is_dir=False)
