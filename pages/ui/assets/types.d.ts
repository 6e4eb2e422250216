// What passes between Python and each component, and what a component remembers between two draws. For the checker only.

declare global {
  interface Window {
    /** Keys that came before what they press, see early_keys.js. */
    touchstoneKeys?: string[];
    /** Of Streamlit, which reads it before it looks for its server, see server_address.js. */
    // biome-ignore lint/style/useNamingConvention: both names are Streamlit's
    __streamlit?: { BACKEND_BASE_URL: string };
  }
  interface Selection {
    /** Of browsers that have no `ShadowRoot.getSelection`; newer than the checker's own types. */
    getComposedRanges?(options: { shadowRoots: ShadowRoot[] }): StaticRange[];
  }
  interface ShadowRoot {
    /** Of Chromium only. */
    getSelection?(): Selection | null;
  }
}

/** The object that Streamlit calls a component with, at its first draw and after each run of the script. */
export interface Component<Data, States = object, Triggers = object> {
  data: Data;
  parentElement: ShadowRoot;
  setStateValue<Name extends keyof States>(name: Name, value: States[Name]): void;
  setTriggerValue<Name extends keyof Triggers>(name: Name, value: Triggers[Name]): void;
}

type Tag = keyof HTMLElementTagNameMap;

/** The element that a selector is about, read out of its last part: `form .save` is some element, `form button.save` a button. */
export type Named<Selector extends string> = Selector extends `${string} ${infer Rest}`
  ? Named<Rest>
  : Selector extends `${infer Name extends Tag}.${string}`
    ? HTMLElementTagNameMap[Name]
    : Selector extends Tag
      ? HTMLElementTagNameMap[Selector]
      : HTMLElement;

export type Find = <Selector extends string>(selector: Selector) => Named<Selector>;

/** A term of the glossary, with the address of its place there: terms.py. */
export type GlossaryTerm = { name: string; sentence: string; example: string; source: string; anchor: string; address: string };

/** Start and end in code points. */
export type Span = [start: number, end: number];

// ------------------------------------------------------------------------------------------------ board: board_rows.py

export interface BoardData {
  feed: string;
  drawn: number;
  clicks: number;
  verdict: string;
  rows: BoardRow[];
  sentences: string[];
  metric: string;
  sentence: number | null;
  quotes: string[];
  /** By the column whose head names it; in the first message only. */
  terms?: Record<string, GlossaryTerm>;
}

export interface BoardRow {
  spec: string;
  title: string;
  family: string;
  settings: string;
  state: RowState;
  message: string;
  action: RowAction | '';
  waiting: boolean;
  older: boolean;
  pending: boolean;
  before: string;
  after: string;
  saved: string;
  shift: { text: string; words: string; arrow: string; move: string };
  /** `place` is that of the shift on the strip. */
  noise: { text: string; about: string; place: number | null };
  range: { low: string; high: string; before: number | null; after: number | null } | null;
  surface: boolean;
  hint: string;
  time: string;
  parts: BoardPart[];
  words: BoardWord[][];
  notes: string[];
  unverified: string;
}

export type RowState = 'ready' | 'waiting' | 'queued' | 'loading' | 'running' | 'failed' | 'needs download' | 'needs endpoint';
export type RowAction = 'download' | 'load' | 'retry';
export type BoardPart = { text: string; step: number | null; before: string; before_step: number | null; missing?: string };
export type BoardWord = [start: number, end: number, step: number | null, score: string];

export type BoardComponent = Component<
  BoardData,
  { selected: { spec: string; sentence: number | null; clicks: number } },
  { action: { spec: string; action: string | undefined } }
>;

export interface Board {
  root: ShadowRoot;
  $: Find;
  component: BoardComponent;
  data: BoardData;
  table: HTMLTableElement;
  rows: Map<string, HTMLTableRowElement>;
  detail: HTMLTableRowElement;
  /** The number of the newest board that was drawn, and that of the last click. */
  drawn: number;
  clicks: number;
  metric: string;
  sentence: number | null;
  inTable: boolean;
  unfolded: boolean;
  /** Row and column of the one tab stop. */
  at: [number, number];
  feed: MutationObserver | null;
  fedText: string;
}

// --------------------------------------------------------------------------- document and editor: text_panes.py

export interface DocumentData {
  text: string;
  parts: DocumentPart[];
  height: number;
}

/** A stretch of the document from `start`, in UTF-16 units, to the next one; `labels` are kind and text. */
export type DocumentPart = { start: number; kinds: string[]; labels: [kind: string, text: string][] };

export interface DocumentPane {
  root: HTMLElement;
  box: HTMLElement;
  words: HTMLElement;
  up: HTMLButtonElement;
  down: HTMLButtonElement;
  evidence: HTMLElement[];
  above: HTMLElement | undefined;
  below: HTMLElement | undefined;
  text: string | null;
  marks: string;
  shownEvidence: string;
  find: Find;
  /** Where the words that are looked for stand, the one that is shown, and what hears the keys that open the box. */
  ranges: Range[];
  at: number;
  keys: (event: KeyboardEvent) => void;
}

export interface EditorData {
  value: string;
  doc_rev: number;
  debounce_ms: number;
  shortest_debounce_ms: number;
  limit: number;
  height: number;
}

export interface Replacement {
  start: number;
  end: number;
  old: string;
  new: string;
  explanation: string;
  doc_rev: number | null;
}

export type EditorComponent = Component<
  EditorData,
  { text: { value: string; doc_rev: number | null } },
  { replace: Replacement }
>;

export interface Editor {
  $: Find;
  component: EditorComponent;
  box: HTMLTextAreaElement;
  bar: HTMLElement;
  newText: HTMLInputElement;
  explanation: HTMLInputElement;
  limit: number;
  rev: number | null;
  sentText: string | null;
  timer: number;
  look: number;
  range: { start: number; end: number; old: string } | null;
  dragging: boolean;
  /** When the last key came, and milliseconds between the keys of this writer. */
  typedAt: number;
  rhythm: number;
  /** Looks for runs of the script, and whether there was one when it looked last. */
  runs: MutationObserver;
  wasRunning: boolean;
  release: () => void;
  skip: (event: MouseEvent) => void;
}

// ----------------------------------------------------------------------------------- labeller: annotate/labeller.py

export interface LabellerData {
  task: Task;
  ahead: Task | null;
  away: string;
  questions: Question[];
  mode: TaskMode;
  stamp: string;
  handled: string[];
  problem: string;
  receipt: string;
  drafted: number;
  preview: { pieces: Piece[]; refusal: string } | null;
  feedback: { right: boolean; words: string; expected: [ask: string, answer: string][] } | null;
  scores: [metric: string, original: string, edited: string][] | null;
  can: Record<Act, boolean>;
  /** The campaign and the person, by which drafts are stored in this browser. */
  owner: string;
}

export type TaskMode = 'work' | 'again' | 'revealed' | 'feedback' | 'waiting';
export type Act = 'save' | 'next' | 'previous' | 'undo' | 'skip' | 'flag';

export interface Task {
  reservation: number;
  revision: number;
  title: string;
  document: Piece[];
  help: string;
  sentences: Span[];
  summary: string;
  parts: TaskPart[];
  answers: Answers;
  changed: boolean;
  active_ms: number;
  wall_ms: number;
}

export type TaskPart = { title: string; pieces: Piece[]; style: string; side: string | null; note: string; sentences: Span[] };

/** A mark or 0, the words, and the headings before them, of which each has a kind and a label. */
export type Piece = [op: number, words: string, headings?: Heading[]];
export type Heading = [kind: string, label: string];

export interface Question {
  id: string;
  ask: string;
  kind: 'choice' | 'several' | 'scale' | 'slider' | 'ranking' | 'best-worst' | 'soft' | 'text' | 'span' | 'link' | 'edit';
  options: { value: string; text: string; means: string }[];
  low: number;
  high: number;
  of: 'document' | 'summary';
  required: boolean;
  when: Record<string, string[]>;
  ordered: boolean;
  hint: string;
}

/** A value to choose; `value` is a number on a scale. */
export type Choice = { value: string | number; text: string; means?: string };

/** Words of a text, of a pair with the side; a claim with the passage that decides it. */
/** After its range a side of a pair, then a category, where there is one. */
export type Passage = [start: number, end: number, ...more: string[]];
export type Mark = { from: number; to: number; name: string };
export type Link = { claim: Passage; evidence: Passage };
export type Answer = string | number | string[] | number[] | Passage[] | Link[];
export type Answers = Record<string, Answer>;

export type Times = { active_ms: number; wall_ms: number };

/** One press as it is sent until the server has it. */
export interface Press extends Times {
  reservation: number;
  revision: number;
  act: string;
  reason: string;
  event_id: string;
  answers: Answers;
  seq: number;
  touched: boolean;
  at: number;
}

/** Answers that were under way when something else came. */
export type StashedAnswers = Times & { answers: Answers };

/** What a key is known by once its event is over. */
export type Key = { key: string; shiftKey?: boolean; repeat?: boolean };

export type LabellerComponent = Component<
  LabellerData,
  { draft: StashedAnswers & { reservation: number; seq: number } },
  { sent: { presses: Press[] } }
>;

export interface View {
  $: Find;
  root: ShadowRoot;
  component: LabellerComponent;
  /** Whether a task was shown. */
  hasBegun: boolean;
  task: Task;
  mode: TaskMode;
  answers: Answers;
  /** The place of the question in hand. */
  active: number;
  /** The press whose answer is waited for, or true where there is none. */
  pending: Press | true | null;
  /** Skip or flag, while its reason is typed. */
  act: 'skip' | 'flag';
  /** Places of words in the document that are looked for, and which of them is shown; -1 for none. */
  found: Span[];
  foundAt: number;
  /** The number or name of the summary, and the paragraph, that was gone to last; -1 before the first. */
  wordAt: number;
  paragraphAt: number;
  pick: Pick | null;
  /** Where the arrows go on after words were marked. */
  lastPick: Pick | null;
  /** The claim whose passage is still to be marked. */
  openClaim: Passage | null;
  unsaved: boolean;
  touched: boolean;
  /** The texts and the questions as they were drawn, the problem that was shown, the stamp of what came last. */
  drawnTexts: string;
  drawnQuestions: string;
  problemShown: string;
  stamp: string | null;
  /** The number of the last draft, and the timer of the next. */
  seq: number;
  timer: number;
  /** When the next draft is sent at the latest. */
  draftDue: number;
  activeMs: number;
  wallMs: number;
  startedAt: number;
  isVisible: boolean;
  lastSignAt: number;
  outbox: Press[];
  stash: Record<number, StashedAnswers>;
  heldKeys: Key[];
  awaitsReceipt: boolean;
  sentAt: number;
  swipe: { x: number; y: number; timeStamp: number } | null;
  onKey: (event: KeyboardEvent) => void;
  onPress: (act: Act) => void;
  onSign: () => void;
  onLeave: () => void;
  onHide: () => void;
  onSelect: () => void;
  channel: BroadcastChannel;
  watch: number;
}

export type Pick = { pane: HTMLElement; span: Span };

// ------------------------------------------------------------------------------- matrix: stress/matrix_and_plots.py

export interface MatrixData {
  blocks: MatrixBlock[];
  rows: MatrixRow[];
  selected: { metric: string; kind: string } | null;
}

export type MatrixBlock = { title: string; term: GlossaryTerm; kinds: MatrixKind[] };

export type MatrixKind = { spec: string; title: string; does: string };
export type MatrixRow = { metric: string; title: string; verdict: string; cells: (MatrixCell | null)[] };

export interface MatrixCell {
  /** The place of the shift on the strip, null where its noise is unknown or the figure shown is another one. */
  place: number | null;
  kind: string;
  intent: string;
  title: string;
  text: string;
  value: number | null;
  n: number;
  few: boolean;
  move: string;
  about: string;
}

export type MatrixComponent = Component<MatrixData, { selected: { metric: string; kind: string } }>;

export interface Matrix {
  component: MatrixComponent;
  data: MatrixData;
  table: HTMLTableElement;
  /** The kind that rows are sorted by. */
  kind: string | null;
  order: 'none' | 'descending' | 'ascending';
  at: number[];
}

// ------------------------------------------------------------------------------ sign-in and tour: session_user.py, tour.py

export interface SignInData {
  code: string;
  action: string;
  problem: string;
  path: string;
  parameter: string;
}

export interface TourData {
  token: string;
  page: string;
  plays: boolean;
  /** Of the lesson that the steps are of, "" for the tour; and of the one that follows. */
  lesson: string;
  heading: string;
  chapter: string;
  following: { name: string; title: string } | null;
  steps: TourStep[];
  marks: TourStep[];
}

/**
 * The tour or lesson under way in this tab: its step, null once it ended, since when that is shown where the tour runs by itself,
 * and the steps of a lesson that were done.
 */
export type StoredTour = { token: string; lesson: string; at: number | null; plays: boolean; since: number; passed: number[] };

/** `seconds` is how long a step is shown where the tour runs by itself; `opens` whether its page is opened with something. */
export interface TourStep {
  page: string;
  target: string;
  title: string;
  text: string;
  opens: boolean;
  seconds: number;
  done: string;
  after: string;
  choices: LessonChoice[];
}

export type LessonChoice = { text: string; why: string; right: string };

export interface Tour {
  root: ShadowRoot;
  $: Find;
  component: Component<TourData, object, { open: { lesson: string; at: number | null } }>;
  steps: TourStep[];
  /** The place in `steps`, and in the marks of a first visit. */
  at: number;
  mark: number;
  /** Whether it is the tour, not the marks. */
  leads: boolean;
  /** What is shown, empty for nothing; the target, since when it is there, and when it was last looked for; what had the focus before. */
  shownStep: string;
  target: Element | null;
  targetSince: number;
  lookedAt: number;
  /** Whether the person has scrolled during this step, who is not to be led back. */
  scrolled: boolean;
  focusedBefore: Element | null;
  frame: number;
  /** Of a lesson: the answer that was chosen, when the page was last looked at, and the lesson that was asked for after a reload. */
  choiceIndex: number | null;
  checkedAt: number;
  requestedLesson: string;
  keys: (event: KeyboardEvent) => void;
  wheel: () => void;
  redraw: () => void;
}

export type KindStrip = { title: string; place: number | null; edge: string; move: string };

export type KindStripsComponent = Component<{ rows: KindStrip[] }>;

// -------------------------------------------------------------------------------------------------- palette: palette.py

export type PalettePlace = { kind: string; title: string; view: string; query: Record<string, string> };

/** `whole` if these are all places, not the pages alone; `docs` is the address of the search in the documents. */
export type PaletteData = { whole: boolean; docs: string; places: PalettePlace[] };

export interface Palette {
  $: Find;
  component: Component<PaletteData, object, { open: number; place: PalettePlace }>;
  /** All places once they came, the pages until then; those that are listed, and the one that Enter opens. */
  whole: boolean;
  places: PalettePlace[];
  listed: PalettePlace[];
  at: number;
  keys: (event: KeyboardEvent) => void;
}

// -------------------------------------------------------------------------------- jobs_bar: jobs_bar.py, job_list.py

/** A job of the bar; `share` is between 0 and 1, null where the total is unknown. */
export interface JobRow {
  id: string;
  kind: string;
  title: string;
  state: string;
  says: string;
  share: number | null;
  error: string;
  actions: string[];
}

export interface JobsBar {
  $: Find;
  component: Component<{ path: string; jobs: JobRow[] }, object, { press: { id: string; action: string; at: number } }>;
  jobs: JobRow[];
  timer: ReturnType<typeof setTimeout> | 0;
  keys: (event: KeyboardEvent) => void;
  outside: (event: PointerEvent) => void;
}

// -------------------------------------------------------------------------------- copy_forms, code_block: copy_popover.py

/** Something that is copied by one button: a text, or the picture of an SVG. */
export interface CopyForm {
  label: string;
  kind: 'text' | 'png';
  content: string;
}

export type CopyFormsComponent = Component<{ parts: { title: string; forms: CopyForm[] }[] }>;

export type DoneLessonsComponent = Component<{ done: string[] }, { done: string[] }>;

export type CodeBlockComponent = Component<{ text: string }>;
