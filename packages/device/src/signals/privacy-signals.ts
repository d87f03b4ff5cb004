import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const names = ['doNotTrack', 'globalPrivacyControl'] as const;

export const about: About = {
  what: `What the person asked of sites: those that are on of ${names.join(' and ')}.`,
  purpose: 'A setting that few change and most keep. Ringfence tells nobody else; it tracks on one bank only.',
  stability: 'setting',
  schema: { type: 'array', items: { type: 'string', enum: names }, maxItems: 2 },
  source: 'https://w3c.github.io/gpc/',
};

export function privacySignals(): Signal<readonly string[]> {
  const member = navigator as unknown as Readonly<Record<string, unknown>>;
  return { value: names.filter((name) => member[name] === true || member[name] === '1') };
}
