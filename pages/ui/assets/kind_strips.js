/** @import { KindStripsComponent } from './types.d.ts' */
import { element, finder } from './dom.js';
import { noiseStrip, placeMark } from './noise_strip.js';

/** @param {KindStripsComponent} component */
export default function ({ parentElement, data }) {
  finder(parentElement)('tbody').replaceChildren(...data.rows.map(({ title, place, edge, move }) => {
    const line = element('tr'), cell = element('td', 'strip'), strip = noiseStrip();
    placeMark(strip, place, move);
    cell.append(strip);
    line.append(element('th', '', title, { scope: 'row' }), cell, element('td', 'number', edge), element('td', '', move));
    return line;
  }));
}
