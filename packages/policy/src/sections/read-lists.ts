import { parseDecimal } from '@ringfence/contract';
import type { DeclaredList } from '../compile/compiled.ts';
import type { Item } from '../document/item.ts';
import { factDefinition, factDefinitions } from '../facts.ts';
import { nearest } from '../nearest.ts';
import { type Network, NetworkSet, parseNetwork } from '../networks.ts';
import type { FactType, FactValue } from '../policy.ts';
import { checkName } from './names.ts';

/** A list in a file stays readable up to a few thousand lines. */
const itemsMax = 10_000;
const listsMax = 100;
const textLengthMax = 256;
const decimalBounds = { integerDigits: 18, scale: 12 } as const;

/** Types whose values can be written in a list. */
const listable: ReadonlySet<FactType> = new Set(['string', 'int', 'decimal', 'bool']);

/** `lists: { mulesKnown: { of: payee.id, items: [...] } }`, from all files. Names of lists that don't check join `broken`. */
export function readLists(sections: readonly Item[], broken: Set<string>): ReadonlyMap<string, DeclaredList> {
  const lists = new Map<string, DeclaredList>();
  for (const section of sections) {
    for (const { key, keyItem, value } of section.entries('lists') ?? []) {
      const list = readList(key, value);
      if (lists.has(key)) keyItem.fail(`the list ${key} is declared twice`, 'another name');
      else if (lists.size >= listsMax) keyItem.fail('there are too many lists', `at most ${listsMax}`);
      else if (checkName(key, keyItem) && list !== undefined) lists.set(key, list);
      else broken.add(key);
    }
  }
  return lists;
}

function readList(name: string, item: Item): DeclaredList | undefined {
  const fields = item.fields('a list', ['of', 'items', 'description']);
  if (fields === undefined) return undefined;
  if (fields.of === undefined) return item.fail(`the list ${name} does not say what it is a list of`, 'of: payee.id');
  const path = fields.of.text('of', textLengthMax);
  const fact = path === undefined ? undefined : factDefinition(path);
  if (path === undefined) return undefined;
  if (fact === undefined) {
    return fields.of.fail(
      `there is no fact ${path}`,
      nearest(
        path,
        factDefinitions.map((known) => known.path),
      ),
    );
  }
  if (!listable.has(fact.type)) return fields.of.fail(`${path} is a ${fact.type}, of which there are no lists`);
  const items = fields.items?.list('items', itemsMax) ?? [];
  if (fact.isAddress === true) return { name, type: fact.type, ...readNetworks(items) };
  const values = items.map((one) => readValue(one, fact.type));
  return { name, type: fact.type, items: new Set(values.filter((value) => value !== undefined)) };
}

/** Addresses and ranges: `203.0.113.7`, `203.0.113.0/24`. */
function readNetworks(items: readonly Item[]): Pick<DeclaredList, 'items' | 'networks'> {
  const texts = new Set<string>();
  const networks: Network[] = [];
  for (const item of items) {
    const text = item.text('an item', textLengthMax);
    const network = text === undefined ? undefined : parseNetwork(text);
    if (text === undefined) continue;
    if (network === undefined) item.fail(`${text} is no address and no range of addresses`, 'such as 203.0.113.0/24');
    else {
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
    : (parseDecimal(word, decimalBounds) ?? item.fail(`${word} is no number`, 'such as 1000.50'));
}
