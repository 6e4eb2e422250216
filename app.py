"""Touchstone's server, as `streamlit run app.py` starts it; what a visitor sees begins in `pages/main.py`."""

import streamlit as st
from starlette.middleware import Middleware

from pages.server import startup
from pages.server.api import Api
from pages.server.background import working_in_background
from pages.server.component_scripts import ComponentScripts
from pages.server.compressed_assets import CompressedAssets
from pages.server.crowd_links import CrowdLinks
from pages.server.docs import Docs
from pages.server.early_keys import EarlyKeys
from pages.server.icon_font import IconFont
from pages.server.job_list import JobList
from pages.server.project_links import ProjectPages
from pages.server.protection import Protection
from pages.server.route_guard import RouteGuard
from pages.server.sign_in import SignInMiddleware
from pages.ui.shared.script_errors import show_script_error

startup.begin()
app = st.App(
    "pages/main.py",
    lifespan=working_in_background,
    middleware=[
        Middleware(Protection),
        Middleware(RouteGuard),
        Middleware(Docs),
        Middleware(Api),
        Middleware(CrowdLinks),
        Middleware(ProjectPages),
        Middleware(SignInMiddleware),
        Middleware(JobList),
        Middleware(ComponentScripts),
        Middleware(EarlyKeys),
        Middleware(IconFont),
        Middleware(CompressedAssets),
    ],
    on_script_error=show_script_error,
)
