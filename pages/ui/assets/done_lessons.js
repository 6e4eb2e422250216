/** @import { DoneLessonsComponent } from './types.d.ts' */
import { doneLessons } from './tour_memory.js';

/** @param {DoneLessonsComponent} component */
export default function ({ data, setStateValue }) {
  const done = doneLessons();
  if (done.join() !== data.done.join()) setStateValue('done', done);
}
