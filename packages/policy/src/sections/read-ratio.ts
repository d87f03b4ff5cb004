import type { Entry, Item } from '../document/item.ts';
import { nearest } from '../check/nearest.ts';
import type { FactType } from '../facts/fact-value.ts';
import type { RatioPart } from '../policy.ts';
import type { SlotTable } from '../facts/slots.ts';
import { refuseOthers } from './feature-options.ts';
import type { FeatureFields, ReadFeature } from './feature-shape.ts';
import { commonKinds } from './kinds.ts';

/** One of the two features of a ratio. */
const divisible: ReadonlySet<FactType> = new Set(['int', 'double', 'decimal', 'duration']);

interface Known {
  readonly features: ReadonlyMap<string, ReadFeature>;
  readonly isRatio: (name: string) => boolean;
  readonly slots: SlotTable;
  /** Its mistakes were reported at its declaration. */
  readonly isBroken: (name: string) => boolean;
}

/** `{ ratio: clientAmount1h, to: clientAmount30d }` */
export function readRatio(
  { key, keyItem, value }: Entry,
  fields: FeatureFields,
  known: Known,
): ReadFeature | undefined {
  const foreign = (['by', 'over', 'where', 'on', 'excluding'] as const).filter((name) => fields[name] !== undefined);
  for (const name of foreign) fields[name]?.fail(`ratio has no ${name}`, `remove ${name}: its features define it`);
  const isPlain = refuseOthers(fields, 'ratio') && foreign.length === 0;
  const of = readPart(fields.ratio, 'ratio', known);
  const to =
    fields.to === undefined
      ? value.fail(`${key} has no to`, 'to: the name of a feature')
      : readPart(fields.to, 'to', known);
  if (!isPlain || of === undefined || to === undefined) return undefined;
  const kinds = commonKinds([of.feature, to.feature].map(({ names: [name] }) => name.on));
  if (of.part.name === to.part.name)
    fields.to?.warn(`${key} divides ${of.part.name} by itself: it is always 1`, 'the name of another feature');
  if (kinds.size === 0)
    return keyItem.fail(`no event has both ${of.part.name} and ${to.part.name}`, 'features of one kind of event');
  const ratio = { name: key, slot: known.slots.use(key), of: of.part, to: to.part };
  return { ratio, keyItem, names: [{ path: key, type: 'double', on: kinds }] };
}

function readPart(
  item: Item | undefined,
  what: string,
  { features, slots, isRatio, isBroken }: Known,
): { readonly part: RatioPart; readonly feature: ReadFeature } | undefined {
  const name = item?.text(what, 64);
  if (item === undefined || name === undefined || isBroken(name)) return undefined;
  if (isRatio(name)) return item.fail(`${name} is a ratio itself`, 'the features that it is made of');
  const feature = features.get(name);
  if (feature === undefined) {
    const meant = nearest(name, features.keys());
    return item.fail(`there is no feature ${name}`, meant ?? 'the name of a feature of this policy');
  }
  const { type } = feature.names[0];
  if (!divisible.has(type))
    return item.fail(`${name} is a ${type}, and a ratio divides numbers`, 'a feature that is a number');
  return { part: { name, slot: slots.use(name), type }, feature };
}
