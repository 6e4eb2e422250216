// The summary sentence by sentence on the tints of the chosen metric, and what a click on a cell is answered with.

/** @import { Board, BoardPart, BoardRow, BoardWord } from './types.d.ts' */
import { fit, NO_PART, plainButton, tint } from './board_cells.js';
import { FIRST_SENTENCE } from './board_rows.js';
import { all, element, finder, put } from './dom.js';

/** @param {Board} board */
export function drawSummary(board) {
  const { $, data, metric } = board, row = data.rows.find(row => row.spec === metric);
  $('.summary').hidden = !data.rows.length;
  put($('.whose'), row ? row.title : 'Summary');
  put($('.hint'), row ? `sentence by sentence (${row.hint})` : 'sentence by sentence: choose a metric above to tint them');
  const list = $('.sentences');
  fit(list, 0, data.sentences.length, () => { const item = element('li'); item.append(plainButton('sentence')); return item; });
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
  put(score, scoreText(part));
  const words = !board.inTable && i === board.sentence ? evidenceQuote(board) : '';
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
  const content = JSON.stringify([text, words]);
  if (drawnWords.get(line) === content) return;
  drawnWords.set(line, content);
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
const scoreText = part => part.before ? `${part.before} → ${part.text || (part.missing ?? '')}` : part.text || (part.missing ?? '');

/** @param {Board} board */
const evidenceQuote = ({ data, metric, sentence }) => (sentence !== null && data.metric === metric ? data.quotes[sentence] ?? '' : '');

/**
 * What a click on a cell is answered with, right below it: the sentence, its scores and the quote that they rest on.
 * @param {Board} board
 * @param {BoardRow|undefined} row
 */
function drawDetail(board, row) {
  const { data, sentence, detail } = board, line = board.rows.get(board.metric);
  const words = sentence === null ? undefined : data.sentences[sentence];
  if (!board.inTable || !line || !row || sentence === null || words === undefined) { detail.remove(); return; }
  const $ = finder(detail), quote = evidenceQuote(board);
  $('td').colSpan = FIRST_SENTENCE + data.sentences.length;
  put($('.place'), String(sentence + 1));
  put($('.score'), scoreText(row.parts[sentence] ?? NO_PART));
  put($('.words'), words);
  $('.quote').hidden = !quote;
  put($('.quote'), quote);
  $('.unquoted').hidden = Boolean(quote) || data.metric !== board.metric || row.pending;
  put($('.unquoted'), `${row.title} names no evidence of this sentence.`);
  if (line.nextSibling !== detail) line.after(detail);
}

export function newDetail() {
  const line = element('tr', 'detail'), cell = element('td'), evidence = element('div', 'found-evidence', '', { role: 'status' });
  const head = element('div', 'head');
  head.append(element('span', 'place'), element('span', 'score'), element('span', 'words'));
  evidence.append(head, element('q', 'quote'), element('span', 'unquoted'));
  cell.append(evidence);
  line.append(cell);
  return line;
}
