import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RepeatMemory } from '../../src/clients/repeat-memory.ts';
import { repeatReachMs } from '../../src/limits.ts';

/** Few bodies stand in lists that are looked through, many in a map; both close up when bodies come again. */
it('remembers a day of bodies in the order in which they were applied last', () => {
  const event = fc.record({
    body: fc.integer({ min: 0, max: 80 }).map((number) => `body ${number}`),
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
        const applied = memory.find(body, nowMs);
        expect(applied && { offset: applied.offset, atMs: applied.atMs }).toEqual(model.get(body));
        memory.note(body, { offset, nowMs }, applied);
        model.delete(body);
        model.set(body, { offset, atMs: nowMs });
      });
      const kept: unknown[][] = [];
      memory.each((body, { offset, atMs }) => kept.push([body, { offset, atMs }]));
      expect(kept).toHaveLength(memory.size);
      expect(kept.filter(([body]) => model.has(body as string))).toEqual([...model]);
    }),
    { seed: 1, numRuns: 300 },
  );
});
