import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const names = ['doNotTrack', 'globalPrivacyControl'] as const;

export const about: About = {
  what: `The person's privacy preferences: those of ${names.join(' and ')} that are on.`,
  purpose: 'A setting that few change and most keep. Ringfence shares data with no one and tracks on one bank only.',
  stability: 'setting',
  schema: { type: 'array', items: { type: 'string', enum: names }, maxItems: 2 },
  source: 'https://w3c.github.io/gpc/',
};

export function privacySignals(): Signal<readonly string[]> {
  const member = navigator as unknown as Readonly<Record<string, unknown>>;
  return { value: names.filter((name) => member[name] === true || member[name] === '1') };
}
