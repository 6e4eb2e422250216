"""Models: the networks of this machine and the endpoints of language models.

It imports `data` and what is below. torch is imported here alone, the openai client in `llm` alone. A new kind of model is one
file in `adapters`; prompts are texts in `prompts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base import open_face

if TYPE_CHECKING:
    from core.models.device import SHARE_ALONE, kind_of, resolve_devices
    from core.models.hardware import Hardware, read_hardware, require_devices
    from core.models.llm.batch_store import BatchStore, StoredBatch, StoredQuestion
    from core.models.llm.chat import (
        Sampling,
        answer_text,
        chat_question,
        collect_answers,
        first_question,
        is_model_signature,
        is_opening,
        is_usable,
        model_signature,
        place_signature,
        require_whole_question,
        sampling_signature,
        token_word,
        unusable_answer,
    )
    from core.models.llm.client.client import client_for
    from core.models.llm.client.pacing import CircuitBreaker, waiting_endpoints
    from core.models.llm.client.unknown_refusals import issue_text, read_unknown
    from core.models.llm.endpoint_setup import PRESETS, EndpointFinding, check_endpoint, endpoint_table, probed_fields
    from core.models.llm.endpoints.capabilities import (
        CAPABILITY_TITLES,
        CapabilityName,
        Value,
        capability_store,
        format_capabilities,
        format_value,
    )
    from core.models.llm.endpoints.endpoint import Endpoint
    from core.models.llm.endpoints.endpoints import (
        add_endpoint,
        batch_endpoint_of,
        configured_endpoint,
        endpoint_of,
        endpoint_problem,
        is_added,
        list_endpoints,
        model_fingerprint,
        model_problem,
        pin_address,
        remove_endpoint,
        resolve_model,
        typed_endpoint,
    )
    from core.models.llm.endpoints.endpoints_file import APIS, LEFT_OUT_FIELDS, STRUCTURED_FORMS, read_further_fields
    from core.models.llm.endpoints.local_models import (
        LOCAL,
        chat_model,
        check_local_model,
        first_token_model,
        is_local_model,
        model_title,
    )
    from core.models.llm.endpoints.model_families import model_family
    from core.models.llm.endpoints.services_file import SERVICE_PREFIX, ServiceEntry
    from core.models.llm.network_server import NetworkServer
    from core.models.llm.printed_words import (
        PrintedPart,
        PrintedPiece,
        PrintedTexts,
        PrintedWords,
        installed_texts,
        key_sha256,
        papers_with_prompts,
        papers_with_words,
        plain_print,
        printed_key,
        printed_words,
        words_file,
    )
    from core.models.llm.prompt_replacements import PromptEntry
    from core.models.llm.prompts import (
        PAIR_VARIABLES,
        Messages,
        Prompt,
        bundled_prompt,
        load_prompt,
        pair_texts,
        printed_phrase,
        replacements_folder,
        scaled_prompt,
        scales,
        worded_prompt,
        wordings,
    )
    from core.models.llm.rewrites import (
        check_added_from_document,
        check_sentences_kept,
        check_sentences_moved,
        check_shorter_and_whole,
        clean_rewrite,
    )
    from core.models.llm.spending.budget import SpendTracker
    from core.models.llm.spending.cost_estimate import estimate_cost, has_cost
    from core.models.llm.spending.cost_log import COST_COLUMNS, CostLog, CostRow, cost_records, read_costs
    from core.models.llm.spending.spend import (
        CostEstimate,
        Spend,
        Usage,
        actual_usage,
        asks_service,
        counted_usage,
        format_estimate,
        format_limits,
        format_money,
        format_spend,
        format_spend_by_endpoint,
        is_paid,
        money_of,
        most_usage,
    )
    from core.models.llm.structured import StructuredAnswer, ask_side_by_side, ask_structured, plain_words
    from core.models.model_packages import missing_package
    from core.models.model_pool import IMPORTING, ModelPool
    from core.models.networks.conversion import convert
    from core.models.networks.model import Model, Row
    from core.models.networks.tokenizer import Tokens
    from core.models.precision import PRECISIONS, Precision, loaded_as, marked_dtype, require_precision
    from core.models.unfinished_training import UNFINISHED, TrainingStep, UnfinishedTraining
    from core.models.upload import push, push_dataset
    from core.models.weights.download import download, fetch_released_dataset, provenance_name
    from core.models.weights.hub_revisions import commit_note, hub_file, revision_of
    from core.models.weights.integrity import fingerprint_of_files, untrusted_reason
    from core.models.weights.locations import (
        PACKAGE,
        ModelState,
        ModelStatus,
        checkpoint_parts,
        is_local_source,
        locate,
        state_on_disk,
    )
    from core.models.weights.repository import ADAPTER_FILE, MODEL_CARD_FILE, Repository, read_repository
    from core.models.weights.weight_files import (
        BACKBONE,
        CODE_RUNNING_KINDS,
        ONNX_FILES,
        ONNX_KIND,
        PARSER_KINDS,
        TOKENIZER_FILES,
        WEIGHT_FILES,
        memory_bytes,
    )
    from core.models.words.aggregation import (
        LogitScale,
        SentenceTable,
        SummaryWeights,
        both_odds,
        fit_scale,
        fit_summary_weights,
        share_odds,
    )
    from core.models.words.claims import Batch, TextPair, Unit, premise
    from core.models.words.copied_sentences import is_copied
    from core.models.words.head import (
        CARD_FILE,
        CONFIG_FILE,
        DOCUMENTS_FILE,
        FIGURES_FILE,
        FORMAT,
        HEADS,
        SHALLOW_FILE,
        AttentionTensors,
        Head,
        HeadConfig,
        Tensors,
        attention_shapes,
        document_key,
        mean_logits,
        tree_logits,
    )
    from core.models.words.known_documents import NEAR_DUPLICATE, RUN_WORDS, KnownDocuments, document_sketch
    from core.models.words.pair_network import PairNetwork
    from core.models.words.shallow import (
        MODEL_SUFFIX,
        SHALLOW_FEATURES,
        Layer,
        OutputKind,
        ShallowModel,
        TrainingFacts,
        network_inputs,
    )
    from core.models.words.trained_head import write_head
    from core.models.words.trees import MAX_TREES, STEP_TREES, Labels, boost, first_trees, mean_trees, tree_tensors
    from core.models.words.word_attention import WordAttention, attention_logits, fit_attention
    from core.models.words.word_encoder import WordEncoder, encoder_hash
    from core.models.words.word_features import WORD_FEATURES, Features, ReadDocument, feature_matrix, read_document
    from core.models.words.word_states import WordStates, word_spans
    from core.models.words.word_table import DOCUMENT_STATES_FILE, WORDS_FILE, WordTable, support_scores
else:
    __getattr__ = open_face(__file__, __name__)
