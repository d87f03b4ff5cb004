import { ByteReader, ByteWriter, type EpochMs } from '@ringfence/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EncodedBody } from '../../src/clients/encoded-body.ts';
import { type Applied, RepeatMemory } from '../../src/clients/repeat-memory.ts';
import { repeatReachMs } from '../../src/limits.ts';

/** Few bodies are searched linearly, many through an index; both are compacted when bodies repeat. */
it.each([
  ['', (number: number) => `body ${number}`],
  [
    ' that differ only at their beginning',
    (number: number) => `${number} ${'ä\u{1f600}'.repeat(number % 3)} the same end`,
  ],
  [' that are long', (number: number) => `${'long '.repeat(number)}${number}`],
])('remembers a day of bodies%s, least recently applied first', (_, bodyOf) => {
  const event = fc.record({
    body: fc.integer({ min: 0, max: 80 }).map(bodyOf),
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: repeatReachMs / 20 })),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 400 }), (history) => {
      const memory = new RepeatMemory();
      const model = new Map<string, { offset: number; atMs: number }>();
      let nowMs = 0;
      history.forEach(({ body, waitMs }, offset) => {
        nowMs += waitMs;
        for (const [other, { atMs }] of model) if (nowMs - atMs >= repeatReachMs) model.delete(other);
        const applied = memory.find(encoded(body), nowMs);
        expect(applied && { offset: applied.offset, atMs: applied.atMs }).toEqual(model.get(body));
        memory.note(encoded(body), { offset, logTimeMs: nowMs as EpochMs }, applied);
        model.delete(body);
        model.set(body, { offset, atMs: nowMs });
      });
      const kept = keptBy(memory);
      expect(kept).toHaveLength(memory.size);
      const told = kept.map(([body, { offset, atMs }]) => [body, { offset, atMs }] as const);
      expect(told.filter(([body]) => model.has(body))).toEqual([...model]);
      const restored = new RepeatMemory();
      restored.read(new ByteReader(written(memory)));
      expect(written(restored)).toEqual(written(memory));
      for (const [body] of model) {
        expect(restored.find(encoded(body), nowMs)).toEqual(memory.find(encoded(body), nowMs));
      }
      expect(restored.lastOffset).toBe([...model.values()].at(-1)?.offset);
    }),
    { seed: 1, numRuns: 300 },
  );
});

type Kept = readonly [body: string, applied: Applied];

function keptBy(memory: RepeatMemory): readonly Kept[] {
  const reader = new ByteReader(written(memory));
  const bodies = Array.from({ length: reader.uint() }, () => reader.text());
  let [offset, atMs] = [0, 0];
  return bodies.map((body) => {
    [offset, atMs] = [offset + reader.int(), atMs + reader.int()];
    return [body, { offset, atMs, earlierMs: Array.from({ length: reader.uint() }, () => reader.int()) }];
  });
}

function written(memory: RepeatMemory): Uint8Array {
  const writer = new ByteWriter();
  memory.write(writer);
  return writer.take();
}

function encoded(body: string): EncodedBody {
  return new EncodedBody().set(body);
}
