/** Entry point of the file for pages without modules: `ringfence.collect(…)`. */
export { collect } from './collect.ts';
export { forget } from './device/forget.ts';
export { fillField } from './fill-field.ts';
export { version } from './version.ts';
