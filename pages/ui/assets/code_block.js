/** @import { CodeBlockComponent } from './types.d.ts' */
import { element, finder, put } from './dom.js';
import { copyOnPress } from './clipboard.js';

/** @param {CodeBlockComponent} component */
export default function ({ parentElement, data }) {
  const find = finder(parentElement), button = element('button', 'copy', 'Copy', { type: 'button' });
  put(find('pre.code'), data.text);
  copyOnPress(button, { label: 'Copy', kind: 'text', content: data.text });
  find('button.copy').replaceWith(button);
}
