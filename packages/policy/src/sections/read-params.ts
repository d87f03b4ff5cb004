import { parseDecimal } from '@ringfence/contract';
import { declaredEntries } from '../document/declared-entries.ts';
import type { Entry, Item } from '../document/item.ts';
import { durationMeant, formatDuration, parseDuration } from '../values/duration.ts';
import { nearest } from '../check/nearest.ts';
import type { Params, ParamValue } from '../check/params.ts';
import type { PolicyParam } from '../policy.ts';
import { checkName } from './names.ts';

const paramBounds = { params: 500, textLength: 256, descriptionLength: 2_000 } as const;
const types: readonly PolicyParam['type'][] = ['int', 'decimal', 'duration', 'string', 'bool'];
const decimalBounds = { integerDigits: 18, scale: 6 } as const;

interface Declared {
  readonly entry: Entry;
  readonly type: PolicyParam['type'];
  readonly unit: string | undefined;
  readonly description: string | undefined;
  readonly initial: Read;
  readonly least: Read | undefined;
  readonly most: Read | undefined;
}

interface Read {
  readonly value: ParamValue;
  readonly text: string;
  readonly size: number;
}

/**
 * `params:` of all files: a mapping declares a parameter, a plain value sets one that another file declares.
 *
 * @returns by name, with the current values
 */
export function readParams(sections: readonly Item[], params: Params): readonly PolicyParam[] {
  const entries = declaredEntries(sections, 'params');
  const declared = new Map<string, Declared>();
  for (const entry of entries) {
    if (!entry.value.isMapping) continue;
    const read = readDeclaration(entry);
    if (declared.has(entry.key)) entry.keyItem.fail(`the parameter ${entry.key} is declared twice`, 'another name');
    else if (declared.size >= paramBounds.params)
      entry.keyItem.fail('there are too many parameters', `at most ${paramBounds.params}`);
    else if (checkName(entry.key, entry.keyItem) && read !== undefined) declared.set(entry.key, read);
    else params.setBroken(entry.key);
  }
  const set = readValues(entries, declared, params);
  return [...declared].map(([name, { entry, type, unit, description, initial }]) => {
    const inForce = set.get(name) ?? initial;
    params.set(name, inForce.value);
    return { name, type, unit, description, initial: initial.text, value: inForce.text, file: entry.keyItem.file.path };
  });
}

/** A parameter that no rule or feature reads is a threshold without effect. */
export function warnOfUnusedParams(sections: readonly Item[], params: Params): void {
  for (const { key, keyItem, value } of sections.flatMap((section) => section.entries('params') ?? [])) {
    if (value.isMapping && !params.isUsed(key))
      keyItem.warn(`nothing reads params.${key}`, 'remove it until something reads it');
  }
}

function readValues(
  entries: readonly Entry[],
  declared: ReadonlyMap<string, Declared>,
  params: Params,
): ReadonlyMap<string, Read> {
  const set = new Map<string, Read>();
  for (const { key, keyItem, value } of entries) {
    if (value.isMapping) continue;
    const known = declared.get(key);
    if (known === undefined) {
      keyItem.fail(
        `there is no parameter ${key} to set`,
        nearest(key, [...declared.keys()]) ?? '{ type: int, default: 5 } declares one',
      );
      continue;
    }
    const read = readValue(value, key, known.type);
    if (set.has(key)) keyItem.fail(`the parameter ${key} is set twice`, 'one of them');
    else if (read !== undefined && isWithin(value, read, known)) set.set(key, read);
    else params.setBroken(key);
  }
  return set;
}

function readDeclaration({ key, value: item }: Entry): Declared | undefined {
  const fields = item.fields('a parameter', ['type', 'default', 'unit', 'description', 'min', 'max']);
  if (fields === undefined) return undefined;
  const type = item.required(
    fields.type,
    [`the parameter ${key} has no type`, `type: one of ${types.join(', ')}`],
    (field) => field.choice('type', types),
  );
  if (type === undefined) return undefined;
  const initial = item.required(fields.default, [`the parameter ${key} has no default`, 'default: 5'], (field) =>
    readValue(field, 'default', type),
  );
  const least = fields.min && readValue(fields.min, 'min', type);
  const most = fields.max && readValue(fields.max, 'max', type);
  const unit = fields.unit?.text('unit', paramBounds.textLength);
  const description = fields.description?.text('description', paramBounds.descriptionLength);
  if (initial === undefined || !isWithin(item, initial, { least, most })) return undefined;
  return { entry: { key, keyItem: item, value: item }, type, unit, description, initial, least, most };
}

function isWithin(item: Item, read: Read, { least, most }: Pick<Declared, 'least' | 'most'>): boolean {
  const isIn = (least === undefined || read.size >= least.size) && (most === undefined || read.size <= most.size);
  if (!isIn) item.fail(`${read.text} is out of bounds`, `from ${least?.text ?? 'any'} to ${most?.text ?? 'any'}`);
  return isIn;
}

function readValue(item: Item, what: string, type: PolicyParam['type']): Read | undefined {
  switch (type) {
    case 'string': {
      const text = item.text(what, paramBounds.textLength);
      return text === undefined ? undefined : { value: { kind: 'string', value: text }, text, size: text.length };
    }
    case 'bool': {
      const text = item.choice(what, ['true', 'false']);
      return text === undefined ? undefined : { value: { kind: 'bool', value: text === 'true' }, text, size: 0 };
    }
    case 'duration': {
      const word = item.word(what, 'a duration, such as 15m');
      const ms = word === undefined ? undefined : parseDuration(word);
      if (word === undefined) return undefined;
      if (ms === undefined)
        return item.fail(`${what} is ${word}`, durationMeant(word) ?? 'a duration, such as 15m, 24h or 7d');
      return { value: { kind: 'duration', ms }, text: formatDuration(ms), size: ms };
    }
    case 'int': {
      const value = item.integer(what, { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
      if (value === undefined) return undefined;
      const text = String(value);
      return { value: { kind: 'number', type: 'int', value, text, isHex: false }, text, size: value };
    }
    default:
      return readDecimal(item, what);
  }
}

/** The digits as written, which a decimal uses exactly. */
function readDecimal(item: Item, what: string): Read | undefined {
  const word = item.word(what, 'a number, such as 2.5');
  if (word === undefined) return undefined;
  if (parseDecimal(word, decimalBounds) === undefined || word.startsWith('-'))
    return item.fail(`${what} is ${word}`, 'a number, such as 2.5');
  const value = Number(word);
  const type = /^\d+$/.test(word) ? 'int' : 'double';
  return { value: { kind: 'number', type, value, text: word, isHex: false }, text: word, size: value };
}
