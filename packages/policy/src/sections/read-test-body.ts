import {
  type EpochMs,
  type EventKind,
  eventSchemas,
  type JsonValue,
  parseEvent,
  parseJson,
  printJson,
  type TimeZone,
} from '@ringfence/contract';
import type { Item } from '../document/item.ts';
import { nearest } from '../check/nearest.ts';

const utc: TimeZone = {
  name: 'UTC',
  offsetAt: () => 0,
  instantOf: (localMs) => localMs as EpochMs,
  secondInstantOf: () => undefined,
};

/**
 * The body of a test's event, if ingest would accept it; otherwise the mistake was reported at its member.
 *
 * Members that the interface does not define get a warning: a bank may send them, but in a test they are usually
 * misspelt.
 */
export function readTestBody(kind: EventKind, item: Item): JsonValue | undefined {
  const schema: object = eventSchemas[kind];
  warnOfUnknown(kind, item, schema);
  const body = item.json();
  const json = parseJson(printJson(body));
  if (!json.ok) return item.fail(`${kind}: ${json.error.detail}`, json.error.expected);
  const parsed = parseEvent(kind, json, { cards: 'mask', zone: utc, hashCard: (hash) => hash });
  if (parsed.ok) return body;
  // An operation without its own time happens when it arrives.
  const wrong = parsed.errors.filter(({ pointer }) => pointer !== '/timestamp' || item.at(['timestamp']) !== item);
  for (const { pointer, detail, expected } of wrong) {
    const path = pointer.split('/').slice(1);
    item.at(path).fail(`${[kind, ...path].join('.')}: ${lowered(detail)}`, expected);
  }
  return wrong.length === 0 ? body : undefined;
}

/** The members that a schema defines; `undefined` if any name is allowed. */
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
