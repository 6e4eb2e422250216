"""What can be set from outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from core.errors import BadSettingError
from core.settings import Settings
from tests.field_docs import field_docs


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of the machine and no .env of the working folder."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)


def test_nothing_needs_to_be_set() -> None:
    settings = Settings()
    assert settings.database_url.startswith("sqlite:///")
    assert (settings.device, settings.memory_budget, settings.demo) == ("auto", None, False)


def test_a_variable_is_read_under_its_prefix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TOUCHSTONE_DEMO", "1")
    monkeypatch.setenv("TOUCHSTONE_MEMORY", "0.5GB")
    monkeypatch.setenv("TOUCHSTONE_CACHE_GB", "2")
    settings = Settings()
    assert (settings.cache_dir, settings.demo, settings.memory_budget) == (tmp_path, True, 2**29)
    assert settings.cache_bytes == 2**31


def test_a_file_of_variables_is_read_and_the_environment_overrules_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("TOUCHSTONE_USER=ana\nTOUCHSTONE_DEVICE=cpu\nSOMETHING_ELSE=1\n")
    monkeypatch.setenv("TOUCHSTONE_USER", "ben")
    assert (Settings().user, Settings().device) == ("ben", "cpu")


@pytest.mark.parametrize(
    ("name", "value"),
    [("DEVICE", "toaster"), ("MEMORY", "-1"), ("MEMORY", "1.5"), ("MEMORY", "0GB"), ("CACHE_GB", "0")],
)
def test_a_value_that_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"TOUCHSTONE_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


@pytest.mark.parametrize("name", ["CACHE_DIR", "RESULTS_DIR", "ALLOWED_FOLDERS", "PLUGINS", "ENDPOINTS", "PROMPTS_DIR"])
@pytest.mark.parametrize(
    "place",
    [
        "//server/share",
        r"\\server\share",
        r"\\?\C:\data",
        r"\\.\COM1",
        "/data/CON",
        "nul.toml",
        r"C:\aux\cache",
        "LPT1",
    ],
)
def test_a_path_of_another_machine_or_of_a_device_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, place: str
) -> None:
    monkeypatch.setenv(f"TOUCHSTONE_{name}", place)
    with pytest.raises(BadSettingError, match=f"TOUCHSTONE_{name}.*of Windows"):
        Settings.read()


@pytest.mark.parametrize("place", ["/data/console", "C:/data/null", "/data/com10", "~/auxiliary", "/a,/b"])
def test_a_path_that_only_resembles_a_device_is_taken(place: str) -> None:
    assert Settings(allowed_folders=place).allowed_folders == place


@pytest.mark.parametrize(("text", "budget"), [("12GB", 12 * 2**30), ("0.5 gb", 2**29), ("0.25", 0.25), ("1", 1.0)])
def test_memory_is_gigabytes_or_a_share_of_what_is_free(text: str, budget: float) -> None:
    assert Settings(memory=text).memory_budget == budget
    assert isinstance(Settings(memory=text).memory_budget, type(budget))


def test_memory_is_left_to_the_device_by_default() -> None:
    assert Settings(memory="auto").memory_budget is None


def test_a_wrong_amount_of_memory_says_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_MEMORY", "much")
    with pytest.raises(
        BadSettingError, match=r"TOUCHSTONE_MEMORY: .*'much' is no amount .* Give gigabytes, as 12GB, a share"
    ):
        Settings.read()


def test_a_refusal_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "toaster")
    with pytest.raises(BadSettingError, match=r"^TOUCHSTONE_DEVICE: .*Change it in the environment or in \.env\."):
        Settings.read()


@pytest.mark.parametrize("variables", [{"THOUGHTS": "500"}, {"THOUGHTS": "5", "REASONING_TOKENS": "500"}])
def test_a_former_name_counts_with_a_warning_and_the_new_one_overrules_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"TOUCHSTONE_LLM_{name}", value)
    assert Settings.read().llm_reasoning_tokens == 500
    assert "TOUCHSTONE_LLM_THOUGHTS is now TOUCHSTONE_LLM_REASONING_TOKENS" in caplog.text


def test_the_memory_of_models_may_still_be_given_in_gigabytes_by_its_former_name(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TOUCHSTONE_MEMORY_GB", "12")
    assert Settings.read().memory == "12GB"
    assert "TOUCHSTONE_MEMORY_GB is now TOUCHSTONE_MEMORY" in caplog.text


def test_what_is_set_later_counts_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert Settings.read().user == "local"
    (tmp_path / ".env").write_text("TOUCHSTONE_USER=ana\n")
    assert Settings.read().user == "ana"
    (tmp_path / ".env").write_text("TOUCHSTONE_USER=berta\n")
    assert Settings.read().user == "berta"
    monkeypatch.setenv("TOUCHSTONE_USER", "carl")
    assert Settings.read().user == "carl"


def test_settings_that_stay_the_same_are_not_read_again() -> None:
    assert Settings.read() is Settings.read()


def test_trust_is_given_to_folders_and_to_commits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOUCHSTONE_TRUSTED_REPOS", f" {tmp_path}/a/../b , owner/name@{'0' * 40},")
    assert Settings().trusted == {str(tmp_path / "b"), f"owner/name@{'0' * 40}"}


@pytest.mark.parametrize("place", ["owner/name", "owner/name@main", "folder", "*"])
def test_trust_in_what_may_change_unread_is_refused(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("TOUCHSTONE_TRUSTED_REPOS", place)
    with pytest.raises(BadSettingError, match="neither owner/name@commit"):
        Settings.read()


def test_every_setting_says_what_it_is_for() -> None:
    assert [*field_docs(Settings)] == [*Settings.model_fields]
