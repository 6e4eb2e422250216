"""Benchmarks and people's own files, read as items.

It imports `stats` and what is below. A new importer is one file in `datasets`, found by being there; readers that several share
are in `datasets/formats`. The export of another tool is one file in `datasets/tool_exports`, recognised by its content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base import open_face

if TYPE_CHECKING:
    from core.data.dataset import (
        DATASETS,
        ImportCounts,
        Importer,
        Refusal,
        format_counts,
        format_directions,
        readable_items,
        reading_record,
        source_sha256,
        strict_items,
    )
    from core.data.dataset_versions import (
        DatasetDiff,
        compare_versions,
        dataset_of_reference,
        diff_record,
        format_dataset,
        format_diff,
        label_rows,
        sample_rows,
    )
    from core.data.datasets.bundled import Bundled, bundled_items
    from core.data.datasets.explained import Explained
    from core.data.datasets.formats.column_inference import NO_LABEL, infer_column_map, undecided_words
    from core.data.datasets.formats.column_map import (
        ANSWER_WORDS,
        UNLABELLED_WORDS,
        YES_ANSWERS,
        ColumnMap,
        ScoreColumn,
        is_filled,
        label_words,
        open_classes,
        with_consistent_words,
    )
    from core.data.datasets.formats.encodings import decoding_error, likely_encodings, text_encodings
    from core.data.datasets.formats.exported_files import LICENCE_KEY
    from core.data.datasets.formats.fields import clean_text, document_key
    from core.data.datasets.formats.file_kinds import is_packed_table
    from core.data.datasets.formats.item_stream import (
        FIELD_NAMES,
        LABEL_WORDS,
        RecordPlace,
        items_of_record,
        items_of_rows,
    )
    from core.data.datasets.formats.known_forms import ARCHIVES, describe_form, form_columns, form_of
    from core.data.datasets.formats.label_answers import (
        SIDES,
        are_answers,
        example_rows,
        format_example,
        open_votes,
        table_shape,
        with_label_of_1,
        with_vote_of_1,
    )
    from core.data.datasets.formats.label_column import column_words, spelling
    from core.data.datasets.formats.mapping_report import label_meanings, label_record, left_out, open_questions
    from core.data.datasets.formats.polarity import opposite
    from core.data.datasets.formats.stated_classes import stated_columns
    from core.data.datasets.formats.summary_choice import (
        NO_DOCUMENT,
        open_document,
        open_summary,
        with_document,
        with_summary,
    )
    from core.data.datasets.formats.table_files import file_rows, table_notes, table_paths, table_rows
    from core.data.datasets.formats.text_files import UTF8, Row, encoding_of, shorten
    from core.data.datasets.formats.workbook_files import sheet_names
    from core.data.datasets.generic import Generic, preview_rows, read_with_map, structure_notes, used_settings
    from core.data.datasets.pairs import Pairs
    from core.data.documents.document_part import DocumentPart
    from core.data.documents.documents import (
        DocumentText,
        format_cleaning,
        is_formatted,
        join_parts,
        read_document,
        read_parts,
    )
    from core.data.recogniser import Recognition, recognise
else:
    __getattr__ = open_face(__file__, __name__)
