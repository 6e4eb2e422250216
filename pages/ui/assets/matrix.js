const tables = new WeakMap();
const NEXT_ORDER = { none: 'descending', descending: 'ascending', ascending: 'none' };

export default function (component) {
  const root = component.parentElement;
  const matrix = tables.get(root) ?? open(root);
  matrix.component = component;
  matrix.data = component.data;
  draw(matrix);
  return () => { if (!root.host.isConnected) tables.delete(root); };
}

function open(root) {
  const matrix = { table: root.querySelector('table'), kind: null, order: 'none', at: [0, 0] };
  tables.set(root, matrix);
  matrix.table.addEventListener('click', event => clicked(matrix, event.target.closest('button')));
  matrix.table.addEventListener('keydown', event => moved(matrix, event));
  return matrix;
}

function draw(matrix) {
  const { table, data } = matrix;
  const focused = matrix.table.getRootNode().activeElement?.getAttribute('aria-label');
  const [blocks, kinds] = table.tHead.rows;
  blocks.replaceChildren(corner(), ...data.blocks.map(block => head(block.title, { colSpan: block.kinds.length, className: 'begins' })));
  kinds.replaceChildren(corner(), ...data.blocks.flatMap(block => block.kinds.map((kind, i) => kindHead(matrix, kind, i === 0))));
  table.tBodies[0].replaceChildren(...sorted(matrix).map(row => line(matrix, row)));
  for (const button of table.tBodies[0].querySelectorAll('button')) if (button.getAttribute('aria-label') === focused) button.focus();
  rove(matrix);
}

function corner() { return element('th', 'corner', {}); }

function head(text, { colSpan, className }) {
  const cell = element('th', className, { colSpan, scope: 'colgroup' });
  cell.textContent = text;
  return cell;
}

function kindHead(matrix, kind, begins) {
  const cell = element('th', begins ? 'begins' : '', { scope: 'col' });
  if (kind.spec === matrix.kind) cell.setAttribute('aria-sort', matrix.order);
  const press = element('button', '', { type: 'button', title: `${kind.title}: sort the metrics by it` });
  press.dataset.sort = kind.spec;
  press.textContent = kind.title;
  cell.append(press);
  return cell;
}

function sorted({ data, kind, order }) {
  if (!kind || order === 'none') return data.rows;
  const place = data.blocks.flatMap(block => block.kinds).findIndex(one => one.spec === kind);
  const value = row => row.cells[place]?.value ?? null;
  const known = data.rows.filter(row => value(row) !== null), rest = data.rows.filter(row => value(row) === null);
  known.sort((one, other) => (order === 'descending' ? value(other) - value(one) : value(one) - value(other)));
  return [...known, ...rest];
}

function line(matrix, row) {
  const made = element('tr', '', {});
  const metric = element('th', 'metric', { scope: 'row' });
  const title = element('b', '', {}), verdict = element('small', '', {});
  title.textContent = row.title;
  verdict.textContent = row.verdict;
  metric.append(title, verdict);
  const starts = new Set(matrix.data.blocks.map((_, i, all) => all.slice(0, i).reduce((sum, block) => sum + block.kinds.length, 0)));
  made.append(metric, ...row.cells.map((cell, i) => {
    const place = element('td', starts.has(i) ? 'begins' : '', {});
    if (cell) place.append(cellButton(matrix, row, cell));
    return place;
  }));
  return made;
}

function cellButton({ data }, row, cell) {
  const press = element('button', 'cell', { type: 'button', title: cell.about });
  press.dataset.metric = row.metric;
  press.dataset.kind = cell.kind;
  press.dataset.move = cell.move;
  press.toggleAttribute('data-few', cell.few);
  press.setAttribute('aria-label', `${row.title}, ${cell.title}: ${cell.text}, ${cell.move}, n = ${cell.n}`);
  press.setAttribute('aria-pressed', String(data.selected?.metric === row.metric && data.selected?.kind === cell.kind));
  const n = element('small', '', {});
  n.textContent = `n ${cell.n}`;
  press.append(cell.text, n);
  return press;
}

function clicked(matrix, target) {
  if (!target) return;
  if (target.dataset.sort) {
    const again = matrix.kind === target.dataset.sort;
    matrix.order = again ? NEXT_ORDER[matrix.order] : 'descending';
    matrix.kind = target.dataset.sort;
    draw(matrix);
    return;
  }
  const { metric, kind } = target.dataset;
  matrix.data = { ...matrix.data, selected: { metric, kind } };
  for (const other of matrix.table.querySelectorAll('.cell')) other.setAttribute('aria-pressed', String(other === target));
  matrix.component.setStateValue('selected', { metric, kind });
}

// One tab stop for all cells; the arrow keys move among them.
function grid({ table }) { return [...table.tBodies[0].rows].map(row => [...row.querySelectorAll('.cell')]); }

function rove(matrix) {
  const rows = grid(matrix);
  rows.flat().forEach(cell => { cell.tabIndex = -1; });
  const cell = rows[matrix.at[0]]?.[matrix.at[1]] ?? rows.flat()[0];
  if (cell) cell.tabIndex = 0;
}

function moved(matrix, event) {
  const rows = grid(matrix), y = rows.findIndex(cells => cells.includes(event.target));
  if (y < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  const x = rows[y].indexOf(event.target);
  const goal = { ArrowUp: [y - 1, x], ArrowDown: [y + 1, x], ArrowLeft: [y, x - 1], ArrowRight: [y, x + 1], Home: [y, 0], End: [y, rows[y].length - 1] }[event.key];
  if (!goal || !rows[goal[0]]?.[goal[1]]) return;
  event.preventDefault();
  matrix.at = goal;
  rove(matrix);
  rows[goal[0]][goal[1]].focus();
}

function element(name, className, attributes) {
  const node = document.createElement(name);
  node.className = className;
  for (const [key, value] of Object.entries(attributes)) node[key] = value;
  return node;
}
