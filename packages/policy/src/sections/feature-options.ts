import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { Item } from '../document/item.ts';
import { formatDuration } from '../values/duration.ts';
import type { Feature, FeatureKind } from '../policy.ts';
import { featureDefinition, featureDefinitions, type FeatureOption } from './feature-kinds.ts';
import { readDuration } from './spans.ts';

export const optionBounds = {
  perMsMin: secondMs,
  halfLifeMsMin: hourMs,
  halfLifeMsMax: 90 * dayMs,
} as const;

/** The option of a kind, and what the feature leaves out. */
export type Options = KindOptions & Pick<Feature, 'excludesThis'>;

type KindOptions = Pick<Feature, 'atPermille' | 'perMs' | 'halfLifeMs' | 'afterMs'>;

const names: readonly FeatureOption[] = ['at', 'per', 'to', 'halfLife', 'after'];
const nothing: KindOptions = { atPermille: undefined, perMs: undefined, halfLifeMs: undefined, afterMs: undefined };

/** Reads the kind's own option, and `excluding`. `undefined` if one is missing or wrong; that was reported. */
export function readOptions(
  item: Item,
  fields: Partial<Record<FeatureOption | 'excluding', Item>>,
  { kind, overMs }: { readonly kind: FeatureKind | undefined; readonly overMs: number | undefined },
): Options | undefined {
  if (kind === undefined) return undefined;
  const excludesThis = fields.excluding === undefined ? false : readExcluding(fields.excluding, kind);
  const own = refuseOthers(fields, kind) ? readOwn(item, fields, { kind, overMs }) : undefined;
  return own === undefined || excludesThis === undefined ? undefined : { ...own, excludesThis };
}

/** `excluding: this` */
function readExcluding(item: Item, kind: FeatureKind): true | undefined {
  const expected = 'excluding: this, which leaves out the event on which the feature is read';
  const word = item.word('excluding', expected);
  if (word === undefined) return undefined;
  if (word !== 'this') return item.fail(`excluding is ${word}`, expected);
  if (featureDefinition(kind).excludesThis !== true) return true;
  return item.fail(`${kind} never counts the event on which it is read`, 'remove excluding');
}

function readOwn(
  item: Item,
  fields: Partial<Record<FeatureOption, Item>>,
  { kind, overMs }: { readonly kind: FeatureKind; readonly overMs: number | undefined },
): KindOptions | undefined {
  switch (featureDefinition(kind).option) {
    case 'at':
      return readAt(item, fields.at);
    case 'per':
      return readPer(item, fields.per, overMs);
    case 'after':
      return readAfter(item, fields.after, { kind, overMs });
    case 'halfLife':
      return readHalfLife(item, fields.halfLife);
    default:
      return kind === 'median' ? { ...nothing, atPermille: 500 } : nothing;
  }
}

/** Reports options that belong to other kinds. Returns whether there were none. */
export function refuseOthers(fields: Partial<Record<FeatureOption, Item>>, kind: FeatureKind): boolean {
  const { option } = featureDefinition(kind);
  const foreign = names.filter((name) => name !== option && fields[name] !== undefined);
  for (const name of foreign) {
    const owners = featureDefinitions.filter((definition) => definition.option === name).map((owner) => owner.kind);
    fields[name]?.fail(`${kind} has no ${name}`, `remove ${name}; it belongs to ${owners.join(', ')}`);
  }
  return foreign.length === 0;
}

function readAt(item: Item, at: Item | undefined): KindOptions | undefined {
  const expected = 'from 0.1 to 99.9, such as 95 or 99.5';
  if (at === undefined) return item.fail('percentile needs its percentage', 'at: 95');
  const word = at.word('at', expected);
  if (word === undefined) return undefined;
  const permille = /^\d{1,3}(\.\d)?$/.test(word) ? Math.round(Number(word) * 10) : 0;
  if (permille >= 1 && permille <= 999) return { ...nothing, atPermille: permille };
  const instead = word === '0' ? 'min' : word === '100' ? 'max' : undefined;
  return at.fail(`at is ${word}`, instead === undefined ? expected : `${expected}; use the kind ${instead}`);
}

function readPer(item: Item, per: Item | undefined, overMs: number | undefined): KindOptions | undefined {
  if (per === undefined) return item.fail('rate needs the span that it is per', 'per: 1h');
  if (overMs === undefined) return undefined;
  const perMs = readDuration(per, 'per', { minMs: optionBounds.perMsMin, maxMs: 90 * dayMs });
  if (perMs === undefined) return undefined;
  if (perMs <= overMs) return { ...nothing, perMs };
  return per.fail(
    `per is ${formatDuration(perMs)}, which is longer than the window`,
    `at most ${formatDuration(overMs)}`,
  );
}

function readAfter(
  item: Item,
  after: Item | undefined,
  { kind, overMs }: { readonly kind: FeatureKind; readonly overMs: number | undefined },
): KindOptions | undefined {
  if (after === undefined) return item.fail(`${kind} needs the age at which events count`, 'after: 2d');
  if (overMs === undefined) return undefined;
  const afterMs = readDuration(after, 'after', { minMs: minuteMs, maxMs: 90 * dayMs });
  if (afterMs === undefined) return undefined;
  if (afterMs < overMs) return { ...nothing, afterMs };
  return after.fail(
    `after is ${formatDuration(afterMs)}, which is not shorter than the window`,
    `less than ${formatDuration(overMs)}`,
  );
}

function readHalfLife(item: Item, halfLife: Item | undefined): KindOptions | undefined {
  if (halfLife === undefined) return item.fail('profile needs a half-life', 'halfLife: 30d');
  const halfLifeMs = readDuration(halfLife, 'halfLife', {
    minMs: optionBounds.halfLifeMsMin,
    maxMs: optionBounds.halfLifeMsMax,
  });
  return halfLifeMs === undefined ? undefined : { ...nothing, halfLifeMs };
}
