// The table of the board: its head, and a row for each metric, which keeps its place while scores arrive.

/** @import { Board, BoardRow, Find } from './types.d.ts' */
import { drawHeat, fit, plainButton } from './board_cells.js';
import { element, finder, put } from './dom.js';
import { noiseStrip, placeMark } from './noise_strip.js';

const ICONS = { ready: '✓', waiting: '◷', queued: '', loading: '', running: '', failed: '✕', 'needs download': '↓', 'needs endpoint': '!' };
const ACTIONS = { '': '', download: 'Download', load: 'Load', retry: 'Retry' };
const COLUMNS = ['before', 'after', 'shift', 'noise', 'range'];
export const FIRST_SENTENCE = COLUMNS.length + 2; // where the sentences begin

/** @param {Board} board */
export function drawHead({ table, data }) {
  const head = finder(table)('thead tr');
  fit(head, FIRST_SENTENCE, data.sentences.length, () => element('th', 'cell', '', { scope: 'col' }));
  data.sentences.forEach((sentence, i) => {
    put(head.cells[FIRST_SENTENCE + i], String(i + 1));
    head.cells[FIRST_SENTENCE + i].title = sentence;
    head.cells[FIRST_SENTENCE + i].setAttribute('aria-label', `Sentence ${i + 1}: ${sentence}`);
  });
}

/** @param {Board} board */
export function drawRows(board) {
  const { rows, sentences } = board.data, specs = new Set(rows.map(row => row.spec)), focused = board.root.activeElement;
  for (const [spec, line] of board.rows) if (!specs.has(spec)) { line.remove(); board.rows.delete(spec); }
  placeRows(board, board.$('tbody.metrics'), rows.filter(row => !row.surface));
  placeRows(board, board.$('tbody.surface'), rows.filter(row => row.surface));
  rows.forEach(row => { drawRow(lineOf(board, row.spec), row, sentences.length); });
  // a row that goes to another place loses the focus
  if (focused instanceof HTMLElement && focused.isConnected && board.root.activeElement !== focused) focused.focus({ preventScroll: true });
}

/** @param {Board} board @param {HTMLTableSectionElement} body @param {BoardRow[]} rows */
function placeRows(board, body, rows) {
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
export function drawFold(board) {
  const { $, data } = board, surface = data.rows.filter(row => row.surface);
  const alone = surface.length === data.rows.length, open = alone || board.unfolded;
  $('.fold').hidden = alone || !surface.length;
  $('.fold td').colSpan = FIRST_SENTENCE + data.sentences.length;
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
  metric.append(plainButton('title'), element('span', 'family'), element('span', 'unverified'));
  const state = element('td', 'state');
  state.append(element('span', 'icon', '', { 'aria-hidden': 'true' }), element('span', 'word'), element('span', 'small'));
  const message = element('td', 'message', '', { colspan: COLUMNS.length });
  message.append(element('span', 'reason'), plainButton('act'));
  line.append(metric, state, ...COLUMNS.map(newNumber), message);
  board.rows.set(spec, line);
  line.dataset.spec = spec;
  return line;
}

/** @param {string} name */
function newNumber(name) {
  const cell = element('td', name);
  if (name === 'range') cell.append(rangeTrack(), element('span', 'dash'), element('span', 'small'));
  else if (name === 'noise') cell.append(element('span', 'value'), noiseStrip());
  else cell.append(element('span', 'value'), element('span', 'small'));
  return cell;
}

function rangeTrack() {
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
