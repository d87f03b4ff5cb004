/** The chain of records and the seals of stored states: what is changed in the database is named, and nothing else is. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayMs, type EpochMs } from '@ringfence/contract';
import { PostgresLog } from '@ringfence/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifySealed, type SealedVerdict } from '../../src/sealed/verify-sealed.ts';
import { eraseClient } from '../../src/tenancy/subjects/erase-client.ts';
import { migrations } from '../../src/migrations.ts';
import { restoreBackup } from '../../src/platform/database/backup/restore-backup.ts';
import { writeBackup } from '../../src/platform/database/backup/write-backup.ts';
import { makePool } from '../../src/platform/database/database.ts';
import { freshDatabase } from '../support/postgres.ts';
import { RetentionKit } from '../decide/retention/support/retention-kit.ts';

/** A kit whose workspace has a base, segments in both stores, and a log whose start was removed. */
async function lived(): Promise<RetentionKit> {
  const made = await RetentionKit.make();
  await made.live(60, ['ana', 'bob']);
  await made.burst('ana');
  await made.decide();
  return made;
}

function verified({ scene, home }: RetentionKit): Promise<SealedVerdict> {
  return verifySealed({ pool: scene.pool, log: scene.log, master: home.master }, [scene.workspace]);
}

async function namedIn(kit: RetentionKit): Promise<readonly string[]> {
  return (await verified(kit)).wrong.map(({ kind, row }) => `${kind}, ${row}`);
}

/** The offsets of the newest payments of ana, each in a block of its own, and the table that has them. */
async function payments({
  scene,
}: RetentionKit): Promise<{ readonly table: string; readonly offsets: readonly number[] }> {
  const found = await scene.pool.query<{ table: string; offset: number }>(
    `select range::text as table, "offset" from log_record
      where kind = 'operation' and subject = (select subject from log_record where kind = 'login' order by "offset" desc limit 1)
      order by "offset" desc limit 4`,
  );
  const table = found.rows[0]!.table;
  return { table, offsets: found.rows.filter((row) => row.table === table).map(({ offset }) => offset) };
}

describe('an installation that nothing was changed in', () => {
  let kit: RetentionKit;
  beforeAll(async () => {
    kit = await lived();
  });
  afterAll(() => kit.close());

  it('is verified after retention has removed the head of its log, up to its checkpoint', async () => {
    const { start, end } = await kit.scene.log.head(kit.scene.workspace.id);
    expect(start).toBeGreaterThan(0);
    const { wrong, chains, unchained } = await verified(kit);
    expect({ wrong, chains, unchained }).toEqual({
      wrong: [],
      chains: [{ workspace: kit.scene.workspace.id, from: 0, end, link: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      unchained: [],
    });
  });

  it('is verified after a client was erased, before and after its state is gone', async () => {
    await eraseClient(kit.scene, kit.scene.workspace, 'bob');
    expect(await namedIn(kit)).toEqual([]);
    await kit.decide();
    kit.clockMs += dayMs;
    await kit.round();
    expect(await namedIn(kit)).toEqual([]);
  });

  it('is verified where its backup is restored, and goes on there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ringfence-chain-'));
    const restored = await freshDatabase();
    const pool = makePool(restored.config, 2);
    const log = new PostgresLog({ connection: { ...restored.config }, pool, clock: () => kit.clockMs as EpochMs });
    try {
      const file = join(folder, 'today.backup');
      await writeBackup({ connection: kit.home.connection, file, release: '1.2.3', now: new Date(kit.clockMs) });
      await restoreBackup({
        connection: restored.config,
        file,
        migrations,
        nowSeconds: Math.ceil(kit.clockMs / 1_000),
      });
      const { wrong, chains } = await verifySealed({ pool, log, master: kit.home.master }, [kit.scene.workspace]);
      expect({ wrong, chains }).toEqual({ wrong: [], chains: (await verified(kit)).chains });
    } finally {
      await log.close();
      await pool.end();
      await rm(folder, { recursive: true });
    }
  });

  it('continues its chain through starts, and keeps no rows of removed records', async () => {
    const before = (await verified(kit)).chains[0]!;
    await kit.live(40, ['ana', 'eva']);
    expect((await verified(kit)).chains[0]!.end).toBeGreaterThan(before.end);
    const { start } = await kit.scene.log.head(kit.scene.workspace.id);
    const rows = await kit.scene.pool.query(`select 1 from record_chain where end_offset <= $1`, [start]);
    expect(rows.rowCount).toBe(0);
    expect(await namedIn(kit)).toEqual([]);
  });
});

describe('a change in the database', () => {
  let kit: RetentionKit;
  beforeAll(async () => {
    kit = await lived();
  });
  afterAll(() => kit.close());

  /** Runs statements, verifies, and puts the tables back. */
  async function after(tables: readonly string[], ...statements: readonly string[]): Promise<readonly string[]> {
    const { pool } = kit.scene;
    for (const table of tables) await pool.query(`create table saved_${table} as table ${table}`);
    for (const statement of statements) await pool.query(statement);
    const named = await namedIn(kit);
    for (const table of tables) {
      await pool.query(
        `delete from ${table}; insert into ${table} overriding system value select * from saved_${table}; drop table saved_${table}`,
      );
    }
    expect(await namedIn(kit)).toEqual([]);
    return named;
  }

  /** The group of the chain in which a record is. */
  async function groupOf(offset: number): Promise<string> {
    const found = await kit.scene.pool.query<{ group: string }>(
      `select 'records, ' || g.low || ' to ' || least(g.low + 63, c.end_offset - 1) as group
         from record_chain c, lateral (select c.from_offset + ($1 - c.from_offset) / 64 * 64 as low) g
        where $1 >= c.from_offset and $1 < c.end_offset`,
      [offset],
    );
    return found.rows[0]!.group;
  }

  it('that exchanges two records of one client and kind', async () => {
    const { table, offsets } = await payments(kit);
    const [one, two] = offsets;
    const named = await after(
      [table],
      `update ${table} t set frames = o.frames from ${table} o
        where (t.first_offset, o.first_offset) in ((${one}, ${two}), (${two}, ${one}))`,
    );
    expect(named).toEqual([...new Set([await groupOf(two!), await groupOf(one!)])]);
  });

  it('that repeats a record in the place of another', async () => {
    const { table, offsets } = await payments(kit);
    const named = await after(
      [table],
      `update ${table} set frames = (select frames from ${table} where first_offset = ${offsets[0]}) where first_offset = ${offsets[1]}`,
    );
    expect(named).toEqual([await groupOf(offsets[1]!)]);
  });

  it('that removes a record', async () => {
    const { table, offsets } = await payments(kit);
    const named = await after([table], `delete from ${table} where first_offset = ${offsets[1]}`);
    expect(named).toEqual([`record, ${offsets[1]}`, await groupOf(offsets[1]!)]);
  });

  it('that changes a byte of a record, or its time', async () => {
    const { table, offsets } = await payments(kit);
    const change = `update ${table} set frames = set_byte(frames, length(frames) - 1, get_byte(frames, length(frames) - 1) # 1)`;
    const where = `where first_offset = ${offsets[0]}`;
    expect(await after([table], `${change} ${where}`)).toEqual([
      `record operation, ${offsets[0]}`,
      await groupOf(offsets[0]!),
    ]);
    expect(await after([table], `update ${table} set log_time_ms = log_time_ms - 1 ${where}`)).toEqual([
      await groupOf(offsets[0]!),
    ]);
  });

  it('that cuts the head or the end of the log', async () => {
    const { start, end } = await kit.scene.log.head(kit.scene.workspace.id);
    const base = await kit.scene.pool.query<{ at: number }>(`select next_offset as at from log_base`);
    const at = base.rows[0]!.at;
    expect(start).toBeLessThanOrEqual(at);
    expect(await after(['log_partition'], `update log_partition set start_offset = ${at + 2}`)).toContain(
      `log_partition, its records from ${at} to ${at + 1} are gone`,
    );
    expect(await after(['log_partition'], `update log_partition set end_offset = ${end - 2}`)).toContain(
      `log_partition, its records from ${end - 2} to ${end - 1} are gone`,
    );
  });

  it('that cuts the chain, at its end, its head or in between, or changes it', async () => {
    const { pool } = kit.scene;
    const rows = (
      await pool.query<{ from: number; end: number }>(
        `select from_offset as from, end_offset as end from record_chain order by 1`,
      )
    ).rows;
    expect(rows.length).toBeGreaterThan(2);
    const [first, second, last] = [rows[0]!, rows[1]!, rows.at(-1)!];
    const { start } = await kit.scene.log.head(kit.scene.workspace.id);
    const cut = (offset: number): string => `delete from record_chain where from_offset = ${offset}`;
    expect(await after(['record_chain'], cut(last.from))).toEqual([
      `record_chain, it ends at ${last.from}, not at ${last.end}`,
    ]);
    expect(await after(['record_chain'], cut(first.from))).toEqual([
      `record_chain, its part from ${Math.max(first.from, start)} to ${first.end - 1} is gone`,
    ]);
    expect(await after(['record_chain'], cut(second.from))).toEqual([
      `record_chain, its part from ${second.from} to ${second.end - 1} is gone`,
    ]);
    const change = `update record_chain set links = set_byte(links, 40, get_byte(links, 40) # 1)`;
    expect(await after(['record_chain'], `${change} where from_offset = ${second.from}`)).toContain(
      `record_chain, ${second.from} to ${second.end - 1}`,
    );
    expect(await after(['state_seal'], `delete from state_seal where store = 'checkpoint'`)).toEqual([
      'state_seal (checkpoint), it is gone',
    ]);
  });
});

describe('an earlier state in the place of a later one', () => {
  let kit: RetentionKit;
  beforeAll(async () => {
    kit = await lived();
  });
  afterAll(() => kit.close());

  const tables = ['state_segment', 'state_block', 'checkpoint', 'state_seal'];

  async function save(): Promise<void> {
    for (const table of tables) {
      await kit.scene.pool.query(`drop table if exists older_${table}; create table older_${table} as table ${table}`);
    }
  }

  it('is noticed where the newest segment is gone, or an older one has its place', async () => {
    const { pool } = kit.scene;
    const found = await pool.query<{ id: number; older: number }>(
      `select max(id) as id, min(id) as older from state_segment where store = 'checkpoint'`,
    );
    const { id, older } = found.rows[0]!;
    expect(id).toBeGreaterThan(older);
    await save();
    const { nextOffset } = (
      await pool.query<{ nextOffset: number }>(`select next_offset as "nextOffset" from checkpoint`)
    ).rows[0]!;
    const state = `state of the checkpoint, as of ${nextOffset}: it is not the one that was written last`;
    const put = async (): Promise<void> => {
      for (const table of tables)
        await pool.query(`delete from ${table}; insert into ${table} select * from older_${table}`);
    };
    await pool.query(`delete from state_segment where id = ${id}`);
    expect(await namedIn(kit)).toEqual([state]);
    await put();
    await pool.query(`delete from state_block where segment = ${id};
      insert into state_block select ${id}, block, bytes from state_block where segment = ${older}`);
    expect(await namedIn(kit)).toEqual([`state_segment (checkpoint), ${id}`]);
    await put();
    await pool.query(`delete from state_block where segment = ${id};
      insert into state_block select ${id}, block, bytes from state_block where segment = ${older};
      update state_segment s set entries = o.entries, firsts = o.firsts, filter = o.filter, tag = o.tag
        from state_segment o where s.id = ${id} and o.id = ${older}`);
    expect(await namedIn(kit)).toEqual([state]);
    await put();
    expect(await namedIn(kit)).toEqual([]);
  });

  it('is noticed by the engine when it starts, which notes it: it stays noticed when the next checkpoint covers it', async () => {
    const { pool, logged } = kit.scene;
    await save();
    await kit.burst('ana');
    await kit.decide();
    for (const table of tables)
      await pool.query(`delete from ${table}; insert into ${table} select * from older_${table}`);
    const { nextOffset } = (
      await pool.query<{ nextOffset: number }>(`select next_offset as "nextOffset" from checkpoint`)
    ).rows[0]!;
    const { end } = await kit.scene.log.head(kit.scene.workspace.id);
    expect(await namedIn(kit)).toEqual([`record_chain, it ends at ${end}, not at ${nextOffset}`]);
    await kit.decide();
    expect(logged.filter(({ level }) => level === 'error')).toMatchObject([
      {
        fields: { offset: nextOffset, changed: ['the end of the chain of records'] },
        message: 'the database was changed outside of the service since the last checkpoint',
      },
    ]);
    const { wrong, chains } = await verified(kit);
    expect(wrong).toEqual([
      {
        kind: 'the end of the chain of records',
        workspace: kit.scene.workspace.id,
        row: expect.stringMatching(new RegExp(`^as of ${nextOffset}, noticed by the service at `)),
      },
    ]);
    expect(chains).toMatchObject([{ from: nextOffset, end }]);
  });
});

describe('a database of an earlier release', () => {
  let kit: RetentionKit;
  beforeAll(async () => {
    kit = await RetentionKit.make();
    await kit.burst('ana');
    await kit.decide();
    await kit.scene.pool.query(`delete from record_chain; delete from state_seal; update state_segment set tag = null`);
  });
  afterAll(() => kit.close());

  it('is verified without a chain, which begins with the next checkpoint', async () => {
    const { workspace, log } = kit.scene;
    expect(await verified(kit)).toMatchObject({ wrong: [], chains: [], unchained: [workspace.id] });
    const { end: from } = await log.head(workspace.id);
    await kit.burst('ana');
    await kit.decide();
    const { end } = await log.head(workspace.id);
    expect(await verified(kit)).toMatchObject({ wrong: [], chains: [{ from, end }], unchained: [] });
    expect(kit.scene.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
