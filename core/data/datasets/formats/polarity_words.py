"""Words that say that a text is consistent with its source or is not, and the small words around them, in six languages and more.

Values of labels, names of columns and directions of scores are all read from this table, by `polarity`. Words are in lower
case and without accents; a stem stands for every word that begins with it.
"""

from __future__ import annotations

from core.types import Verdict

_CONSISTENT_STEMS = (
    # English
    "consisten congruen coheren faithful factual correct accura support verifiab verified attributab attributed attribution entail "
    "truthful veraci veridical honest justified substantiat corroborat confirm legitima genuin authentic trustworth reliab "
    "acceptab trusted "
    # German, French, Spanish, Italian, Portuguese, Dutch
    "richtig korrekt konsistent zutreffend belegt gestutzt faktentreu wahrheitsgetreu stimmig "
    "fidele fidelite exactitude veridique etaye factuel conforme "
    "fiel fidedign veraz verdader respaldad fundamentad acertad "
    "corrett fedel coeren fondat veritier supportat fattual "
    "corret verdadeir apoiad suportad sustentad "
    "juist feitelijk onderbouwd "
    # Polish, Russian, Chinese, Japanese
    "zgodn prawdziw poprawn верн правд правильн достоверн корректн 一致 正确 正確 真实 真実 忠实 忠実"
)
_INCONSISTENT_STEMS = (
    # English
    "halluc error erron wrong falsehood falsif contradic refut fabricat mislead misled decept deceiv deceit spurious baseless groundles "
    "fake flaw fault defect violat mistak misstat misrepresent distort conflict discrepan misinform disinform misquot misinterpret "
    "misattribut mischaracteri counterfactual problem confabulat unfounded disput debunk mismatch disprov fictiti exaggerat overclaim "
    "faithless unjustifi "
    # German, French, Spanish, Italian, Portuguese, Dutch
    "falsch fehler widerspr halluzin erfund irrefuhrend unwahr verfalsch gefalscht "
    "faux fausse erreur trompeu contredi mensong infonde errone inexact "
    "falso falsa equivocad alucin inventad enganos "
    "sbagliat errat errore errori allucin inventat ingannevol contradd fuorviant "
    "erro erros errad "
    "fout onjuist onwaar gehalluc verzonnen misleidend tegenstrijd "
    # Polish, Russian, Chinese, Japanese
    "niezgodn nieprawdziw niepoprawn fałsz błedn ложь ложн неверн неправ ошибк галлюцин недостоверн некорректн "
    "противореч 不一致 错误 錯誤 誤り 幻觉 幻覚 矛盾"
)
STEMS = dict.fromkeys(_CONSISTENT_STEMS.split(), Verdict.CONSISTENT) | dict.fromkeys(
    _INCONSISTENT_STEMS.split(), Verdict.INCONSISTENT
)
"""Verdict that every word with this beginning speaks of; of several beginnings the longest counts."""

_CONSISTENT_WORDS = (
    "true right valid validity success successful proven grounded grounding groundedness grounds verifies ok okay pass passed passes passing good sound "
    "aligned exact precise "
    "wahr treu vrai vraie exacte juste vero vera giusto giusta veridico exacto exacta certo certa waar trouw prawda 真 👍 thumbsup"
)
_INCONSISTENT_WORDS = (
    "err errs false bogus invented invents invention inventions issue issues bad bug bugs buggy broken lie lies lying liar "
    "fail fails failed failing failure failures flagged madeup fiction fictional hoax nonsense untruth untruths "
    "mensonge menzogna mentira bugie bład 假 👎 thumbsdown"
)
WORDS = dict.fromkeys(_CONSISTENT_WORDS.split(), Verdict.CONSISTENT) | dict.fromkeys(
    _INCONSISTENT_WORDS.split(), Verdict.INCONSISTENT
)
"""Verdict of whole words, of which others with the same beginning mean something else."""

FLIPPING_PREFIXES = (
    *("nicht", "anti", "non", "not", "nie", "dis", "mis", "un", "in", "im", "ir", "no"),
    *("не", "不", "没有", "没", "无", "無", "非", "未"),
)
"""Beginnings that turn the rest of a word, as in unsupported or nonfactual."""

PLAIN_PREFIXES = ("is", "has", "was", "are", "有", "是")
"""Beginnings that leave the rest of a word as it is, as in isfaithful."""

FLIPPING_SUFFIXES = ("free", "less", "frei", "los")
"""Ends that turn the beginning of a word, as in errorfree."""

DETERMINERS = frozenset(
    "no 0 zero without kein keine keinen ohne sans aucun aucune sin senza nessun sem nenhum geen zonder".split()
)
"""Negations of a noun with all that describes it, as in no factual error."""

NEGATIONS = frozenset(
    "not non never nor neither isnt wasnt hasnt doesnt dont didnt cannot cant anti lack lacks lacking absence absent missing free less none nil "
    "nicht frei los nein nie niet pas ni nao libre libero livre не нет без 不 没有 没 无 無 非 ningun ninguna nessuna nenhuma".split()
)
"""Further negations."""

FREE = frozenset("free less frei los libre libero livre none nil absent".split())
"""Negations that follow their word, or that a preposition follows, as in free of errors."""

FREE_OF = frozenset("of from von de di da".split())

SEPARATE_PREFIXES = frozenset("un in im ir dis mis des".split())
"""Beginnings that may also be a word: in consistent is no answer."""

ERROR_NOUNS = (
    "error",
    "hallucination",
    "violation",
    "issue",
    "problem",
    "mistake",
    "mismatch",
    "conflict",
    "failure",
    "flaw",
    "fault",
    "defect",
    "discrepanc",
    "contradiction",
    "distortion",
)
"""Beginnings of nouns that another noun may describe, as in consistency error."""

DESCRIBING = (
    "consistency",
    "factual",
    "faithfulness",
    "truthfulness",
    "accuracy",
    "grounding",
    "groundedness",
    "support",
    "attribution",
    "entailment",
    "coherence",
    "validity",
    "correctness",
    "reliability",
)
"""Beginnings of words that describe an error."""

PLAIN_WORDS = frozenset(
    (
        "is are was were be been being has have had having contain contains containing contained include includes do does did the a an any "
        "some all at least one of in on to with by for from and as it its this that there here "
        "summary summaries summ summarization summarisation answer answers response output claim claims sentence sentences text "
        "statement statements generated generation system model document doc source article context passage evidence information info "
        "content detail details entity entities label labels class category value verdict verdicts judgement judgment judgements "
        "assessment decision annotation annotations rating score scores human manual gold final overall binary bool boolean majority "
        "vote votes aggregated mean avg average found median max min total sum count counts num n number rate ratio percent percentage pct "
        "prob probability p fraction share degree detected present exists exist observed marked reported identified intrinsic "
        "extrinsic level type fully entirely completely totally wholly clearly very really relation relations predicate date "
        "coreference semantic wrt respect according about yn y01 binarized gpt gpt3 gpt4 gpt4o gpt5 llm claude llama gemini "
        "qwen bart t5 pegasus base large small v1 v2 v3 qa nli zs conv sent summarizer "
        "zusammenfassung antwort aussage satz ist sind hat enthalt mit der die das dem den ein eine einen "
        "resume reponse est sont a contient avec le la les l un une du de des resumen respuesta es tiene contiene con el los "
        "riassunto risposta e ha il lo gli i resumo resposta tem contem com o os samenvatting heeft een het bevat"
    ).split()
)
"""Words that change nothing."""

AMBIGUOUS_ADJECTIVES = frozenset("true correct right valid false wrong incorrect good bad ok exact invalid".split())
REFERENCE_NOUNS = frozenset(
    "label labels class classes target y value values category choice option verdict verdicts text index annotation annotations judgement "
    "judgment rating vote votes positive negative positives negatives".split()
)
"""A true label is the reference's, and a correct annotation is no correct summary."""

REFERENCE_TEXTS = frozenset("answer answers summary summaries response output text".split())
"""A text that follows such an adjective is a reference."""

UNSETTLED = frozenset(
    "corrected correction corrections correcting corrective correctable falsifiable refutable supportive supporter "
    "supporters fixed removed".split()
)
"""Words with the beginning of a stem that speak of something else."""

UNSETTLED_NAMES = frozenset("verified unverified confirmed unconfirmed".split())
"""Words that settle a value and leave a name open: the label itself may be what was verified."""

TRUE_NAMES = frozenset("true false right".split())
"""Words that leave a name open where they are all of it, beside `true_score` or `pred`."""

REVERSING = frozenset(
    "neg negative negated inverse inverted inv minus reverse reversed reciprocal complement one opposite reduction improvement robustness "
    "resistance rank delta diff difference change gap std stdev stderr var ci margin threshold gain detection detector".split()
)
"""Words beside a metric after which its direction is open."""

METRIC_WORDS = frozenset(
    "rouge bleu sacrebleu meteor chrf cider spice moverscore bleurt comet bertscore bartscore alignscore summac "
    "summaczs summacconv questeval qafacteval qags feqa dae factcc minicheck unieval infolm f1 precision recall acc auc similarity "
    "overlap fluency fluent relevance relevant relevancy informativeness informative quality helpfulness helpful completeness complete "
    "coverage conciseness concise readability clarity likert stars star grade grades marks logprob logprobs loglikelihood likelihood hhem "
    "factscore factkb fenice prometheus ctc sbert cosine jaccard fmeasure em trueteacher lettucedetect gptscore geval "
    "naturalness grammaticality satisfaction usefulness useful adequacy falcon bertscores coco factcg longdocfactscore factgraph nubia".split()
)
"""Metrics and aspects of which more is better; digits after them do not matter."""

LOWER_WORDS = frozenset(
    "perplexity perplexities ppl nll loss losses wer ter cer per distance distances dist levenshtein risk risks entropy uncertainty "
    "divergence kl jsd surprisal severity penalty penalties harm harmfulness bias toxicity mse mae rmse brier ece incoherence irrelevance "
    "redundancy xent crossentropy dissimilarity incompleteness disagreement variance".split()
)
"""Measures of which less is better."""

MEASUREMENT_WORDS = frozenset(
    "time times duration seconds second secs sec ms millis minutes minute hours elapsed latency timestamp ts date datetime created "
    "updated started finished submitted completed ended confidence confident certainty session sessions epoch seed temperature tokens token "
    "length len words chars characters cost price usd position rank index idx page clicks trial attempt attempts month hour "
    "payment bonus reward dauer zeit konfidenz".split()
)
"""Measurements of an answer or a text, none of which judges a summary."""

PERSON_WORDS = frozenset(
    "annotator annotators rater raters judge judges worker workers workerid reviewer reviewers coder coders evaluator evaluators "
    "labeler labelers labeller labellers user users username userid participant participants assessor assessors grader graders respondent "
    "respondents crowdworker turker assignee author email mail annotated labeled labelled reviewed judged rated coded checked answered "
    "annotateur anotador annotatore prolific hit hitid assignment assignmentid responseid kodierer".split()
)
"""People who answer."""

PERSON_PARTS = frozenset(
    "id ids name names email mail number no nr code key hash uuid initials by pid group count num".split()
)
"""Parts of a name that number or name people."""
