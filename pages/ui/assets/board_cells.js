// The score of each sentence in the row of a metric, on the tint of its step.

/** @import { BoardPart, BoardRow } from './types.d.ts' */
import { all, element, finder, put } from './dom.js';

/** @param {HTMLTableRowElement} line @param {BoardRow} row @param {number} sentences */
export function drawHeat(line, row, sentences) {
  fit(line, line.cells.length - line.querySelectorAll('.cell').length, sentences, () => {
    const cell = element('td', 'cell');
    cell.append(plainButton('heat'));
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
  put(now, part.text || (part.missing ?? '·'));
  const kind = part.before ? 'before and after: ' : part.text ? 'score: ' : 'no score ';
  put($('.spoken'), `${row.title}, sentence ${i + 1}, ${kind}`);
}

/** @type {BoardPart} */
export const NO_PART = { text: '', step: null, before: '', before_step: null };

/** @param {number|null} step */
export const tint = step => step === null ? 'none' : `s${step}`;

/** @param {Element} parent @param {number} start @param {number} count @param {() => Element} make */
export function fit(parent, start, count, make) {
  while (parent.children.length - start > count) parent.lastElementChild?.remove();
  while (parent.children.length - start < count) parent.append(make());
}

/** @param {string} className */
export function plainButton(className) { return element('button', className, '', { type: 'button' }); }
