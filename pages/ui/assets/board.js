/** @import { Board, BoardComponent, BoardData } from './types.d.ts' */
import { drawFold, drawHead, drawRows } from './board_rows.js';
import { drawSummary, newDetail } from './board_summary.js';
import { all, finder, put } from './dom.js';
import { markTerm } from './terms.js';

/** @type {WeakMap<ShadowRoot, Board>} */
const boards = new WeakMap();

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
    sentence: data.sentence, inTable: false, unfolded: false, at: [0, 0], feed: null, fedText: '',
  };
  boards.set(root, board);
  for (const [column, term] of Object.entries(data.terms ?? {})) markTerm($('.root'), $(`thead .${column}`), term);
  board.table.addEventListener('click', event => press(board, pressedButton(event)));
  board.table.addEventListener('keydown', event => moveFocus(board, event));
  board.table.addEventListener('focusin', event => noteFocus(board, event.target));
  $('.sentences').addEventListener('click', event => press(board, pressedButton(event)));
  $('.unfold').addEventListener('click', () => { board.unfolded = !board.unfolded; drawFold(board); setTabStop(board); });
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
    if (!feed || feed.textContent === board.fedText) return;
    board.fedText = feed.textContent;
    const holder = feed.closest('[class*="st-key-"]');
    if (holder instanceof HTMLElement) holder.style.display = 'none';
    receive(board, JSON.parse(board.fedText));
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
function drawSelection(board) {
  const { $, metric, sentence } = board;
  for (const line of board.rows.values()) {
    const mine = line.dataset.spec === metric;
    line.classList.toggle('chosen', mine);
    finder(line)('.title').setAttribute('aria-pressed', String(mine));
    all(line, '.heat').forEach((heat, i) => { heat.setAttribute('aria-pressed', String(mine && i === sentence)); });
  }
  all($('.sentences'), 'button').forEach((line, i) => { line.setAttribute('aria-pressed', String(i === sentence)); });
  setTabStop(board);
}

/** @param {Event} event */
const pressedButton = ({ target }) => (target instanceof Element ? target.closest('button') : null);

/** @param {Board} board @param {HTMLButtonElement|null} target */
function press(board, target) {
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
  const bodies = [...board.table.tBodies].filter(body => !body.hidden).flatMap(body => [...body.rows]);
  return bodies.filter(line => line.dataset.spec).map(line => all(line, '.title, .heat'));
}

/** @param {Board} board */
function setTabStop(board) {
  const rows = grid(board);
  board.at = [Math.min(board.at[0], rows.length - 1), board.at[1]];
  rows.forEach((cells, y) => {
    cells.forEach((cell, x) => { cell.tabIndex = y === board.at[0] && x === Math.min(board.at[1], cells.length - 1) ? 0 : -1; });
  });
}

/** @param {Board} board @param {EventTarget|null} target */
function noteFocus(board, target) {
  if (!(target instanceof HTMLElement)) return;
  const rows = grid(board), y = rows.findIndex(cells => cells.includes(target));
  if (y < 0) return;
  board.at = [y, rows[y].indexOf(target)];
  setTabStop(board);
}

/** @param {Board} board @param {KeyboardEvent} event */
function moveFocus(board, event) {
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
