import { type EpochMs, type EventKind, eventSchemas, parseEvent, parseJson, type TimeZone } from '@ringfence/contract';
import type { Item } from '../document/item.ts';
import { nearest } from '../nearest.ts';

const utc: TimeZone = { name: 'UTC', offsetAt: () => 0, instantOf: (localMs) => localMs as EpochMs };

/**
 * Whether the body of a test's event is one that the door would take; what is wrong was reported at its member.
 *
 * Members that the interface does not know are warned of: a bank may send them, and in a test they are misspelt.
 */
export function checkTestBody(kind: EventKind, item: Item): boolean {
  const schema: object = eventSchemas[kind];
  warnOfUnknown(kind, item, schema);
  const body = item.plain();
  const json = parseJson(JSON.stringify(body));
  if (!json.ok) {
    item.fail(`${kind}: ${json.error.detail}`, json.error.expected);
    return false;
  }
  const parsed = parseEvent(kind, json, { cards: 'mask', zone: utc, hashCard: (hash) => hash });
  if (parsed.ok) return true;
  // An operation without a time of its own happens when it arrives.
  const wrong = parsed.errors.filter(({ pointer }) => pointer !== '/timestamp' || item.at(['timestamp']) !== item);
  for (const { pointer, detail, expected } of wrong) {
    const path = pointer.split('/').slice(1);
    item.at(path).fail(`${[kind, ...path].join('.')}: ${lowered(detail)}`, expected);
  }
  return wrong.length === 0;
}

/** What a schema says of its members; `undefined` where any name will do. */
interface Members {
  readonly properties?: Readonly<Record<string, Members>>;
}

function warnOfUnknown(path: string, item: Item, { properties }: Members): void {
  if (properties === undefined || !item.isMapping) return;
  for (const { key, keyItem, value } of item.entries(path) ?? []) {
    const known = properties[key];
    if (known !== undefined) warnOfUnknown(`${path}.${key}`, value, known);
    else keyItem.warn(`${path} has no ${key}`, nearest(key, Object.keys(properties)) ?? 'a member of the interface');
  }
}

/** `This member is missing.` as the end of a sentence. */
function lowered(detail: string): string {
  const [first = ''] = detail;
  return `${first === 'T' ? 't' : first}${detail.slice(1).replace(/\.$/, '')}`;
}
