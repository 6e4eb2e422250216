// A shift before the noise of harmless edits, drawn in the same way wherever one stands.

import { element, finder } from './dom.js';

/** The band with no shift in its middle, and the mark of a shift, which `placeMark` puts at its place. */
export function noiseStrip() {
  const strip = element('span', 'noise-strip', '', { 'aria-hidden': 'true' });
  strip.append(element('i', 'harmless'), element('i', 'zero'), element('i', 'mark'));
  return strip;
}

/**
 * @param {HTMLElement} strip
 * @param {number | null} place - from 0 to 1, null where the noise is unknown
 * @param {string} move
 */
export function placeMark(strip, place, move) {
  strip.hidden = place === null;
  strip.dataset.strip = move;
  if (place !== null) finder(strip)('.mark').style.left = `${100 * place}%`;
}
