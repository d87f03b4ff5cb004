import { type EpochMs, type Event, type EventKind, eventSchemas } from '@ringfence/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HistoryReader, HistoryWriter } from '../../src/history/history-bytes.ts';
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
  enrichment: fc.oneof(
    fc.record({ facts: fc.constantFrom({}, { 'ip.valid': true, 'ip.version': 6 }) }),
    fc.record({ statedAtMs: fc.maxSafeInteger(), facts: fc.constant({}) }),
  ),
  bodyHash: text,
  label: fc.constantFrom(undefined, 'fraud' as const, 'legitimate' as const),
});

it('unpacks any event unchanged', () => {
  fc.assert(
    fc.property(fc.array(packable, { maxLength: 5 }), (events) => {
      const writer = new HistoryWriter();
      for (const event of events) packEvent(writer, event as Parameters<typeof packEvent>[1]);
      const reader = new HistoryReader(writer.take());
      expect(events.map(() => unpackEvent(reader))).toEqual(events);
      expect(reader.done).toBe(true);
    }),
    { seed: 1, numRuns: 500 },
  );
});

it('packs an event into the bytes that are stored', () => {
  const writer = new HistoryWriter();
  packEvent(writer, {
    event: {
      kind: 'operation',
      channelId: 2,
      transaction: { description: 'señal 🦊', details: { a: 'x' } },
      account: { client: 'ana', clientRefId: -300 },
    } as unknown as Event,
    enrichment: { statedAtMs: -1 as EpochMs, facts: { 'ip.valid': true } },
    bodyHash: 'hash',
    label: 'fraud',
  });
  expect(Buffer.from(writer.take()).toString('hex')).toBe(
    '360101237b2269702e76616c6964223a747275657d096861736891070002167365c3b1616c20f09fa68a010361037807616e6101ac02',
  );
});
