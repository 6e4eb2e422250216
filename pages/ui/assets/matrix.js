/** @import { Matrix, MatrixBlock, MatrixCell, MatrixComponent, MatrixKind, MatrixRow } from './types.d.ts' */
import { all, element, finder } from './dom.js';
import { noiseStrip, placeMark } from './noise_strip.js';
import { markTerm } from './terms.js';

/** @type {WeakMap<ShadowRoot, Matrix>} */
const tables = new WeakMap();

/** @type {Record<Matrix['order'], Matrix['order']>} */
const NEXT_ORDER = { none: 'descending', descending: 'ascending', ascending: 'none' };

/** @param {MatrixComponent} component */
export default function (component) {
  const root = component.parentElement;
  const matrix = tables.get(root) ?? open(root, component);
  matrix.component = component;
  matrix.data = component.data;
  draw(matrix);
  return () => { if (!root.host.isConnected) tables.delete(root); };
}

/** @param {ShadowRoot} root @param {MatrixComponent} component */
function open(root, component) {
  /** @type {Matrix} */
  const matrix = { component, data: component.data, table: finder(root)('table'), kind: null, order: 'none', at: [0, 0] };
  tables.set(root, matrix);
  matrix.table.addEventListener('click', ({ target }) => press(matrix, target instanceof Element ? target.closest('button') : null));
  matrix.table.addEventListener('keydown', event => moveFocus(matrix, event));
  return matrix;
}

/** @param {Matrix} matrix */
function draw(matrix) {
  const { component, table, data } = matrix, $ = finder(table), blocks = $('.blocks'), kinds = $('.kinds'), rows = $('tbody');
  const focused = component.parentElement.activeElement?.getAttribute('aria-label');
  blocks.replaceChildren(corner(), ...data.blocks.map(block => blockHead(matrix, block)));
  kinds.replaceChildren(corner(), ...data.blocks.flatMap(block => block.kinds.map((kind, i) => kindHead(matrix, kind, i === 0))));
  rows.replaceChildren(...sortedRows(matrix).map(row => metricRow(matrix, row)));
  for (const button of all(rows, 'button')) if (button.getAttribute('aria-label') === focused) button.focus();
  setTabStop(matrix);
}

/** @param {Matrix} matrix @param {MatrixBlock} block */
function blockHead({ component }, block) {
  const head = element('th', 'begins', block.title, { colspan: block.kinds.length, scope: 'colgroup' });
  markTerm(finder(component.parentElement)('.root'), head, block.term);
  return head;
}

function corner() { return element('th', 'corner'); }

/** @param {Matrix} matrix @param {MatrixKind} kind @param {boolean} begins */
function kindHead(matrix, kind, begins) {
  const cell = element('th', begins ? 'begins' : '', '', { scope: 'col' });
  if (kind.spec === matrix.kind) cell.setAttribute('aria-sort', matrix.order);
  const press = element('button', '', kind.title, { type: 'button', title: `${kind.title}: ${kind.does} Press to sort the metrics by it.` });
  press.dataset.sort = kind.spec;
  cell.append(press);
  return cell;
}

/** @param {Matrix} matrix */
function sortedRows({ data, kind, order }) {
  if (!kind || order === 'none') return data.rows;
  const column = data.blocks.flatMap(block => block.kinds).findIndex(({ spec }) => spec === kind);
  const values = data.rows.map(row => ({ row, value: row.cells[column]?.value ?? null }));
  const scored = values.flatMap(({ row, value }) => (value === null ? [] : [{ row, value }]));
  scored.sort((a, b) => (order === 'descending' ? b.value - a.value : a.value - b.value));
  return [...scored, ...values.filter(({ value }) => value === null)].map(({ row }) => row);
}

/** @param {Matrix} matrix @param {MatrixRow} row */
function metricRow(matrix, row) {
  const tableRow = element('tr');
  const metric = element('th', 'metric', '', { scope: 'row' });
  metric.append(element('b', '', row.title), element('small', '', row.verdict));
  const starts = new Set(matrix.data.blocks.map((_, i, all) => all.slice(0, i).reduce((sum, block) => sum + block.kinds.length, 0)));
  tableRow.append(metric, ...row.cells.map((cell, i) => {
    const place = element('td', starts.has(i) ? 'begins' : '');
    if (cell) place.append(cellButton(matrix, row, cell));
    return place;
  }));
  return tableRow;
}

/** @param {Matrix} matrix @param {MatrixRow} row @param {MatrixCell} cell */
function cellButton({ data }, row, cell) {
  const press = element('button', 'cell', '', { type: 'button', title: cell.about });
  press.dataset.metric = row.metric;
  press.dataset.kind = cell.kind;
  press.dataset.intent = cell.intent;
  press.dataset.move = cell.move;
  press.toggleAttribute('data-few', cell.few);
  press.setAttribute('aria-label', `${row.title}, ${cell.title}: ${cell.text}, ${cell.move}, n = ${cell.n}`);
  press.setAttribute('aria-pressed', String(data.selected?.metric === row.metric && data.selected?.kind === cell.kind));
  press.append(cell.text, element('small', '', `n ${cell.n}`));
  if (cell.place !== null) {
    const strip = noiseStrip();
    placeMark(strip, cell.place, cell.move);
    press.append(strip);
  }
  return press;
}

/** @param {Matrix} matrix @param {HTMLButtonElement|null} target */
function press(matrix, target) {
  if (!target) return;
  if (target.dataset.sort) {
    const again = matrix.kind === target.dataset.sort;
    matrix.order = again ? NEXT_ORDER[matrix.order] : 'descending';
    matrix.kind = target.dataset.sort;
    draw(matrix);
    return;
  }
  const { metric = '', kind = '' } = target.dataset;
  matrix.data = { ...matrix.data, selected: { metric, kind } };
  for (const other of all(matrix.table, '.cell')) other.setAttribute('aria-pressed', String(other === target));
  matrix.component.setStateValue('selected', { metric, kind });
}

/**
 * One tab stop for all cells; the arrow keys move among them.
 * @param {Matrix} matrix
 */
function grid({ table }) { return all(table, 'tbody tr').map(row => all(row, '.cell')); }

/** @param {Matrix} matrix */
function setTabStop(matrix) {
  const rows = grid(matrix);
  rows.flat().forEach(cell => { cell.tabIndex = -1; });
  const cell = rows[matrix.at[0]]?.[matrix.at[1]] ?? rows.flat()[0];
  if (cell) cell.tabIndex = 0;
}

/** @param {Matrix} matrix @param {KeyboardEvent} event */
function moveFocus(matrix, event) {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return;
  const rows = grid(matrix), y = rows.findIndex(cells => cells.includes(target));
  if (y < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  const x = rows[y].indexOf(target);
  /** @type {Record<string, [number, number]>} */
  const goals = { ArrowUp: [y - 1, x], ArrowDown: [y + 1, x], ArrowLeft: [y, x - 1], ArrowRight: [y, x + 1], Home: [y, 0], End: [y, rows[y].length - 1] };
  const goal = goals[event.key];
  if (!goal || !rows[goal[0]]?.[goal[1]]) return;
  event.preventDefault();
  matrix.at = goal;
  setTabStop(matrix);
  rows[goal[0]][goal[1]].focus();
}
