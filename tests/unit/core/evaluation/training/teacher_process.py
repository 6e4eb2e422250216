"""A labelling by a judge at the endpoint of the environment, as a process that a test kills."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from core.evaluation.training.teacher import Teacher
from core.scoring.engine.engine import Engine
from core.settings import Settings
from tests.unit.core.evaluation.training.test_teacher import JUDGE, plan, unlabelled

if __name__ == "__main__":
    target = Path(sys.argv[1])
    with closing(Engine.open(Settings(cache_dir=target.parent / "killed-cache", device="cpu"))) as engine:
        training = plan(unlabelled(), Teacher(JUDGE, cut=0.5))
        for step in training.taught_data(training.teacher_run(target, engine)):
            sys.stdout.write(f"{step.done}\n")
            sys.stdout.flush()
