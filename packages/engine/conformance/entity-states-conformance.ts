import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CheckpointEntity, SuppliedEntity } from '../src/store/checkpoint/checkpoint.ts';
import type { EntityStates } from '../src/store/checkpoint/entity-states.ts';
import { MemoryEntityStates, type StoredEntity } from '../src/store/checkpoint/memory-entity-states.ts';
import { entitySource, type OpenedStates, plain } from './entity-states-harness.ts';
import { history, historyKeys, play } from './entity-states-histories.ts';

export type { OpenedStates } from './entity-states-harness.ts';

const soonMs = 1_700_000_000_000;
const laterMs = soonMs + 60_000;

/** Every kind of value that can be stored for an entity; `undefined` for none. */
const forms: readonly (StoredEntity | undefined)[] = [
  undefined,
  ...[undefined, 'ana', 'bob'].flatMap((subject) =>
    [undefined, soonMs, laterMs].flatMap((expiresAtMs) =>
      [Uint8Array.of(1), Uint8Array.of(2, 0, 255)].map((bytes) => ({ subject, bytes, expiresAtMs })),
    ),
  ),
];

/** Every value replaced by every other, each under its own key. */
const changes = forms.flatMap((before, i) => forms.map((after, j) => ({ key: `s/${i} to ${j}`, before, after })));
const keys = changes.map(({ key }) => key);

function entityOf(key: string, form: StoredEntity | undefined): CheckpointEntity {
  return { key, ...(form ?? { subject: undefined, bytes: undefined, expiresAtMs: 0 }) };
}

function rowsAfter(isKept: (row: StoredEntity) => boolean = () => true): ReadonlyMap<string, StoredEntity> {
  return new Map(
    changes.flatMap(({ key, after }) => (after !== undefined && isKept(after) ? [[key, after] as const] : [])),
  );
}

function numbers({ key, bytes }: SuppliedEntity): unknown {
  return [key, bytes && [...bytes]];
}

/** The promises of `EntityStates`. Call once per implementation, from that implementation's test. */
export function entityStatesConformance<Connection, States extends EntityStates<Connection>>(
  name: string,
  open: () => Promise<OpenedStates<Connection, States>>,
): void {
  describe(`EntityStates: ${name}`, () => {
    let opened: OpenedStates<Connection, States>;
    let states: States;
    let on: Connection;
    const stored = async (): Promise<ReadonlyMap<string, unknown>> => plain(await opened.rows(states, keys));

    beforeEach(async () => {
      opened = await open();
      ({ states, on } = opened);
    });

    it('are empty until something is saved', async () => {
      expect(await states.isEmpty(on)).toBe(true);
      await states.save(entitySource([entityOf('s/1', forms[1])]), on);
      expect(await states.isEmpty(on)).toBe(false);
    });

    it('return every key in order, stored or not', async () => {
      await states.save(entitySource([entityOf('s/1', forms[1]), entityOf('s/2', forms[2])]), on);
      const answers = await states.load(['s/2', 's/none', 's/1'], on);
      expect(answers.map(numbers)).toEqual([
        ['s/2', [...forms[2]!.bytes]],
        ['s/none', undefined],
        ['s/1', [...forms[1]!.bytes]],
      ]);
      expect(await states.load([], on)).toEqual([]);
    });

    it('store everything that a checkpoint returns, in steps of any size', async () => {
      await states.save(
        entitySource(
          changes.map(({ key, after }) => entityOf(key, after)),
          7,
        ),
        on,
      );
      expect(await stored()).toEqual(plain(rowsAfter()));
    });

    describe('after every value was replaced by every other', () => {
      beforeEach(async () => {
        await states.save(entitySource(changes.map(({ key, before }) => entityOf(key, before))), on);
        await states.save(entitySource(changes.map(({ key, after }) => entityOf(key, after))), on);
      });

      it('contain only the last value: its bytes, its subject, its expiry', async () => {
        expect(await stored()).toEqual(plain(rowsAfter()));
      });

      it('delete what belongs to a subject last, and nothing that only did before', async () => {
        await states.removeSubjects([], on);
        expect(await stored()).toEqual(plain(rowsAfter()));
        await states.removeSubjects(['ana', 'nobody'], on);
        expect(await stored()).toEqual(plain(rowsAfter(({ subject }) => subject !== 'ana')));
      });

      it('delete what has expired by its last expiry, and nothing that only had before', async () => {
        await states.removeExpired(soonMs - 1, on);
        expect(await stored()).toEqual(plain(rowsAfter()));
        await states.removeExpired(soonMs, on);
        expect(await stored()).toEqual(plain(rowsAfter(({ expiresAtMs }) => expiresAtMs !== soonMs)));
        await states.removeExpired(laterMs, on);
        expect(await stored()).toEqual(plain(rowsAfter(({ expiresAtMs }) => expiresAtMs === undefined)));
      });

      it('keep other entities unchanged', async () => {
        const others = await open();
        await others.states.save(entitySource(keys.map((key) => entityOf(key, forms.at(-1)))), on);
        await others.states.save(entitySource(keys.slice(1).map((key) => entityOf(key, undefined))), on);
        await others.states.removeSubjects(['ana', 'bob'], on);
        await others.states.removeExpired(laterMs, on);
        await others.states.replaceBy(others.other, on);
        expect(await others.states.isEmpty(on)).toBe(true);
        expect(await stored()).toEqual(plain(rowsAfter()));
      });

      it('can be replaced by others as a whole', async () => {
        const { other } = opened;
        const [first] = keys;
        await other.save(entitySource([entityOf(first!, forms[3]), entityOf(keys.at(-1)!, undefined)]), on);
        await states.replaceBy(other, on);
        expect(await stored()).toEqual(plain(new Map([[first!, forms[3]!]])));
        await other.save(entitySource([entityOf(first!, undefined)]), on);
        expect(await stored()).toEqual(plain(new Map([[first!, forms[3]!]])));
      });
    });

    it('equal the in-memory implementation, after every call of any history', async () => {
      await fc.assert(
        fc.asyncProperty(history, async (calls) => {
          const real = await open();
          const twin = { states: new MemoryEntityStates(), other: new MemoryEntityStates(), on: undefined };
          for (const call of calls) {
            await play(real, call);
            await play<unknown, MemoryEntityStates>(twin, call);
            expect(plain(await real.rows(real.states, historyKeys))).toEqual(plain(twin.states.rows));
            expect(plain(await real.rows(real.other, historyKeys))).toEqual(plain(twin.other.rows));
            const answers = await real.states.load(historyKeys, real.on);
            expect(answers.map(numbers)).toEqual(twin.states.load(historyKeys).map(numbers));
          }
        }),
        { seed: 1, numRuns: 100 },
      );
    });
  });
}
