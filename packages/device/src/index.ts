export type { Profile, SignalName, SignalSwitches } from './catalogue.ts';
export { collect } from './collect.ts';
export type { CollectOptions, Keys } from './collect-options.ts';
export { forget } from './device/forget.ts';
export { fillField } from './fill-field.ts';
export type { PublicJwk, PublicJwkSet } from './token/recipient.ts';
export { version } from './version.ts';
