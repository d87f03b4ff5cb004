import { capCountMax } from './cap-count.ts';
import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import type { Item } from '../document/item.ts';
import { durationMeant, formatDuration, parseDuration } from '../values/duration.ts';
import { nearest } from '../check/nearest.ts';
import { type ActionCap, type Rule, shareWhole } from '../policy.ts';

/** A duration between two inclusive bounds; or a parameter that is one. */
export function readDuration(
  item: Item,
  what: string,
  bounds: { readonly minMs: number; readonly maxMs: number },
): number | undefined {
  // An example must be within the bounds itself.
  const examples = bounds.minMs > 15 * minuteMs ? '24h or 7d' : '15m, 24h or 7d';
  const expected = `from ${formatDuration(bounds.minMs)} to ${formatDuration(bounds.maxMs)}, such as ${examples}`;
  const word = item.word(what, expected);
  if (word === undefined) return undefined;
  const span = spanOf(item, word);
  if (span === 'reported') return undefined;
  if (span === undefined)
    return item.fail(`${what} is ${word}, which is not a duration`, durationMeant(word) ?? expected);
  return span < bounds.minMs || span > bounds.maxMs ? item.fail(`${what} is ${told(word, span)}`, expected) : span;
}

/** The span of a word, or of the parameter that it names, whose current value replaces the name. */
function spanOf(item: Item, word: string): number | 'reported' | undefined {
  const name = /^params\.(.+)$/.exec(word)?.[1];
  if (name === undefined) return parseDuration(word);
  const span = item.params.duration(name);
  if (typeof span === 'number') return span;
  if (span === 'broken') return 'reported';
  const meant = nearest(name, item.params.names());
  if (item.params.has(name)) item.fail(`params.${name} is not a duration`, 'a parameter with type: duration');
  else
    item.fail(
      `there is no parameter params.${name}`,
      meant === undefined ? 'one that is declared under params:' : `params.${meant}`,
    );
  return 'reported';
}

/** `params.habit, which is 200d`: the name alone does not show what is wrong. */
function told(word: string, ms: number): string {
  return word.startsWith('params.') ? `${word}, which is ${formatDuration(ms)}` : word;
}

const cooldownBounds = { minMs: 1_000, maxMs: 90 * dayMs } as const;

/** `15m per session` */
export function readCooldown(item: Item): Rule['cooldown'] {
  const expected = '15m per session, or 24h per client';
  const word = item.word('the cooldown', expected);
  if (word === undefined) return undefined;
  const match = /^(\S+)\s+per\s+(session|client)$/.exec(word);
  const ms = spanOf(item, match?.[1] ?? '');
  if (ms === 'reported') return undefined;
  if (match === null || ms === undefined) return item.fail(`the cooldown is ${word}`, expected);
  if (ms < cooldownBounds.minMs || ms > cooldownBounds.maxMs)
    return item.fail(`the cooldown is ${told(word, ms)}`, 'from 1s to 90d');
  return { ms, per: match[2] === 'client' ? 'client' : 'session' };
}

/** The text that `readCooldown` reads: `15m per session`. */
export function printCooldown(cooldown: Rule['cooldown']): string | undefined {
  return cooldown && `${formatDuration(cooldown.ms)} per ${cooldown.per}`;
}

const periodsMs: Readonly<Record<string, number>> = { minute: minuteMs, hour: hourMs, day: dayMs };
const countMax = 1_000_000;
/** Stored with each client, 8 bytes apiece: a larger cap would not limit anything. */
const countMaxPerClient = 100;

const capsMax = 2;

/** `100 per hour`, `3 per day per client`, or a list of one of each. */
export function readMaxActions(item: Item): Pick<Rule, 'maxActions' | 'maxActionsPerClient'> | undefined {
  const items = item.isList ? item.list('maxActions', capsMax) : [item];
  const caps = items?.map(readCap).filter((cap) => cap !== undefined);
  if (items === undefined || caps === undefined || caps.length < items.length) return undefined;
  const [ofRule, ...others] = caps.filter(({ isPerClient }) => !isPerClient);
  const [ofClient, ...more] = caps.filter(({ isPerClient }) => isPerClient);
  if (others.length + more.length > 0)
    return item.fail('maxActions has two caps of the same kind', '[100 per hour, 3 per day per client]');
  return { maxActions: ofRule?.cap, maxActionsPerClient: ofClient?.cap };
}

function readCap(item: Item): { readonly cap: ActionCap; readonly isPerClient: boolean } | undefined {
  const expected = '100 per hour (or minute, or day), or 3 per day per client';
  const word = item.word('maxActions', expected);
  if (word === undefined) return undefined;
  const match = /^(\d{1,7})\s+per\s+(minute|hour|day)(\s+per\s+client)?$/.exec(word);
  const count = Number(match?.[1] ?? 0);
  const perMs = periodsMs[match?.[2] ?? ''];
  const isPerClient = match?.[3] !== undefined;
  if (perMs === undefined || count < 1) return item.fail(`maxActions is ${word}`, expected);
  const max = isPerClient ? countMaxPerClient : countMax;
  if (count > max) return item.fail(`maxActions is ${word}`, `at most ${max}`);
  if (count > capCountMax)
    item.warn(`maxActions of ${count} has the same effect as ${capCountMax}`, `at most ${capCountMax}`);
  return { cap: { count, perMs }, isPerClient };
}

/** `100 per hour`; for a cap per client, the part before `per client`. */
export function printCap(cap: ActionCap | undefined): string | undefined {
  if (cap === undefined) return undefined;
  const period = Object.keys(periodsMs).find((name) => periodsMs[name] === cap.perMs)!;
  return `${cap.count} per ${period}`;
}

/** `10%`, `0.5%`: in parts of `shareWhole`. */
export function readShare(item: Item, of: 'clients' | 'events'): number | undefined {
  const expected = `a percentage of ${of} from 0.01% to 100%, such as 10%`;
  const word = item.word('share', expected);
  if (word === undefined) return undefined;
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?\s*%$/.exec(word);
  const parts = Number(match?.[1] ?? 0) * 100 + Number((match?.[2] ?? '').padEnd(2, '0'));
  return match === null || parts < 1 || parts > shareWhole ? item.fail(`share is ${word}`, expected) : parts;
}

/** The text that `readShare` reads. */
export function printShare(share: number): string {
  return `${(share * 100) / shareWhole}%`;
}
