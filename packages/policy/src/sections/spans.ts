import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import type { Item } from '../document/item.ts';
import { formatDuration, parseDuration } from '../duration.ts';
import type { Rule } from '../policy.ts';

/** A duration between two bounds, both allowed. */
export function readDuration(
  item: Item,
  what: string,
  bounds: { readonly minMs: number; readonly maxMs: number },
): number | undefined {
  const expected = `from ${formatDuration(bounds.minMs)} to ${formatDuration(bounds.maxMs)}, such as 15m, 24h or 7d`;
  const word = item.word(what, expected);
  if (word === undefined) return undefined;
  const ms = parseDuration(word);
  if (ms === undefined) return item.fail(`${what} is ${word}, which is no duration`, expected);
  return ms < bounds.minMs || ms > bounds.maxMs ? item.fail(`${what} is ${word}`, expected) : ms;
}

const cooldownBounds = { minMs: 1_000, maxMs: 90 * dayMs } as const;

/** `15m per session` */
export function readCooldown(item: Item): Rule['cooldown'] {
  const expected = '15m per session, or 24h per client';
  const word = item.word('the cooldown', expected);
  if (word === undefined) return undefined;
  const match = /^(\S+)\s+per\s+(session|client)$/.exec(word);
  const ms = parseDuration(match?.[1] ?? '');
  if (match === null || ms === undefined) return item.fail(`the cooldown is ${word}`, expected);
  if (ms < cooldownBounds.minMs || ms > cooldownBounds.maxMs)
    return item.fail(`the cooldown is ${word}`, 'from 1s to 90d');
  return { ms, per: match[2] === 'client' ? 'client' : 'session' };
}

const periodsMs: Readonly<Record<string, number>> = { minute: minuteMs, hour: hourMs, day: dayMs };
const countMax = 1_000_000;

/** `100 per hour` */
export function readMaxActions(item: Item): Rule['maxActions'] {
  const expected = '100 per hour (or minute, or day)';
  const word = item.word('maxActions', expected);
  if (word === undefined) return undefined;
  const match = /^(\d{1,7})\s+per\s+(minute|hour|day)$/.exec(word);
  const count = Number(match?.[1] ?? 0);
  const perMs = periodsMs[match?.[2] ?? ''];
  if (perMs === undefined || count < 1 || count > countMax) return item.fail(`maxActions is ${word}`, expected);
  return { count, perMs };
}
