"""Everything that can be set from outside: `TOUCHSTONE_*` variables and `.env`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

VERSION = "0.1.0"


class Settings(BaseSettings):
    """Read once, at the edge: cli.py and pages/ui/services.py."""

    model_config = SettingsConfigDict(env_prefix="TOUCHSTONE_", env_file=".env", extra="ignore")

    database_url: str = Field("sqlite:///var/touchstone.db", description="where labels and pairs are kept")
    cache_dir: Path = Field(Path("var/cache"), description="where model answers are kept")
    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="where models run")
    memory_gb: float | None = Field(None, description="memory for models; by default half of what the device has")
    user: str = Field("local", description="the name under which labels are recorded")
    demo: bool = Field(False, description="show everything, keep nothing")
