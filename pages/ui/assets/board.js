/** @import { Board, BoardComponent, BoardData, BoardPart, BoardRow, BoardWord, Find } from './types.d.ts' */
import { all, element, finder, put } from './dom.js';
import { noiseStrip, placeMark } from './noise_strip.js';
import { markTerm } from './terms.js';

/** @type {WeakMap<ShadowRoot, Board>} */
const boards = new WeakMap();

const ICONS = { ready: '✓', waiting: '◷', queued: '', loading: '', running: '', failed: '✕', 'needs download': '↓', 'needs endpoint': '!' };
const ACTIONS = { '': '', download: 'Download', load: 'Load', retry: 'Retry' };
const COLUMNS = ['before', 'after', 'shift', 'noise', 'range'];
const FIRST = COLUMNS.length + 2; // where the sentences begin

/** @param {BoardComponent} component */
export default function (component) {
  const root = component.parentElement;
  const board = boards.get(root) ?? open(root, component);
  board.component = component;
  receive(board, component.data);
  listenToFeed(board);
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => { if (!root.host.isConnected) { board.feed?.disconnect(); boards.delete(root); } };
}

/** @param {ShadowRoot} root @param {BoardComponent} component */
function open(root, component) {
  const $ = finder(root), { data } = component;
  /** @type {Board} */
  const board = {
    root, $, component, data, table: $('table'), rows: new Map(), detail: newDetail(), drawn: 0, clicks: 0, metric: data.metric,
    sentence: data.sentence, inTable: false, unfolded: false, at: [0, 0], feed: null, fed: '',
  };
  boards.set(root, board);
  for (const [column, term] of Object.entries(data.terms ?? {})) markTerm($('.root'), $(`thead .${column}`), term);
  board.table.addEventListener('click', event => clicked(board, pressedButton(event)));
  board.table.addEventListener('keydown', event => moved(board, event));
  board.table.addEventListener('focusin', event => entered(board, event.target));
  $('.sentences').addEventListener('click', event => clicked(board, pressedButton(event)));
  $('.unfold').addEventListener('click', () => { board.unfolded = !board.unfolded; drawFold(board); rove(board); });
  return board;
}

/**
 * The feed is a hidden element that a running script refills; see board_feed.
 * @param {Board} board
 */
function listenToFeed(board) {
  if (board.feed) return;
  const read = () => {
    const feed = document.querySelector(`[data-feed="${CSS.escape(board.component.data.feed)}"]`);
    if (!feed || feed.textContent === board.fed) return;
    board.fed = feed.textContent;
    const holder = feed.closest('[class*="st-key-"]');
    if (holder instanceof HTMLElement) holder.style.display = 'none';
    receive(board, JSON.parse(board.fed));
  };
  board.feed = new MutationObserver(read);
  board.feed.observe(document.body, { childList: true, subtree: true, characterData: true });
  read();
}

/** @param {Board} board @param {BoardData} data */
function receive(board, data) {
  if (data.drawn <= board.drawn) return;
  board.drawn = data.drawn;
  // A board drawn before the last click was heard still shows the selection before it.
  if (data.clicks >= board.clicks) { board.metric = data.metric; board.sentence = data.sentence; board.clicks = data.clicks; }
  board.data = data;
  draw(board);
}

/** @param {Board} board */
function draw(board) {
  drawNothing(board);
  put(board.$('.spoken'), board.data.verdict); // the heading of the page, which is drawn again, is not read out
  drawHead(board);
  drawRows(board);
  drawFold(board);
  drawSummary(board);
  drawSelection(board);
}

/** @param {Board} board */
function drawNothing({ $, data }) {
  const words = !data.rows.length ? 'No metric is chosen. Choose one or more to see how they react to an edit.' : '';
  put($('.nothing'), words);
  $('.nothing').hidden = !words;
  for (const part of ['.key', '.scroll', '.summary']) $(part).hidden = !data.rows.length;
  $('.scale').hidden = !data.sentences.length;
}

/** @param {Board} board */
function drawHead({ table, data }) {
  const head = finder(table)('thead tr');
  fit(head, FIRST, data.sentences.length, () => element('th', 'cell', '', { scope: 'col' }));
  data.sentences.forEach((sentence, i) => {
    put(head.cells[FIRST + i], String(i + 1));
    head.cells[FIRST + i].title = sentence;
    head.cells[FIRST + i].setAttribute('aria-label', `Sentence ${i + 1}: ${sentence}`);
  });
}

/** @param {Board} board */
function drawRows(board) {
  const { rows, sentences } = board.data, specs = new Set(rows.map(row => row.spec));
  for (const [spec, line] of board.rows) if (!specs.has(spec)) { line.remove(); board.rows.delete(spec); }
  place(board, board.$('tbody.metrics'), rows.filter(row => !row.surface));
  place(board, board.$('tbody.surface'), rows.filter(row => row.surface));
  rows.forEach(row => { drawRow(lineOf(board, row.spec), row, sentences.length); });
}

/** @param {Board} board @param {HTMLTableSectionElement} body @param {BoardRow[]} rows */
function place(board, body, rows) {
  rows.forEach((row, i) => {
    const line = lineOf(board, row.spec);
    const lines = [...body.rows].filter(other => other !== board.detail);
    if (lines[i] !== line) body.insertBefore(line, lines[i] ?? null);
    line.classList.toggle('first', i > 0 && row.family !== rows[i - 1].family);
  });
}

/**
 * Surface statistics describe the text: they are folded below the metrics, where there are any.
 * @param {Board} board
 */
function drawFold(board) {
  const { $, data } = board, surface = data.rows.filter(row => row.surface);
  const alone = surface.length === data.rows.length, open = alone || board.unfolded;
  $('.fold').hidden = alone || !surface.length;
  $('.fold td').colSpan = FIRST + data.sentences.length;
  $('.surface').hidden = !open;
  $('.unfold').setAttribute('aria-expanded', String(open));
  put($('.unfold'), surface.length === 1 ? '1 surface statistic' : `${surface.length} surface statistics`);
  put($('.folded'), surface.map(row => row.title).join(', '));
}

/** @param {Board} board @param {string} spec */
const lineOf = (board, spec) => board.rows.get(spec) ?? newLine(board, spec);

/** @param {Board} board @param {string} spec */
function newLine(board, spec) {
  const line = element('tr');
  const metric = element('th', 'metric', '', { scope: 'row' });
  metric.append(button('title'), element('span', 'family'), element('span', 'unverified'));
  const state = element('td', 'state');
  state.append(element('span', 'icon', '', { 'aria-hidden': 'true' }), element('span', 'word'), element('span', 'small'));
  const message = element('td', 'message', '', { colspan: COLUMNS.length });
  message.append(element('span', 'reason'), button('act'));
  line.append(metric, state, ...COLUMNS.map(newNumber), message);
  board.rows.set(spec, line);
  line.dataset.spec = spec;
  return line;
}

/** @param {string} name */
function newNumber(name) {
  const cell = element('td', name);
  if (name === 'range') cell.append(track(), element('span', 'dash'), element('span', 'small'));
  else if (name === 'noise') cell.append(element('span', 'value'), noiseStrip());
  else cell.append(element('span', 'value'), element('span', 'small'));
  return cell;
}

function track() {
  const track = element('div', 'track', '', { role: 'img' });
  track.append(element('i', 'line'), element('i', 'dot before'), element('i', 'dot after'));
  return track;
}

/** @param {HTMLTableRowElement} line @param {BoardRow} row @param {number} sentences */
function drawRow(line, row, sentences) {
  const $ = finder(line);
  line.classList.toggle('pending', row.pending);
  line.classList.toggle('waiting', row.waiting);
  put($('.title'), row.title);
  const notes = row.notes.length && (row.notes.length === 1 ? '1 note' : `${row.notes.length} notes`);
  put($('.family'), [row.family, row.settings, notes].filter(Boolean).join(' · '));
  put($('.unverified'), row.unverified);
  drawState($, row);
  const blocked = !row.pending && !row.waiting && row.state !== 'ready';
  for (const name of COLUMNS) $(`td.${name}`).hidden = blocked;
  drawMessage($, row, blocked);
  put($('.before .value'), row.before);
  put($('.after .value'), row.after);
  put($('.after .small'), row.older ? 'older text' : row.saved && `saved ${row.saved}`);
  drawShift($('td.shift'), row.shift);
  drawNoise($('td.noise'), row);
  drawRange($('td.range'), row);
  drawHeat(line, row, sentences);
}

/** @param {Find} $ @param {BoardRow} row */
function drawState($, row) {
  const state = $('td.state');
  if (state.dataset.state !== row.state) state.dataset.state = row.state;
  put($('.icon'), ICONS[row.state]);
  put($('.word'), row.state);
  state.title = row.waiting ? `${row.state}: ${row.message}` : row.state;
  put($('.state .small'), row.pending || row.waiting ? row.message : row.time);
}

/** @param {Find} $ @param {BoardRow} row @param {boolean} blocked */
function drawMessage($, row, blocked) {
  $('.message').hidden = !blocked;
  put($('.reason'), row.message);
  const act = $('button.act');
  act.hidden = !row.action;
  act.dataset.action = row.action;
  put(act, ACTIONS[row.action]);
  act.setAttribute('aria-label', `${ACTIONS[row.action]} ${row.title}`);
}

/** @param {HTMLElement} cell @param {BoardRow['shift']} shift */
function drawShift(cell, { text, words, arrow, move }) {
  const $ = finder(cell);
  cell.dataset.move = move;
  cell.title = move;
  put($('.value'), arrow ? `${arrow} ${text}` : text);
  put($('.small'), words);
}

/** @param {HTMLElement} cell @param {BoardRow} row */
function drawNoise(cell, { noise, shift }) {
  const $ = finder(cell);
  cell.title = noise.about;
  cell.dataset.move = noise.place === null ? '' : shift.move;
  put($('.value'), noise.text);
  placeMark($('.noise-strip'), noise.place, shift.move);
}

/** @param {HTMLElement} cell @param {BoardRow} row */
function drawRange(cell, { range, before, after, hint, waiting }) {
  const $ = finder(cell), track = $('.track');
  track.hidden = !range;
  put($('.dash'), range ? '' : '–');
  put($('.small'), range ? `${range.low} to ${range.high}, ${hint}` : `unbounded, ${hint}`);
  if (!range) return;
  track.setAttribute('aria-label', `before ${before}, after ${waiting ? 'not scored' : after}, on a scale from ${range.low} to ${range.high}`);
  for (const [name, at] of Object.entries({ before: range.before, after: range.after })) {
    const dot = $(`.dot.${name}`);
    dot.hidden = at === null;
    dot.style.left = `${100 * (at ?? 0)}%`;
  }
}

/** @param {HTMLTableRowElement} line @param {BoardRow} row @param {number} sentences */
function drawHeat(line, row, sentences) {
  fit(line, line.cells.length - line.querySelectorAll('.cell').length, sentences, () => {
    const cell = element('td', 'cell');
    cell.append(button('heat'));
    return cell;
  });
  all(line, 'button.heat').forEach((heat, i) => { drawCell(heat, row, row.parts[i] ?? NO_PART, i); });
}

/**
 * The score before the edit stands above the score after it, each on its own tint, where the two differ.
 * @param {HTMLElement} heat
 * @param {BoardRow} row
 * @param {BoardPart} part
 * @param {number} i
 */
function drawCell(heat, row, part, i) {
  // the name of a cell has the figures that are seen in it, in their order
  if (!heat.firstChild) heat.append(element('span', 'spoken'), element('span', 'was'), element('span', 'now'));
  const $ = finder(heat), was = $('.was'), now = $('.now');
  heat.dataset.sentence = String(i);
  heat.classList.toggle('none', !part.text);
  was.className = `was ${tint(part.before_step)}`;
  was.hidden = !part.before;
  now.className = `now ${tint(part.step)}`;
  put(was, part.before);
  put(now, part.text || '·');
  const kind = part.before ? 'before and after: ' : part.text ? 'score: ' : 'no score ';
  put($('.spoken'), `${row.title}, sentence ${i + 1}, ${kind}`);
}

/** @type {BoardPart} */
const NO_PART = { text: '', step: null, before: '', before_step: null };

/** @param {number|null} step */
const tint = step => step === null ? 'none' : `s${step}`;

/** @param {Board} board */
function drawSummary(board) {
  const { $, data, metric } = board, row = data.rows.find(row => row.spec === metric);
  $('.summary').hidden = !data.rows.length;
  put($('.whose'), row ? row.title : 'Summary');
  put($('.hint'), row ? `sentence by sentence (${row.hint})` : 'sentence by sentence: choose a metric above to tint them');
  const list = $('.sentences');
  fit(list, 0, data.sentences.length, () => { const item = element('li'); item.append(button('sentence')); return item; });
  all(list, 'button.sentence').forEach((line, i) => { drawSentence(board, line, i, row); });
  fit($('.notes'), 0, row?.notes.length ?? 0, () => element('li'));
  row?.notes.forEach((note, i) => { put($('.notes').children[i], note); });
  drawDetail(board, row);
}

/** @param {Board} board @param {HTMLButtonElement} line @param {number} i @param {BoardRow|undefined} row */
function drawSentence(board, line, i, row) {
  if (!line.firstChild) line.append(element('span', 'place'), element('span', 'score'), element('span', 'words'), element('q', 'quote'));
  const $ = finder(line), part = row?.parts[i] ?? NO_PART;
  line.className = `sentence ${tint(part.step)}`;
  line.dataset.sentence = String(i);
  line.disabled = !row;
  const score = $('.score'), quote = $('.quote');
  score.className = `score ${tint(part.step)}`;
  put($('.place'), String(i + 1));
  drawWords($('.words'), board.data.sentences[i], row?.words[i] ?? []);
  put(score, scores(part));
  const words = !board.inTable && i === board.sentence ? evidence(board) : '';
  quote.hidden = !words;
  put(quote, words);
}

/**
 * The text of each drawn sentence with its words, so that only a change is drawn.
 * @type {WeakMap<HTMLElement, string>}
 */
const drawnWords = new WeakMap();

/**
 * Each word on the tint of its own score, of a metric that scores words; offsets count code points.
 * @param {HTMLElement} line
 * @param {string} text
 * @param {BoardWord[]} words
 */
function drawWords(line, text, words) {
  const drawn = JSON.stringify([text, words]);
  if (drawnWords.get(line) === drawn) return;
  drawnWords.set(line, drawn);
  /** @type {(string | HTMLElement)[]} */
  const nodes = [];
  const letters = Array.from(text);
  let from = 0;
  for (const [start, end, step, score] of words) {
    const word = element('span', `word ${tint(step)}`, letters.slice(start, end).join(''), { title: score });
    nodes.push(letters.slice(from, start).join(''), word);
    from = end;
  }
  line.replaceChildren(...nodes, letters.slice(from).join(''));
}

/** @param {BoardPart} part */
const scores = part => part.before ? `${part.before} → ${part.text}` : part.text;

/** @param {Board} board */
const evidence = ({ data, metric, sentence }) => (sentence !== null && data.metric === metric ? data.quotes[sentence] ?? '' : '');

/**
 * What a click on a cell is answered with, right below it: the sentence, its scores and the quote that they rest on.
 * @param {Board} board
 * @param {BoardRow|undefined} row
 */
function drawDetail(board, row) {
  const { data, sentence, detail } = board, line = board.rows.get(board.metric);
  const words = sentence === null ? undefined : data.sentences[sentence];
  if (!board.inTable || !line || !row || sentence === null || words === undefined) { detail.remove(); return; }
  const $ = finder(detail), quote = evidence(board);
  $('td').colSpan = FIRST + data.sentences.length;
  put($('.place'), String(sentence + 1));
  put($('.score'), scores(row.parts[sentence] ?? NO_PART));
  put($('.words'), words);
  $('.quote').hidden = !quote;
  put($('.quote'), quote);
  $('.unquoted').hidden = Boolean(quote) || data.metric !== board.metric || row.pending;
  put($('.unquoted'), `${row.title} names no evidence of this sentence.`);
  if (line.nextSibling !== detail) line.after(detail);
}

function newDetail() {
  const line = element('tr', 'detail'), cell = element('td'), found = element('div', 'found-evidence', '', { role: 'status' });
  const head = element('div', 'head');
  head.append(element('span', 'place'), element('span', 'score'), element('span', 'words'));
  found.append(head, element('q', 'quote'), element('span', 'unquoted'));
  cell.append(found);
  line.append(cell);
  return line;
}

/** @param {Board} board */
function drawSelection(board) {
  const { $, metric, sentence } = board;
  for (const line of board.rows.values()) {
    const mine = line.dataset.spec === metric;
    line.classList.toggle('chosen', mine);
    finder(line)('.title').setAttribute('aria-pressed', String(mine));
    all(line, '.heat').forEach((heat, i) => { heat.setAttribute('aria-pressed', String(mine && i === sentence)); });
  }
  all($('.sentences'), 'button').forEach((line, i) => { line.setAttribute('aria-pressed', String(i === sentence)); });
  rove(board);
}

/** @param {Event} event */
const pressedButton = ({ target }) => (target instanceof Element ? target.closest('button') : null);

/** @param {Board} board @param {HTMLButtonElement|null} target */
function clicked(board, target) {
  if (!target || target.matches('.unfold')) return;
  const spec = target.closest('tr')?.dataset.spec ?? board.metric;
  if (target.matches('.act')) { board.component.setTriggerValue('action', { spec, action: target.dataset.action }); return; }
  const sentence = target.dataset.sentence === undefined ? null : Number(target.dataset.sentence);
  board.metric = spec;
  board.sentence = sentence;
  board.inTable = Boolean(target.closest('table'));
  board.clicks += 1;
  drawSummary(board);
  drawSelection(board);
  board.component.setStateValue('selected', { spec, sentence, clicks: board.clicks });
}

/**
 * One tab stop for the whole grid of titles and cells; the arrow keys move within it.
 * @param {Board} board
 */
function grid(board) {
  const shown = [...board.table.tBodies].filter(body => !body.hidden).flatMap(body => [...body.rows]);
  return shown.filter(line => line.dataset.spec).map(line => all(line, '.title, .heat'));
}

/** @param {Board} board */
function rove(board) {
  const rows = grid(board);
  board.at = [Math.min(board.at[0], rows.length - 1), board.at[1]];
  rows.forEach((cells, y) => {
    cells.forEach((cell, x) => { cell.tabIndex = y === board.at[0] && x === Math.min(board.at[1], cells.length - 1) ? 0 : -1; });
  });
}

/** @param {Board} board @param {EventTarget|null} target */
function entered(board, target) {
  if (!(target instanceof HTMLElement)) return;
  const rows = grid(board), y = rows.findIndex(cells => cells.includes(target));
  if (y < 0) return;
  board.at = [y, rows[y].indexOf(target)];
  rove(board);
}

/** @param {Board} board @param {KeyboardEvent} event */
function moved(board, event) {
  const rows = grid(board), [y, x] = board.at;
  if (!rows[y]?.some(cell => cell === event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
  /** @type {Record<string, [number, number]>} */
  const goals = {
    ArrowUp: [y - 1, x], ArrowDown: [y + 1, x], ArrowLeft: [y, x - 1], ArrowRight: [y, x + 1],
    Home: [y, 0], End: [y, rows[y].length - 1],
  };
  const goal = goals[event.key];
  if (!goal) return;
  event.preventDefault();
  rows[goal[0]]?.[goal[1]]?.focus();
}

/** @param {Element} parent @param {number} start @param {number} wanted @param {() => Element} make */
function fit(parent, start, wanted, make) {
  while (parent.children.length - start > wanted) parent.lastElementChild?.remove();
  while (parent.children.length - start < wanted) parent.append(make());
}

/** @param {string} className */
function button(className) { return element('button', className, '', { type: 'button' }); }
