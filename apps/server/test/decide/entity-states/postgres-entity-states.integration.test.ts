import { randomBytes } from 'node:crypto';
import { entityStatesConformance, type OpenedStates } from '@ringfence/engine/conformance';
import { MemoryEntityStates, type StoredEntity } from '@ringfence/engine/memory';
import type { CheckpointEntity, EntitySource } from '@ringfence/engine';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePool } from '../../../src/platform/database/database.ts';
import { PostgresEntityStates } from '../../../src/decide/entity-states/postgres-entity-states.ts';
import { hostSchema } from '../../../src/decide/decide-tables.ts';
import { chainSchema } from '../../../src/decide/chain/chain-rows.ts';
import { readChanges } from '../../../src/decide/chain/noticed-changes.ts';
import { segmentSchema, stateSealSchema, type StateStore } from '../../../src/decide/entity-states/segment-rows.ts';
import { changedSegments } from '../../../src/decide/entity-states/stored-segments.ts';
import { retentionSchema } from '../../../src/decide/retention/retention-tables.ts';
import { indexHmac } from '../../../src/platform/secrets/blind-index.ts';
import { sealAsBefore } from '../../support/seal-as-before.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { freshDatabase } from '../../support/postgres.ts';

/** The secrets of all test workspaces, so that their entities have the same names. */
const secrets = { data: randomBytes(32), index: randomBytes(32) };

let pool: Pool;
beforeAll(async () => {
  pool = makePool((await freshDatabase()).config, 2);
  await pool.query(hostSchema + retentionSchema + segmentSchema + chainSchema + stateSealSchema);
  await pool.query('create table subject (workspace_id text, id text)');
});
afterAll(() => pool.end());

let workspaces = 0;

/** A workspace that has only the keys that name and seal its entities. */
function newWorkspace(): Workspace {
  workspaces += 1;
  return { id: `w${workspaces}`, secrets } as unknown as Workspace;
}

/** One key for each client. */
class Keys {
  readonly #keys = new Map<string, Buffer>();
  readonly #erased = new Set<string>();

  async bySubject(_: Workspace, subjects: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const found = new Map<string, Buffer>();
    for (const subject of subjects) {
      if (!this.#keys.has(subject)) this.#keys.set(subject, randomBytes(32));
      if (!this.#erased.has(subject)) found.set(subject, this.#keys.get(subject)!);
    }
    return found;
  }

  erase(subject: string): void {
    this.#erased.add(subject);
  }
}

const fence = async (): Promise<void> => {};

async function rowsOf(
  states: PostgresEntityStates,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredEntity>> {
  const names = new Map(keys.map((key) => [nameOf(key).toString('hex'), key]));
  const rows = new Map<string, StoredEntity>();
  for await (const { name, subject, expiresAtMs, state } of states.entries(pool)) {
    const key = names.get(name.toString('hex'));
    if (key === undefined) throw new Error('an entity that the test did not write');
    rows.set(key, { subject, expiresAtMs, bytes: state });
  }
  return rows;
}

function nameOf(key: string): Buffer {
  return indexHmac(secrets.index).update(key).digest().subarray(0, 16);
}

function openBoth(store: StateStore, otherStore: StateStore): OpenedStates<Pool, PostgresEntityStates> {
  const [workspace, keys] = [newWorkspace(), new Keys()];
  const states = new PostgresEntityStates(workspace, store, keys);
  const other = new PostgresEntityStates(workspace, otherStore, keys);
  return { states, other, on: pool, rows: rowsOf };
}

entityStatesConformance('PostgreSQL, of the checkpoint', async () => openBoth('checkpoint', 'base'));
entityStatesConformance('PostgreSQL, of the base', async () => openBoth('base', 'checkpoint'));

function source(entities: readonly CheckpointEntity[]): EntitySource {
  let given = 0;
  return { next: (countMax) => entities.slice(given, (given += Math.min(countMax, 100))) };
}

function entity(key: string, bytes: Uint8Array | undefined, subject?: string): CheckpointEntity {
  return { key, subject: bytes && subject, bytes, expiresAtMs: undefined };
}

function plain(rows: ReadonlyMap<string, StoredEntity>): ReadonlyMap<string, unknown> {
  return new Map(
    [...rows].map(([key, { bytes, ...rest }]) => [key, { ...rest, bytes: Buffer.from(bytes).toString('hex') }]),
  );
}

describe('segments of entity states', () => {
  it('equal the in-memory implementation after merges, and when they are opened again', async () => {
    const keys = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? `c/${i}` : `${i % 7}/payee ${i}`));
    const change = fc.tuple(
      fc.nat(keys.length - 1),
      fc.option(fc.uint8Array({ minLength: 1, maxLength: 900 }), { nil: undefined }),
    );
    const checkpoint = fc.uniqueArray(change, { selector: ([key]) => key, minLength: 1, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(fc.array(checkpoint, { minLength: 20, maxLength: 90 }), fc.nat(40), async (saves, erasedAt) => {
        const [workspace, subjects, twin] = [newWorkspace(), new Keys(), new MemoryEntityStates()];
        for (let i = 0; i < 5; i++) await pool.query(`insert into subject values ($1, $2)`, [workspace.id, `s${i}`]);
        let states = new PostgresEntityStates(workspace, 'checkpoint', subjects);
        for (const [turn, changes] of saves.entries()) {
          const entities = changes.map(([key, bytes]) =>
            entity(keys[key]!, bytes, key % 3 === 0 ? `s${key % 5}` : undefined),
          );
          await states.save(source(entities), pool);
          twin.save(source(entities));
          if (turn === erasedAt) {
            await states.removeSubjects(['s1', 's2'], pool);
            twin.removeSubjects(['s1', 's2']);
          }
          if (turn % 3 === 0) while (await states.compact(pool, fence));
          if (turn % 17 === 16 && turn < erasedAt) states = new PostgresEntityStates(workspace, 'checkpoint', subjects);
        }
        expect(plain(await rowsOf(states, keys))).toEqual(plain(twin.rows));
        const loaded = await states.load(keys, pool);
        expect(loaded.map(({ bytes }) => bytes && Buffer.from(bytes).toString('hex'))).toEqual(
          twin.load(keys).map(({ bytes }) => bytes && Buffer.from(bytes).toString('hex')),
        );
      }),
      { seed: 1, numRuns: 15 },
    );
  });

  it('are merged, eight of a level, and take the place of what they were made of', async () => {
    const workspace = newWorkspace();
    const states = new PostgresEntityStates(workspace, 'checkpoint', new Keys());
    for (let turn = 0; turn < 64; turn++) {
      await states.save(
        source([entity(`0/${turn}`, Buffer.from([turn])), entity('0/always', Buffer.from([turn]))]),
        pool,
      );
      while (await states.compact(pool, fence));
    }
    const segments = await pool.query(`select level, entries from state_segment where workspace_id = $1`, [
      workspace.id,
    ]);
    expect(segments.rows).toEqual([{ level: 2, entries: 65 }]);
    const [always, seven] = await states.load(['0/always', '0/7'], pool);
    expect([[...always!.bytes!], [...seven!.bytes!]]).toEqual([[63], [7]]);
  });

  it('are noticed when they were changed before a merge, whose result is sealed like any other', async () => {
    const workspace = newWorkspace();
    const states = new PostgresEntityStates(workspace, 'checkpoint', new Keys());
    const save = async (from: number): Promise<void> => {
      const entities = Array.from({ length: 50 }, (_, i) => entity(`0/${from}/${i}`, Buffer.from([i])));
      await states.save(source(entities), pool);
      await states.seal({ nextOffset: from, chainFrom: 0 }, pool);
      await states.committed();
    };
    for (let at = 1; at <= 8; at++) await save(at);
    const isWhole = async (): Promise<boolean | undefined> =>
      (await new PostgresEntityStates(workspace, 'checkpoint', new Keys()).readSeal(pool))?.isWhole;
    expect(await changedSegments(pool, workspace, 'checkpoint')).toEqual([]);
    const { rows } = await pool.query<{ id: number }>(
      `update state_block set bytes = set_byte(bytes, length(bytes) - 1, get_byte(bytes, length(bytes) - 1) # 1)
        where segment = (select max(id) from state_segment where workspace_id = $1) returning segment as id`,
      [workspace.id],
    );
    expect(await changedSegments(pool, workspace, 'checkpoint')).toEqual([rows[0]!.id]);
    expect(await states.compact(pool, fence)).toBe(true);
    expect(await readChanges(pool, workspace.id)).toMatchObject([
      { what: `state_segment (checkpoint), ${rows[0]!.id}`, offset: 8 },
    ]);
    expect(await changedSegments(pool, workspace, 'checkpoint')).toEqual([]);
    expect(await isWhole()).toBe(true);
    await pool.query(`update state_segment set age = age - 1 where workspace_id = $1`, [workspace.id]);
    expect(await isWhole()).toBe(false);
  });

  it('leave nothing of a merge that was interrupted', async () => {
    const workspace = newWorkspace();
    const states = new PostgresEntityStates(workspace, 'checkpoint', new Keys());
    for (let turn = 0; turn < 8; turn++) await states.save(source([entity(`0/${turn}`, Buffer.from([turn]))]), pool);
    const refused = states.compact(pool, () => Promise.reject(new Error('the partition has another owner')));
    await expect(refused).rejects.toThrow('another owner');
    const again = new PostgresEntityStates(workspace, 'checkpoint', new Keys());
    await again.removeUnfinished(pool);
    expect(
      (
        await rowsOf(
          again,
          Array.from({ length: 8 }, (_, i) => `0/${i}`),
        )
      ).size,
    ).toBe(8);
    const found = await pool.query(
      `select (select count(*)::integer from state_segment where workspace_id = $1) as segments,
              (select count(*)::integer from state_block b join state_segment s on s.id = b.segment
                where s.workspace_id = $1) as blocks,
              (select count(*)::integer from state_block b
                where not exists (select 1 from state_segment s where s.id = b.segment)) as lost`,
      [workspace.id],
    );
    expect(found.rows).toEqual([{ segments: 8, blocks: 8, lost: 0 }]);
  });

  it('contain nothing readable of a client whose key is destroyed, and nothing at all after merges', async () => {
    const [workspace, subjects] = [newWorkspace(), new Keys()];
    const states = new PostgresEntityStates(workspace, 'checkpoint', subjects);
    await pool.query(`insert into subject values ($1, 'bob')`, [workspace.id]);
    await states.save(
      source([entity('c/ana', Buffer.from('a'), 'ana'), entity('c/bob', Buffer.from('b'), 'bob')]),
      pool,
    );
    subjects.erase('ana');
    const again = new PostgresEntityStates(workspace, 'checkpoint', subjects);
    expect((await again.load(['c/ana', 'c/bob'], pool)).map(({ bytes }) => bytes?.toString())).toEqual([
      undefined,
      'b',
    ]);
    for (let turn = 1; turn < 64; turn++) {
      await again.save(source([entity(`0/${turn}`, Buffer.from([turn]))]), pool);
      while (await again.compact(pool, fence));
    }
    const merged = await pool.query(`select level, entries from state_segment where workspace_id = $1`, [workspace.id]);
    expect(merged.rows).toEqual([{ level: 2, entries: 64 }]);
  });

  it('are found while a merge takes their place, and are read again when a part is lost', async () => {
    const workspace = newWorkspace();
    const states = new PostgresEntityStates(workspace, 'checkpoint', new Keys());
    const keys = Array.from({ length: 8 }, (_, i) => `0/${i}`);
    for (const [i, key] of keys.entries()) {
      await states.save(source([entity(key, Buffer.from([i]))]), pool);
      await states.committed();
    }
    const merged = states.compact(pool, fence);
    for (let isMerged = false; !isMerged;) {
      const loaded = await states.load(keys, pool);
      expect(loaded.map(({ bytes }) => bytes?.[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      isMerged = await Promise.race([merged, Promise.resolve(false)]);
    }
    const own = `segment in (select id from state_segment where workspace_id = $1)`;
    await pool.query(`delete from state_block where ${own}`, [workspace.id]);
    await expect(states.load(keys, pool)).rejects.toThrow('lacks a part');
  });

  it('refuse a state that was put in the place of another', async () => {
    const workspace = newWorkspace();
    const states = new PostgresEntityStates(workspace, 'checkpoint', new Keys());
    await states.save(source([entity('0/one', Buffer.from('1')), entity('0/two', Buffer.from('2'))]), pool);
    const { rows } = await pool.query<{ segment: number; bytes: Buffer }>(
      `select b.segment, b.bytes from state_block b join state_segment s on s.id = b.segment where s.workspace_id = $1`,
      [workspace.id],
    );
    const [{ segment, bytes } = { segment: 0, bytes: Buffer.alloc(0) }] = rows;
    const half = bytes.length / 2;
    const [first, second] = [bytes.subarray(0, half), bytes.subarray(half)];
    const swapped = Buffer.concat([
      first.subarray(0, 22),
      second.subarray(22),
      second.subarray(0, 22),
      first.subarray(22),
    ]);
    await pool.query(`update state_block set bytes = $2 where segment = $1`, [segment, swapped]);
    await expect(states.load(['0/one'], pool)).rejects.toThrow('cannot be decrypted');
  });

  it('take over the rows of an earlier release, under newer states, and leave those of erased clients out', async () => {
    const [workspace, subjects] = [newWorkspace(), new Keys()];
    subjects.erase('gone');
    const row = (key: string, subject: string | undefined): Promise<unknown> =>
      pool.query(`insert into entity_state (workspace_id, key, subject, state) values ($1, $2, $3, $4)`, [
        workspace.id,
        nameOf(key),
        subject,
        sealAsBefore(secrets.data, Buffer.from(`row of ${key}`), `entity:${workspace.id}`),
      ]);
    await row('c/ana', 'ana');
    await row('c/gone', 'gone');
    await row('0/payee', undefined);
    await row('0/changed', undefined);
    const states = new PostgresEntityStates(workspace, 'checkpoint', subjects);
    const keys = ['c/ana', '0/payee', '0/changed', '0/none'];
    const texts = async (of: PostgresEntityStates): Promise<unknown> =>
      (await of.load(keys, pool)).map(({ bytes }) => bytes?.toString());
    expect(await states.isEmpty(pool)).toBe(false);
    expect(await texts(states)).toEqual(['row of c/ana', 'row of 0/payee', 'row of 0/changed', undefined]);
    await states.save(source([entity('0/changed', Buffer.from('new'))]), pool);
    expect((await pool.query(`select 1 from entity_state where workspace_id = $1`, [workspace.id])).rowCount).toBe(0);
    const expected = ['row of c/ana', 'row of 0/payee', 'new', undefined];
    expect(await texts(states)).toEqual(expected);
    const again = new PostgresEntityStates(workspace, 'checkpoint', subjects);
    expect(await texts(again)).toEqual(expected);
    expect([...(await rowsOf(again, keys)).keys()].toSorted()).toEqual(['0/changed', '0/payee', 'c/ana']);
  });
});
