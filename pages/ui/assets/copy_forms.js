/** @import { CopyFormsComponent } from './types.d.ts' */
import { element, finder } from './dom.js';
import { copyOnPress } from './clipboard.js';

/** @param {CopyFormsComponent} component */
export default function ({ parentElement, data }) {
  finder(parentElement)('dl.parts').replaceChildren(...data.parts.flatMap(({ title, forms }) => {
    const row = element('dd');
    row.append(...forms.map(form => {
      const button = element('button', 'copy', form.label, { type: 'button', 'aria-label': `${form.label}, ${title}` });
      copyOnPress(button, form);
      return button;
    }));
    return [element('dt', '', title), row];
  }));
}
