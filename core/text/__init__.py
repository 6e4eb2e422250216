"""Texts: sentences, words, languages, contexts, claims and executable edits, and the rules of English.

It imports `base`. A rule of English belongs into `english`; what needs a network belongs into `models`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base import open_face

if TYPE_CHECKING:
    from core.text.canonical import CanonicalText, ReadExample, read_again, read_example
    from core.text.claim_records import claim_record, claims_to_json, clean_origin, parse_claims
    from core.text.contexts import (
        NamedText,
        Sourced,
        closest_evidence,
        context_records,
        context_sentences,
        context_units,
        contexts_from_json,
        contexts_to_json,
        document_for_reader,
        join_contexts,
        locate_contexts,
        name_contexts,
        named_texts,
        optional_fields,
        parse_contexts,
        passage_spans,
        pieces_of_passages,
        with_distinct_names,
    )
    from core.text.contraction_forms import read_contractions
    from core.text.displayed_text import (
        BYTE_ORDER_MARK,
        NO_BLANK,
        csv_lines,
        records_csv,
        spreadsheet_safe,
        spreadsheet_text,
        with_even_blanks,
        with_visible_controls,
    )
    from core.text.edits import Segment, abridge_unchanged, apply, as_segments, parse, recover, segments, to_records
    from core.text.english.connectives import connectives
    from core.text.english.dates import CALENDAR, TIME_ORDER_WORDS, TIME_WORDS, Date, find_dates, is_year, other_dates
    from core.text.english.inflection import (
        VerbForm,
        base_forms,
        base_forms_in,
        indefinite_article,
        inflections,
        is_dictionary_word,
        lemmas_by_part,
        possible_verb_forms,
    )
    from core.text.english.mentions import (
        NounChoice,
        Origin,
        definite_nouns,
        edit_origin,
        matching_sentences,
        mentions,
        mentions_inflected,
        refers_back,
        sentence_around,
    )
    from core.text.english.name_swaps import (
        acts_on,
        has_place_for_article,
        modifies,
        opens_sentence,
        stand_ins,
        swappable_names,
    )
    from core.text.english.names import (
        OFFICES,
        PEOPLE,
        TITLES,
        Name,
        NameKind,
        find_names,
        find_places,
        is_listed_name,
        listed_names,
    )
    from core.text.english.negation import (
        FRAMES,
        Reversal,
        deny_by_adjective,
        deny_by_frame,
        deny_by_verb,
        find_reversals,
        is_asserted,
        main_verb,
        uncapitalised_opening,
    )
    from core.text.english.numbers import (
        AMOUNTS,
        NUMBER_WORDS,
        ORDINALS,
        Number,
        find_numbers,
        numeric_value,
        other_numbers,
        other_spelling,
    )
    from core.text.english.passive import ParsedWord, passive_sentence
    from core.text.english.quantities import Quantity, find_quantities
    from core.text.english.relations import find_relations, find_time_units
    from core.text.english.synonyms import BUNDLED_LEXICON, Lexicon, join_lexicons, wordnet_lexicon
    from core.text.english.syntax import (
        Replacement,
        Sentence,
        Token,
        is_finite,
        opposites,
        split_tokens,
        token_at,
        tokenize,
    )
    from core.text.english.tagger import part_of_speech_tags
    from core.text.english.verb_phrases import FINITE_TAGS, contrary_verbs, finite_verb, sentence_tags, verb_bases
    from core.text.english.wide_names import (
        DEFAULT_PARSER,
        NameReading,
        definite_names,
        foreign_nationalities,
        is_mentioned,
        named_things,
        reading_signature,
    )
    from core.text.english.word_lists import (
        ADVERBS,
        ARTICLES,
        AUXILIARIES,
        BE,
        COORDINATORS,
        FUNCTION_WORDS,
        HAVE,
        MODALS,
        NEGATIVES,
        POSSESSIVES,
        PREPOSITIONS,
        SUBORDINATORS,
        conditional_words,
        list_lines,
        mutual_words,
    )
    from core.text.english.wordnet import is_installed
    from core.text.language import (
        ANY,
        ENGLISH,
        NOT_STATED,
        SPACED,
        count_unverified,
        find_mark,
        format_languages,
        language_of,
        looked_at,
        mark_language,
        require_languages,
        unverified_languages,
        warn_of_languages,
    )
    from core.text.layout import (
        LAYOUT_NOTE,
        Units,
        document_units,
        gap_after,
        gap_before,
        layout_notes,
        layout_units,
        read_layout,
        read_markup,
        summary_units,
        units_without_claim,
    )
    from core.text.layout_lines import STOP, TextLine, read_lines
    from core.text.named_languages import format_named_languages, name_languages
    from core.text.quantity_forms import read_quantities, states_quantities_at, states_quantity
    from core.text.ranking import Vectors, bm25, closest_rows
    from core.text.segmentation import (
        SENTENCES_KEPT,
        closest_sentence,
        entities,
        import_nltk,
        padded_words,
        sentences,
        splitter_name,
        words,
    )
    from core.text.spacy_pipeline import load_pipeline, parser_files, parser_folder
    from core.text.typography import plain_typography
else:
    __getattr__ = open_face(__file__, __name__)
