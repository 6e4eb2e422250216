/** @import { Palette, PalettePlace } from './types.d.ts' */
import { all, element, finder, put } from './dom.js';

/** @type {WeakMap<ShadowRoot, Palette>} */
const palettes = new WeakMap();

const MOST_LISTED = 40;
const EVERYWHERE = [['Ctrl K', 'Search pages, actions, metrics, your work, terms and documents'], ['?', 'Show these keys']];

/** @param {Palette['component']} component */
export default function (component) {
  const root = component.parentElement;
  const palette = palettes.get(root) ?? open(root, component);
  palette.component = component;
  const { data } = component;
  if (data.whole || !palette.places.length) {
    Object.assign(palette, { whole: data.whole, places: data.places });
    list(palette);
  }
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => {
    if (root.host.isConnected) return;
    removeEventListener('keydown', palette.keys, true);
    palettes.delete(root);
  };
}

/** @param {ShadowRoot} root @param {Palette['component']} component */
function open(root, component) {
  const $ = finder(root);
  /** @type {Palette} */
  const palette = { $, component, whole: false, places: [], listed: [], at: 0, keys: event => hearKey(palette, event) };
  palettes.set(root, palette);
  addEventListener('keydown', palette.keys, true);
  $('.open').addEventListener('click', () => search(palette));
  $('.close').addEventListener('click', () => dialog(palette, '.help').close());
  $('.words').addEventListener('input', () => { palette.at = 0; list(palette); });
  $('.words').addEventListener('keydown', event => moveMark(palette, event));
  for (const name of ['.search', '.help']) {
    $(name).addEventListener('click', event => { if (event.target === $(name)) dialog(palette, name).close(); });
  }
  $('.places').addEventListener('click', event => {
    const row = event.target instanceof Element && event.target.closest('.place');
    if (row instanceof HTMLElement) go(palette, palette.listed[Number(row.dataset.at)]);
  });
  return palette;
}

/** @param {Palette} palette @param {string} name */
const dialog = (palette, name) => /** @type {HTMLDialogElement} */ (palette.$(name));

/** @param {Palette} palette */
const wordsInput = palette => /** @type {HTMLInputElement} */ (palette.$('.words'));

/** @param {Palette} palette @param {KeyboardEvent} event */
function hearKey(palette, event) {
  if (event.isComposing || event.altKey) return;
  const typing = event.composedPath().some(node => node instanceof Element && node.matches('input, textarea, select, [contenteditable=true]'));
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k') search(palette);
  else if (event.key === '?' && !typing && !event.ctrlKey && !event.metaKey && !dialog(palette, '.search').open) help(palette);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** @param {Palette} palette */
function search(palette) {
  const searchDialog = dialog(palette, '.search');
  if (searchDialog.open) { searchDialog.close(); return; }
  dialog(palette, '.help').close();
  wordsInput(palette).value = '';
  palette.at = 0;
  list(palette);
  searchDialog.showModal();
  wordsInput(palette).focus();
  palette.component.setTriggerValue('open', Date.now());
}

/** @param {PalettePlace} place */
const searchText = place => [place.kind, place.title, ...Object.values(place.view ? place.query : {})].join(' ').toLowerCase();

/** @param {Palette} palette */
function list(palette) {
  const { $, places } = palette;
  const searchWords = wordsInput(palette).value.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = places.filter(place => searchWords.every(word => searchText(place).includes(word)));
  // with no word yet the pages come first
  if (!searchWords.length) matching.sort((a, b) => Number(b.kind === 'page') - Number(a.kind === 'page'));
  palette.listed = matching.slice(0, MOST_LISTED);
  if (searchWords.length) {
    const words = wordsInput(palette).value.trim();
    const href = `${palette.component.data.docs}?q=${encodeURIComponent(words)}`;
    palette.listed.push({ kind: 'document', title: `Search the documentation for “${words}”`, view: '', query: { href } });
  }
  $('.places').replaceChildren(...palette.listed.map((place, at) => {
    const row = element('div', 'place', '', { role: 'option', id: `palette-${at}`, 'data-at': at, 'aria-selected': 'false' });
    row.append(element('span', 'name', place.title), element('span', 'kind', place.kind));
    return row;
  }));
  const more = matching.length - MOST_LISTED;
  put($('.none'), !palette.whole ? 'Loading examples, metrics and your own work …' : more > 0 ? `${more} more: add a word.`
    : matching.length ? '' : 'Nothing has these words in its name.');
  mark(palette);
}

/** @param {Palette} palette */
function mark(palette) {
  all(palette.$('.places'), '.place').forEach((row, at) => {
    row.setAttribute('aria-selected', String(at === palette.at));
    if (at === palette.at) row.scrollIntoView({ block: 'nearest' });
  });
  wordsInput(palette).setAttribute('aria-activedescendant', palette.listed.length ? `palette-${palette.at}` : '');
}

/** @param {Palette} palette @param {KeyboardEvent} event */
function moveMark(palette, event) {
  const count = palette.listed.length, by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (event.key === 'Enter' && count) go(palette, palette.listed[palette.at]);
  else if (by && count) { palette.at = (palette.at + by + count) % count; mark(palette); }
  else return;
  event.preventDefault();
}

/** @param {Palette} palette @param {PalettePlace} place */
function go(palette, place) {
  dialog(palette, '.search').close();
  if (place.view) palette.component.setTriggerValue('place', place);
  else window.open(place.query.href, '_blank', 'noopener');
}

/**
 * The keys of the buttons that are there, by the hints that they carry, and those of every page.
 * @param {Palette} palette
 */
function help(palette) {
  const { $ } = palette, helpDialog = dialog(palette, '.help');
  if (helpDialog.open) { helpDialog.close(); return; }
  const hints = [...document.querySelectorAll('button [aria-label^="Shortcut "]')].map(hint => {
    const button = /** @type {HTMLElement} */ (hint.closest('button'));
    const name = button.querySelector('[data-testid=stMarkdownContainer]')?.textContent ?? button.textContent ?? '';
    return [(hint.getAttribute('aria-label') ?? '').replace('Shortcut ', ''), name];
  });
  const keys = new Map(/** @type {[string, string][]} */ ([...EVERYWHERE, ...hints])); // a button may carry its hint twice
  $('.keys').replaceChildren(...[...keys].flatMap(([key, does]) => [element('dt', '', key), element('dd', '', does)]));
  helpDialog.showModal();
}
