"""`new metric` writes a package that installs and passes its own tests, and the contract, without a change."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import BadSettingError
from core.scoring.plugins.new_package import write_package
from tests.sources import ROOT
from tests.unit.command_line import done, run

pytest.importorskip("setuptools", reason="the package is built with setuptools")


@pytest.mark.slow
def test_the_package_installs_passes_its_tests_and_scores(tmp_path: Path) -> None:
    printed = done("new", "metric", "shared-words", "--to", tmp_path)
    package = tmp_path / "touchstone-shared-words"
    assert f"cd {package}" in printed
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", site, package], check=True, capture_output=True)
    variables = {
        "PYTHONPATH": f"{site}{os.pathsep}{ROOT}",
        "TOUCHSTONE_CACHE_DIR": str(tmp_path / "cache"),
        "TOUCHSTONE_DEVICE": "cpu",
    }
    pytest_run = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v"]
    finished = subprocess.run(
        [*pytest_run, "-p", "core.assessment.integrations.pytest_plugin"],
        cwd=package,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "11 passed" in finished.stdout, finished.stdout + finished.stderr
    assert "shared-words: the same twice PASSED" in finished.stdout


@pytest.mark.parametrize("name", ["My-Metric", "two words", "../up", "", "a--b", "class", "-a", "ä"])
def test_a_name_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadSettingError, match="is no name for a metric"):
        write_package(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    write_package("mine", tmp_path)
    refused = run("new", "metric", "mine", "--to", tmp_path)
    assert "is there already. Choose another name" in str(refused.exception)
