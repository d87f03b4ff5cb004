import { parseDecimal } from '@ringfence/contract';
import type { DeclaredList } from '../compile/compiled.ts';
import { declaredEntries } from '../document/declared-entries.ts';
import type { Item } from '../document/item.ts';
import { type FactDefinition, factDefinition, factDefinitions } from '../facts/facts.ts';
import { insteadOfText } from '../facts/text-shape.ts';
import { itemLengthMax, pairText } from '../facts/item-text.ts';
import { nearest } from '../check/nearest.ts';
import { isInsideRange, type Network, NetworkSet, parseNetwork, printNetwork } from '../values/networks.ts';
import { printFact } from '../facts/print-fact.ts';
import type { FactType, FactValue } from '../facts/fact-value.ts';
import type { SlotTable } from '../facts/slots.ts';
import { checkName } from './names.ts';

/** A list in a file stays readable up to a few thousand lines. */
const itemsMax = 10_000;
const listsMax = 100;
const textLengthMax = itemLengthMax;
const decimalBounds = { integerDigits: 18, scale: 12 } as const;

export const liveListBounds = {
  /** For a list without `max`. */
  itemsDefault: 10_000,
  /** The most items that the engine keeps in all, about 60 bytes each, in memory and in every checkpoint. */
  itemsMax: 100_000,
} as const;

/** Types whose values can be list items. */
const listable: ReadonlySet<FactType> = new Set(['string', 'int', 'decimal', 'bool']);

/**
 * `lists: { mulesKnown: { of: payee.id, items: [...] } }`, from all files. Names of lists that don't check are added to
 * `broken`.
 */
export function readLists(
  sections: readonly Item[],
  slots: SlotTable,
  broken: Set<string>,
): ReadonlyMap<string, DeclaredList> {
  const lists = new Map<string, DeclaredList>();
  const places = new Map<string, Item>();
  for (const { key, keyItem, value } of declaredEntries(sections, 'lists')) {
    const list = readList(key, value, slots);
    const earlier = places.get(key);
    if (earlier !== undefined)
      keyItem.fail(`the list ${key} is declared twice: here and ${earlier.spot}`, 'another name');
    else if (lists.size >= listsMax) keyItem.fail('there are too many lists', `at most ${listsMax}`);
    else if (checkName(key, keyItem) && list !== undefined) {
      lists.set(key, list);
      places.set(key, keyItem);
    } else broken.add(key);
  }
  return lists;
}

type Fields = Partial<Record<'of' | 'items' | 'description' | 'live' | 'max', Item>>;

function readList(name: string, item: Item, slots: SlotTable): DeclaredList | undefined {
  const fields: Fields | undefined = item.fields('a list', ['of', 'items', 'description', 'live', 'max']);
  if (fields === undefined) return undefined;
  if (fields.of === undefined) return item.fail(`the list ${name} has no of`, 'of: payee.id');
  const facts = readOf(fields.of);
  const live = readLive(name, fields, slots);
  const description = fields.description?.text('description', descriptionLengthMax);
  const items = fields.items?.list('items', itemsMax) ?? [];
  if (facts === undefined || live === 'broken') return undefined;
  const [fact] = facts;
  const declared = { name, type: fact.type, of: facts.map(({ path }) => path), description, live };
  if (facts.length > 1) return { ...declared, items: new Set(items.flatMap((one) => readPair(one) ?? [])) };
  if (fact.isAddress === true) return { ...declared, ...readNetworks(items) };
  const values = new Map<FactValue, Item>();
  for (const one of items) {
    const value = readValue(one, fact.type);
    const earlier = values.get(value);
    if (value === undefined) continue;
    warnOfItem(one, fact, value);
    if (earlier === undefined) values.set(value, one);
    else one.warn(`${printFact(value, fact.type)} is in this list twice`, `once: it is also in line ${earlier.line}`);
  }
  return { ...declared, items: new Set(values.keys()) };
}

/** An item that no event can have. */
function warnOfItem(item: Item, fact: FactDefinition, value: FactValue): void {
  if (typeof value !== 'string') return;
  const suggestion = insteadOfText(fact, value);
  if (suggestion !== undefined) item.warn(`${fact.path} is never ${value}`, suggestion);
}

const descriptionLengthMax = 2_000;

/** `of: payee.id`, or `of: [device.id, client.id]` for pairs of texts. */
function readOf(item: Item): readonly [FactDefinition, ...FactDefinition[]] | undefined {
  const items = item.isList ? item.list('of', 2) : [item];
  const facts = items?.map(readListed);
  const [first, second, ...others] = facts ?? [];
  if (first === undefined || facts?.includes(undefined) === true || others.length > 0) return undefined;
  if (second === undefined) return [first];
  const odd = [first, second].find(({ type }) => type !== 'string');
  if (odd !== undefined)
    return item.fail(`${odd.path} is a ${odd.type}, but pairs consist of texts`, '[device.id, client.id]');
  return [first, second];
}

function readListed(item: Item): FactDefinition | undefined {
  const path = item.text('of', textLengthMax);
  const fact = path === undefined ? undefined : factDefinition(path);
  if (path === undefined) return undefined;
  if (fact === undefined) {
    return item.fail(
      `there is no fact ${path}`,
      nearest(
        path,
        factDefinitions.map((known) => known.path),
      ),
    );
  }
  return listable.has(fact.type) ? fact : item.fail(`${path} is a ${fact.type}, and a list can't contain that`);
}

/** `live: true`, with `max: 500` if its items are iterated over and not only looked up. */
function readLive(name: string, { live, max }: Fields, slots: SlotTable): DeclaredList['live'] | 'broken' {
  const isLive = live === undefined ? 'false' : live.choice('live', ['true', 'false']);
  const itemsAllowed = max?.integer('max', { min: 1, max: liveListBounds.itemsMax });
  if (isLive === undefined || (max !== undefined && itemsAllowed === undefined)) return 'broken';
  if (isLive === 'true') return { slot: slots.use(`lists.${name}`), max: itemsAllowed ?? liveListBounds.itemsDefault };
  if (max === undefined) return undefined;
  max.fail('only a live list has a max', 'live: true');
  return 'broken';
}

/** `[device, client]` */
function readPair(item: Item): string | undefined {
  const parts = item.list('an item of pairs', 2)?.map((part) => part.word('an item', 'a text'));
  if (parts === undefined) return undefined;
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  return known.length === 2 ? pairText(known) : item.fail('an item of pairs has two parts', '[device, client]');
}

/** Addresses and ranges: `203.0.113.7`, `203.0.113.0/24`. */
function readNetworks(items: readonly Item[]): Pick<DeclaredList, 'items' | 'networks'> {
  const texts = new Set<string>();
  const networks: Network[] = [];
  for (const item of items) {
    const text = item.text('an item', textLengthMax);
    const network = text === undefined ? undefined : parseNetwork(text);
    if (text === undefined) continue;
    if (network === undefined)
      item.fail(`${text} is neither an address nor an address range`, 'such as 203.0.113.0/24');
    else {
      const whole = printNetwork(network);
      if (isInsideRange(text)) item.warn(`${text} covers all of ${whole}`, whole);
      texts.add(text);
      networks.push(network);
    }
  }
  return { items: texts, networks: new NetworkSet(networks) };
}

function readValue(item: Item, type: FactType): FactValue {
  if (type === 'string') return item.text('an item', textLengthMax);
  if (type === 'int') return item.integer('an item', { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  if (type === 'bool') return item.choice('an item', ['true', 'false']) === 'true';
  const word = item.word('an item', 'a number');
  return word === undefined
    ? undefined
    : (parseDecimal(word, decimalBounds) ?? item.fail(`${word} is not a number`, 'such as 1000.50'));
}
