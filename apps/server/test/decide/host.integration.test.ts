/** The engine host on a real database: what it writes, and that stops and crashes have no visible effect. */
import { dayMs, type EpochMs, hourMs, isEventKind } from '@ringfence/contract';
import { PostgresOutbox } from '@ringfence/delivery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenInstallation } from '../../src/cli/open-installation.ts';
import { checkNewLife } from '../../src/cli/doctor/check-new-life.ts';
import { readFailovers } from '../../src/decide/failover.ts';
import { eventPlace } from '../../src/records/event-opener.ts';
import { seal } from '../../src/platform/secrets/seal.ts';
import { PostgresSubjectKeys } from '../../src/tenancy/subjects/postgres-subject-keys.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene, silentReport } from './support.ts';
import { loseStates } from '../support/stored-states.ts';

let home: Installation;
let scene: Scene;

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
});
afterEach(async () => {
  await scene.close();
  await home.close();
});

const login = (user: string, session: string): object => ({
  channelId: 1,
  user,
  session,
  publicIp: '203.0.113.7',
  data: 'blob',
});
const payment = (client: string, session: string, reference: string): object => ({
  channelId: 1,
  timestamp: new Date().toISOString(),
  transaction: { category: 'transfer', reference },
  account: { client, session },
  order: { amount: 10.5, currency: 'MXN' },
  accountTo: { bank: 'B1', accountNumber: '42' },
});

/** Six payments within minutes: rule 301 closes the session. */
async function burst(client: string, count = 6): Promise<void> {
  await scene.send('login', login(client, `s-${client}`));
  for (let i = 0; i < count; i++) await scene.send('operation', payment(client, `s-${client}`, `${client}-${i}`));
}

/** Starts a process, which decides everything and stops cleanly. */
async function runOnce(): Promise<void> {
  const host = scene.startHost();
  await host.ready;
  await scene.settled();
  await host.stop();
}

/** A login without a client, sealed under the workspace's key. */
function sealedLogin({ id, secrets }: Workspace, plaintext: Buffer): Buffer {
  return seal(secrets.data, plaintext, eventPlace(id, { kind: 'login', subject: undefined }));
}

interface Decided {
  readonly offset: number;
  readonly status: string;
  readonly matched: boolean | null;
  readonly fired: number[];
}

async function decided(): Promise<readonly Decided[]> {
  const found = await scene.pool.query<Decided>(
    `select "offset", status, matched, fired from event where workspace_id = $1 order by "offset"`,
    [scene.workspace.id],
  );
  return found.rows;
}

async function actionIds(): Promise<readonly string[]> {
  const found = await scene.pool.query<{ id: string }>(`select id from action where workspace_id = $1 order by id`, [
    scene.workspace.id,
  ]);
  return found.rows.map(({ id }) => id);
}

async function digest(): Promise<string> {
  const found = await scene.pool.query<{ digest: Buffer }>(
    `select digest from engine_position where workspace_id = $1`,
    [scene.workspace.id],
  );
  return found.rows[0]!.digest.toString('hex');
}

describe('the engine host', () => {
  it('decides the log in order, and stores actions to be sent', async () => {
    await burst('ana');
    scene.startHost();
    await scene.settled();
    const events = await decided();
    expect(events.map(({ status }) => status)).toEqual(Array(7).fill('decided'));
    expect(events.slice(1).map(({ matched }) => matched)).toEqual(Array(6).fill(true));
    expect(events.at(-1)?.fired).toContain(301);
    expect(await actionIds()).toHaveLength(1);
  });

  it('does not read records that this process appended', async () => {
    const readOffsets = new Set<number>();
    const log: Scene['hostDeps']['log'] = {
      append: (...given) => scene.log.append(...given),
      appendWith: (...given) => scene.log.appendWith(...given),
      read: async (...given) => {
        const records = await scene.log.read(...given);
        for (const { offset } of records) readOffsets.add(offset);
        return records;
      },
    };
    await scene.startHost({ log }).ready;
    await scene.settled();
    const { end } = await scene.log.head(scene.workspace.id);
    await burst('ana');
    await scene.settled();
    const sent = (await decided()).map(({ offset }) => offset).filter((offset) => offset >= end);
    expect(sent).toHaveLength(7);
    // One may be read: the look at all log ends, once a second, may notice an append first.
    expect(sent.filter((offset) => readOffsets.has(offset)).length).toBeLessThan(2);
  });

  it('makes actions due immediately, even when the clock was an hour ahead until now', async () => {
    await scene.pool.query(`update log_partition set log_time_ms = $1`, [Date.now() + hourMs]);
    await burst('ana');
    scene.startHost();
    await scene.settled();
    const places = { workspaceId: scene.workspace.id, urgent: 1, ordinary: 1 };
    expect(await new PostgresOutbox(scene.pool).lease([places], Date.now())).toHaveLength(1);
  });

  it('resumes where it stopped, and decides nothing twice', async () => {
    await burst('ana', 3);
    await runOnce();
    scene.startHost();
    await scene.settled();
    for (let i = 3; i < 6; i++) await scene.send('operation', payment('ana', 's-ana', `ana-${i}`));
    await scene.settled();
    expect((await decided()).at(-1)?.fired).toContain(301);
    expect(await actionIds()).toHaveLength(1);
  });

  it('recovers from an older checkpoint with the same decisions', async () => {
    await burst('ana', 3);
    await runOnce();
    const older = await scene.pool.query(`select * from checkpoint`);
    await keepStates();
    await burst('eva');
    await runOnce();
    const before = { digest: await digest(), events: await decided(), actions: await actionIds() };
    await rewind(older.rows[0] as Checkpoint);

    await runOnce();
    expect({ digest: await digest(), events: await decided(), actions: await actionIds() }).toEqual(before);
    const ranges = await scene.pool.query(`select * from irreproducible_range`);
    expect(ranges.rows).toEqual([]);
  });

  it('steps no record a third time, however soon it crashes again', async () => {
    await runOnce();
    const [older] = (await scene.pool.query<Checkpoint>(`select * from checkpoint`)).rows;
    await keepStates();
    await burst('ana');
    await runOnce();
    await rewind(older!);
    const host = scene.startHost();
    await host.ready;
    // Long before the running engine's next checkpoint is due.
    await expect.poll(checkpointBehindPosition).toBe(0);
    await host.stop();
  });

  it('records the range when replayed decisions differ from the recorded ones', async () => {
    await burst('ana');
    await runOnce();
    await scene.pool.query(`delete from checkpoint`);
    await loseStates(scene.pool);
    await scene.pool.query(`update engine_position set digest = decode(repeat('ab', 32), 'hex')`);
    await runOnce();
    const ranges = await scene.pool.query(`select from_offset, to_offset from irreproducible_range`);
    expect(ranges.rows).toHaveLength(1);
    expect(scene.logged.map(({ message }) => message)).toContain('replayed decisions differ from the recorded ones');
  });

  it.each<[string, (workspace: Workspace) => Buffer]>([
    ['not sealed at all', () => Buffer.from('not sealed at all, and long enough')],
    ['no record of an event', (workspace) => sealedLogin(workspace, Buffer.from('{"body":{}} {"door":{}}'))],
    ['no text', (workspace) => sealedLogin(workspace, Buffer.from([0xff, 0xfe]))],
  ])('quarantines a damaged record (%s) after three failures, and decides the others', async (_, payloadOf) => {
    await burst('ana', 2);
    const damaged = await scene.log.append(scene.workspace.id, { kind: 'login', payload: payloadOf(scene.workspace) });
    await burst('eva', 6);
    scene.startHost();
    await scene.settled();
    const events = await decided();
    expect(events.filter(({ status }) => status === 'quarantined').map(({ offset }) => offset)).toEqual([
      damaged.kind === 'appended' ? damaged.offset : undefined,
    ]);
    expect(events.at(-1)?.fired).toContain(301);
    const quarantine = await scene.pool.query(`select tries, quarantined_at is not null as aside from quarantine`);
    expect(quarantine.rows).toEqual([{ tries: 3, aside: true }]);
  });

  it('indexes a quarantined event for the console, so that it is found by what it contains', async () => {
    await burst('ana', 1);
    const records = await scene.log.read(scene.workspace.id, 0, 1_000);
    const offsets = records.filter(({ kind }) => isEventKind(kind)).map(({ offset }) => offset);
    await scene.pool.query(
      `insert into quarantine (workspace_id, "offset", tries, error, quarantined_at)
       select $1, unnest($2::bigint[]), 3, 'x', now()`,
      [scene.workspace.id, offsets],
    );
    scene.startHost();
    await scene.settled();
    const index = await scene.pool.query(
      `select e.status, e.ip is not null as ip, e.payee is not null as payee, e.amount::float8 as amount
         from event e order by e."offset"`,
    );
    expect(index.rows).toEqual([
      { status: 'quarantined', ip: true, payee: false, amount: null },
      { status: 'quarantined', ip: false, payee: true, amount: 10.5 },
    ]);
  });

  it('quarantines the records of a client whose key no longer opens, and decides the others', async () => {
    await burst('ana', 1);
    await scene.pool.query(`update subject set sealed_key = set_byte(sealed_key, 20, 255 - get_byte(sealed_key, 20))`);
    await burst('eva', 6);
    await scene.subjects.close();
    const subjects = new PostgresSubjectKeys({ pool: scene.pool, log: scene.log, onError: () => {} });
    scene.startHost({ subjects });
    await scene.settled();
    const events = await decided();
    expect(events.map(({ status }) => status).slice(0, 3)).toEqual(['quarantined', 'quarantined', 'decided']);
    expect(events.at(-1)?.fired).toContain(301);
  });

  it('logs once that the database was failed over, even when that was before its start', async () => {
    const said = (): number =>
      scene.logged.filter(({ message }) => message.startsWith('the database was failed over')).length;
    const goBack = () => scene.pool.query(`update log_partition set life = 'before'`);
    await burst('heidi');
    await runOnce();
    expect(said()).toBe(0);
    await goBack();
    await burst('ivan');
    await runOnce();
    await burst('judy');
    await runOnce();
    expect(said()).toBe(1);
    const log = await scene.log.read(scene.workspace.id, 0, 1_000);
    const at = log.findIndex(({ epoch }) => epoch !== log[0]!.epoch);
    const [keptUntilMs, sinceMs] = [log[at - 1]!, log[at]!].map(({ logTimeMs }) => logTimeMs);
    const lives = await readFailovers(scene.pool, 0);
    expect(lives).toEqual([{ workspaceId: scene.workspace.id, sinceMs, keptUntilMs }]);
    const installation = { ...home.deps, pool: scene.pool } as OpenInstallation;
    const [finding] = await checkNewLife(installation, Date.now());
    expect(finding).toMatchObject({
      state: 'unwise',
      detail: expect.stringContaining(new Date(keptUntilMs!).toISOString()),
    });
    expect(await checkNewLife(installation, Date.now() + 8 * dayMs)).toEqual([]);
  });

  it('reports an engine that fails repeatedly, and its recovery', async () => {
    const said: string[] = [];
    let isBroken = true;
    const now = (): EpochMs => {
      if (isBroken) throw new Error('an unexpected error');
      return Date.now() as EpochMs;
    };
    scene.startHost({
      now,
      report: { ...silentReport, ready: (_, where) => said.at(-1) !== where && said.push(where) },
    });
    await expect.poll(() => said.at(-1)).toBe('failing');
    isBroken = false;
    await expect.poll(() => said.at(-1)).toBe('here');
    expect(said.slice(said.indexOf('failing'))).toEqual(['failing', 'here']);
  });

  it('does not report a failing engine when the disk of the database is full', async () => {
    const said: string[] = [];
    let failed = 0;
    const now = (): EpochMs => {
      if (failed === 6) return Date.now() as EpochMs;
      failed += 1;
      throw Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' });
    };
    scene.startHost({
      now,
      report: { ...silentReport, ready: (_, where) => said.at(-1) !== where && said.push(where) },
    });
    await expect.poll(() => failed).toBe(6);
    await expect.poll(() => said.at(-1)).toBe('here');
    expect(said).not.toContain('failing');
  });

  it('does not begin while a transaction of an earlier run is open', async () => {
    await burst('ana', 1);
    scene.startHost();
    await scene.settled();
    const earlier = await scene.pool.connect();
    await earlier.query('begin');
    await earlier.query(`select 1 from partition_owner for share`);
    await scene.log.append(scene.workspace.id, { kind: 'login', payload: Buffer.from('ends this life of the engine') });
    await burst('eva', 6);
    const failed = 'the engine failed on a record';
    await expect.poll(() => scene.logged.filter(({ message }) => message === failed)).toHaveLength(1);
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%partition_owner%'`;
    try {
      await expect.poll(async () => (await scene.pool.query(waiting)).rowCount).toBe(1);
      expect(await decided()).toHaveLength(2);
    } finally {
      earlier.release(true);
    }
    await scene.settled();
    expect((await decided()).at(-1)?.fired).toContain(301);
  });

  it('decides an event that was received with surrounding white space', async () => {
    const text = `\r\n ${JSON.stringify(login('ana', 's-ana'))}\n`;
    await scene.sendText('login', text);
    await burst('eva', 6);
    scene.startHost();
    await scene.settled();
    const events = await decided();
    expect(events.map(({ status }) => status)).not.toContain('quarantined');
    expect(events.at(-1)?.fired).toContain(301);
  });

  it('stops writing when another process has taken the partition', async () => {
    await burst('ana', 1);
    scene.startHost();
    await scene.settled();
    // The first thing that a process does when it takes over.
    await scene.pool.query(`update engine_position set owner_epoch = owner_epoch + 1`);
    const before = await decided();
    await burst('eva', 1);
    await expect
      .poll(() => scene.logged.map(({ message }) => message))
      .toContain('another process took over the workspace');
    expect((await decided()).length).toBeLessThanOrEqual(before.length + 2);
  });

  it('has one owner when two processes run, and another when the owner stops', async () => {
    const first = scene.startHost();
    await burst('ana', 1);
    await scene.settled();
    scene.startHost();
    await first.stop();
    await burst('eva', 6);
    await scene.settled();
    expect((await decided()).at(-1)?.fired).toContain(301);
    const owner = await scene.pool.query<{ process: string }>(`select process from partition_owner`);
    expect(owner.rows[0]?.process).toBe('test 1');
  });
});

interface Checkpoint {
  readonly next_offset: number;
  readonly decided: number;
  readonly digest: Buffer;
  readonly state: Buffer;
}

/** Number of records that would be stepped again after a crash. */
async function checkpointBehindPosition(): Promise<number> {
  const found = await scene.pool.query<{ behind: string }>(
    `select p.next_offset - c.next_offset as behind from engine_position p join checkpoint c using (workspace_id)`,
  );
  return Number(found.rows[0]!.behind);
}

const stateTables = ['state_segment', 'state_block'];

async function keepStates(): Promise<void> {
  for (const table of stateTables) await scene.pool.query(`create table ${table}_kept as table ${table}`);
}

/** Restores the database to its state of a crash before the last checkpoint. */
async function rewind(checkpoint: Checkpoint): Promise<void> {
  await scene.pool.query(`update checkpoint set next_offset = $1, decided = $2, digest = $3, state = $4`, [
    checkpoint.next_offset,
    checkpoint.decided,
    checkpoint.digest,
    checkpoint.state,
  ]);
  await loseStates(scene.pool);
  for (const table of stateTables) await scene.pool.query(`insert into ${table} table ${table}_kept`);
}
