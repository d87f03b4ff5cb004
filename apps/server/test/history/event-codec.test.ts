import { type Event, type EventKind, eventSchemas } from '@ringfence/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteSink } from '../../src/history/byte-sink.ts';
import { ByteSource } from '../../src/history/byte-source.ts';
import { packEvent, unpackEvent } from '../../src/history/event-codec.ts';
import { type EventField, eventFields } from '../../src/history/event-fields.ts';

interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
}

/** Paths of all members that have a value. */
function leaves(node: Node, prefix = ''): readonly string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, member]) =>
    member.properties === undefined ? [prefix + name] : leaves(member, `${prefix}${name}.`),
  );
}

const pathOf = ({ inside, name }: EventField): string => (inside === undefined ? name : `${inside}.${name}`);

it.each(['login', 'logout', 'operation'] as const)('has a field for every member of a %s, and for no other', (kind) => {
  expect(eventFields[kind].map(pathOf).toSorted()).toEqual(leaves(eventSchemas[kind] as unknown as Node).toSorted());
});

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('', '10.10', 'ñandú', '🦊'));
const valueOf: Readonly<Record<EventField['type'], fc.Arbitrary<unknown>>> = {
  text,
  int: fc.maxSafeInteger(),
  texts: fc.dictionary(text, text, { noNullPrototype: true }),
};

/** An event with any subset of its members. */
function anyEvent(kind: EventKind): fc.Arbitrary<Event> {
  const members = eventFields[kind].map((field) => fc.option(valueOf[field.type], { nil: undefined }));
  return fc.tuple(...members).map((values) => {
    const event: Record<string, unknown> = { kind };
    for (const [i, { inside, name }] of eventFields[kind].entries()) {
      if (values[i] === undefined) continue;
      const holder = inside === undefined ? event : ((event[inside] ??= {}) as Record<string, unknown>);
      holder[name] = values[i];
    }
    return event as unknown as Event;
  });
}

const packable = fc.record({
  event: fc.oneof(anyEvent('login'), anyEvent('logout'), anyEvent('operation')),
  door: fc.oneof(
    fc.record({ facts: fc.constantFrom({}, { 'ip.valid': true, 'ip.version': 6 }) }),
    fc.record({ statedAtMs: fc.maxSafeInteger(), facts: fc.constant({}) }),
  ),
  bodyHash: text,
  label: fc.constantFrom(undefined, 'fraud' as const, 'legitimate' as const),
});

it('unpacks any event unchanged', () => {
  fc.assert(
    fc.property(fc.array(packable, { maxLength: 5 }), (events) => {
      const sink = new ByteSink();
      for (const event of events) packEvent(sink, event as Parameters<typeof packEvent>[1]);
      const source = new ByteSource(sink.take());
      expect(events.map(() => unpackEvent(source))).toEqual(events);
      expect(source.isDone).toBe(true);
    }),
    { seed: 1, numRuns: 500 },
  );
});
