import { assert, InvariantError } from './assert.ts';
import type { DoorFacts, Event, EventKind } from './event.ts';
import { JsonReader } from './json-reader.ts';
import { isJsonObject } from './json-value.ts';
import { readEvent } from './read-event.ts';
import { strictUtf8 } from './strict-utf8.ts';

/**
 * The plaintext of an event's record: `{"body":<the body's text>,"door":<what the door added>}`. The body keeps the
 * bytes it came in, so that equal bodies stay byte-equal.
 */
export interface OpenedEvent {
  readonly event: Event;
  readonly door: DoorFacts;
  readonly bodyText: string;
}

const head = '{"body":';
const middle = ',"door":';

export function printEventRecord(bodyText: string, door: DoorFacts): string {
  return `${head}${bodyText}${middle}${JSON.stringify(door)}}`;
}

/**
 * Opens what `printEventRecord` printed. The same bytes give the same event for ever; nothing that the door accepted
 * is refused here, as long as the bounds of the reader never shrink. Takes about 4 microseconds for an operation.
 *
 * @throws InvariantError for bytes that no `printEventRecord` printed
 */
export function openEvent(kind: EventKind, payload: Uint8Array): OpenedEvent {
  const text = orNoRecord(() => utf8.decode(payload));
  assert(text.startsWith(head), 'the record begins with a body');
  const reader = new JsonReader(text, head.length);
  const body = orNoRecord(() => reader.readOne());
  assert(
    isJsonObject(body) && text.startsWith(middle, reader.position),
    'the record holds a body and what the door added',
  );
  const door = orNoRecord(() => JSON.parse(text.slice(reader.position + middle.length, -1)) as DoorFacts);
  return { event: readEvent(kind, body), door, bodyText: text.slice(head.length, reader.position) };
}

function orNoRecord<Part>(read: () => Part): Part {
  try {
    return read();
  } catch (cause) {
    throw new InvariantError('the record is text, and holds a body that the door accepted', { cause });
  }
}

const utf8 = strictUtf8({ ignoreBOM: true });
