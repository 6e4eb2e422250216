"""The limits that SECURITY.md lists, with the names of settings and the numbers of the code."""

from __future__ import annotations

from annotations.labelling.crowd import LEAST_READING
from core.data.datasets.formats.header_rows import MOST_COLUMNS
from core.data.datasets.formats.json_files import MOST_KEYS
from core.settings import KEY_PREFIX, Settings
from core.stats.text_tables import markdown_table
from tests.field_docs import field_docs

_OF_A_SERVER = (
    "upload_session_mb",
    "upload_server_mb",
    "cache_gb",
    "plugin_memory_gb",
    "plugin_timeout_s",
    "llm_budget",
    "person_runs",
    "person_disk_mb",
    "person_jobs",
    "person_budget",
)


def server_limits_table() -> str:
    """The settings that bound what people of a server take, with their defaults."""
    docs = field_docs(Settings)
    rows = [[_setting(name), docs[name], _default(name)] for name in _OF_A_SERVER]
    return markdown_table(["setting", "limit", "default"], rows).rstrip()


def limits_list() -> str:
    """Sentences on what is not held, or only where the operator sets it, one a line."""
    reading_minutes = LEAST_READING.total_seconds() / 60
    return "\n".join(
        (
            f"- A manager can send a key that the operator allows ({_setting('allowed_keys')}, `{KEY_PREFIX}…`) to any address; allow keys that "
            "you would give to managers.",
            "- A manager can have the server ask addresses of its network by an endpoint, as models are often served there. Where that is too "
            "much, keep the server from reaching them by a firewall. Where the operator sets a proxy, the proxy looks names up and has to "
            "refuse them.",
            "- A study link names the participant, and platforms do not sign it: who knows all three ids of a link that nobody has opened in a "
            f"browser yet can open it first, unless {_setting('study_secret')} has links signed (default: {_default('study_secret')}). Another "
            f"submission is refused while one is open. Whoever has saved nothing after {reading_minutes:.0f} minutes, or a third of the session, "
            "holds no place any more. A signed link is as good as its participant: whoever gets it can open it.",
            "- The address from which requests are counted is that which the proxy forwards; where it forwards none, all people are one.",
            "- A page is drawn for everybody who connects, and shows strangers the sign-in. Where that is too much, let the proxy ask first.",
            f"- People may be limited in stress runs ({_setting('person_runs')}: {_default('person_runs')}), in the database that their runs and "
            f"pins take before another run ({_setting('person_disk_mb')}: {_default('person_disk_mb')}), in jobs at once "
            f"({_setting('person_jobs')}: {_default('person_jobs')}) and in money at endpoints ({_setting('person_budget')}: "
            f"{_default('person_budget')}). Researchers can still fill the disk by datasets, trained metrics and downloads from the hub. What "
            "the test of an endpoint costs a manager, some short answers, is not counted.",
            f"- A question set or list of people, and tables of text (CSV, JSON), are read in the process of the server, within the size of an "
            f"upload, {MOST_COLUMNS:,} columns and {MOST_KEYS:,} keys of a record.",
            "- The memory of a reader is limited on Linux only; its time everywhere.",
            f"- The process of a plug-in or of a framework's scorer has the rights of whoever runs Touchstone, {_default('plugin_memory_gb')} GB "
            f"({_setting('plugin_memory_gb')}) and {_default('plugin_timeout_s')} s for a call ({_setting('plugin_timeout_s')}). That it reaches no "
            "address without permission is held on Python's sockets: it stops telemetry, not a program that it starts, nor C code with sockets "
            "of its own.",
        )
    )


def _setting(name: str) -> str:
    """Variable of a setting; raises KeyError where there is none."""
    _ = Settings.model_fields[name]
    return f"`TOUCHSTONE_{name.upper()}`"


def _default(name: str) -> str:
    default = Settings.model_fields[name].default
    return f"{default:g}" if isinstance(default, (int, float)) else "none"
