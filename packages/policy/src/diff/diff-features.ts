import { formatDuration } from '../values/duration.ts';
import { fieldChanges } from './field-changes.ts';
import type { Feature } from '../policy.ts';

/** How a feature of the same name changed. If its stored state differs, it starts without history. */
export function featureChanges(a: Feature, b: Feature): readonly string[] {
  const changes = fieldChanges([
    ['kind', a.kind, b.kind],
    ['about', a.of, b.of],
    ['by', a.by.join(', '), b.by.join(', ')],
    ['window', span(a.overMs), span(b.overMs)],
    ['where', a.whereText, b.whereText],
    ['events', [...a.on].join(', '), [...b.on].join(', ')],
    ['at', permille(a), permille(b)],
    ['per', span(a.perMs), span(b.perMs)],
    ['half-life', span(a.halfLifeMs), span(b.halfLifeMs)],
    ['after', span(a.afterMs), span(b.afterMs)],
  ]);
  return a.fingerprint === b.fingerprint ? changes : [...changes, 'starts again without history'];
}

function span(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatDuration(ms);
}

function permille({ atPermille }: Feature): number | undefined {
  return atPermille === undefined ? undefined : atPermille / 10;
}
