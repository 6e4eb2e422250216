"""Ground of the wings: files, addresses, background work and settings tables, and the code that a number comes from.

It imports only the modules beside the wings (types, errors, settings, registry). A reader of files from elsewhere belongs into
`files`, a check of addresses into `http`; what knows texts or metrics belongs further up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.faces import open_face

if TYPE_CHECKING:
    from core.base.background import (
        BackgroundTask,
        Mark,
        Progress,
        Track,
        recent_marks,
        recent_rate,
        silence,
        untracked,
    )
    from core.base.code_version import (
        DEFINITIONS,
        CodeParts,
        Root,
        adapter_code,
        adapter_root,
        class_root,
        code_hash,
        code_parts,
        library_parts,
        own_parts,
        script_parts,
    )
    from core.base.faces import open_face, parse_expression, parse_source
    from core.base.files.archive import zip_files
    from core.base.files.cache_database import is_damage, open_database, set_aside_if_damaged
    from core.base.files.foreign_files import Limits, read_apart
    from core.base.files.guest_folders import is_allowed, is_limited, limit_folders, refusal
    from core.base.files.whole_file import open_whole, write_whole
    from core.base.html_templates import open_templates
    from core.base.http.addresses import (
        Address,
        LookUp,
        gives_secrets,
        is_public,
        literal_address,
        look_up,
        secrets_refusal,
    )
    from core.base.http.checked_transport import CheckedTransport, RefusedAddressError, goes_by_proxy
    from core.base.hub_licences import HUB_LICENCES, licence_fields
    from core.base.memoization import memoize
    from core.base.metric_tables import NAME_PATTERN, Entry, MetricEntry, read_entries, wrong_fields
    from core.base.profile import FREE_SETTINGS, OWN_WORDS, Profile, Setting, profile_names, profiles_with, read_profile
    from core.base.signatures import (
        CODE_MARK,
        apart_from_code,
        code_of_signature,
        describe_code,
        explain_signatures,
        signature_differences,
        signature_parts,
    )
else:
    __getattr__ = open_face(__file__, __name__)
