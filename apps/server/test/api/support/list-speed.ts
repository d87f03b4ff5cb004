/**
 * Measures how fast the lists of the management API find their pages among many events and actions.
 *
 *     node apps/server/test/api/support/list-speed.ts [events=1000000]
 *
 * Uses its own embedded PostgreSQL, with rows that the database generates: 16,384 clients, 200 events a second, half a
 * percent with a rule that fired, one action per 20 events. Logouts stop after the first hundredth. Times are those of
 * the query, without decrypting the events.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresOutbox } from '@ringfence/delivery';
import { silentLog } from '../../../src/platform/database/database-log.ts';
import { connectForLongWork, makePool } from '../../../src/platform/database/database.ts';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { migrations } from '../../../src/migrations.ts';
import { queriesOver } from '../../../src/platform/database/tables.ts';
import type { StoredFilter } from '../../../src/api/events/event-filter.ts';
import { findEvents } from '../../../src/api/events/event-query.ts';

const count = Number(process.argv[2] ?? '1000000');
const startMs = Date.UTC(2026, 0, 1);
const stepMs = 5;
const limit = 51;
const rounds = 5;

const home = await mkdtemp(join(tmpdir(), 'ringfence-measure-'));
await chmod(home, 0o711);
const postgres = await startEmbeddedPostgres({ home, log: silentLog });
const pool = makePool(postgres.connectionConfig, 4);

async function fill(): Promise<number> {
  const client = await connectForLongWork(postgres.connectionConfig);
  const beganMs = performance.now();
  // 512 rows per statement, as the engine host writes them at full load.
  await client.query(
    `do $$ begin for batch in 0 .. ${Math.ceil(count / 512) - 1} loop
       insert into event (workspace_id, "offset", epoch, kind, subject, session_index, channel_id, logged_at, event_at,
                          status, decided_at, policy_version, matched, fired, shadow, detail)
       select 'measured', i, 1, case when i % 100 < 75 then 'operation' when i % 100 < 99 or i > ${count / 100} then 'login' else 'logout' end,
              'client' || lpad((hashint8(i) & 16383)::text, 10, '0'), sha256(((i / 7) % 200000)::text::bytea), 1,
              to_timestamp((${startMs} + (i / 10) * 10 * ${stepMs}) / 1000.0), to_timestamp((${startMs} + i * ${stepMs}) / 1000.0),
              case when i % 200000 = 7 then 'quarantined' when i % 500 = 3 then 'repeat' else 'decided' end,
              to_timestamp((${startMs} + i * ${stepMs}) / 1000.0), 1, true,
              case when i % 200 = 0 then array[301 + (i / 200 % 24)::integer] else '{}' end, '{}',
              case when i % 200 = 0 then decode(repeat('ab', 300), 'hex') end
         from generate_series(batch::bigint * 512, least(batch * 512 + 511, ${count - 1})) i;
       commit;
     end loop; end $$`,
  );
  const tookMs = performance.now() - beganMs;
  await client.query(
    `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, subject, session_index,
                         channel_id, payload, format, content_hash, state, decided_at, expires_at, lifetime, due_at, finished_at)
     select 'act_' || i, 'measured', 1, i, 301 + (i / 200 % 24), 0, 2, true, 'client' || lpad((hashint8(i) & 16383)::text, 10, '0'),
            sha256(((i / 7) % 200000)::text::bytea), 1, decode(repeat('cd', 200), 'hex'), 'text', decode(repeat('ef', 16), 'hex'),
            case when i % 100000 = 0 then 'dead' else 'executed' end, at, at, interval '1 hour', at, at
       from (select i, to_timestamp((${startMs} + i * ${stepMs}) / 1000.0) as at from generate_series(0, ${count - 1}, 20) i) n`,
  );
  await client.query(`vacuum analyze event`);
  await client.query(`vacuum analyze action`);
  await client.end();
  return tookMs;
}

const at = (share: number): number => startMs + Math.floor(count * share) * stepMs;
const workspaceId = 'measured';
const subject = 'client0000000042';
const filters: Readonly<
  Record<string, { readonly filter: Omit<StoredFilter, 'workspaceId'>; readonly before?: number }>
> = {
  'all, newest page': { filter: {} },
  'all, a page in the middle': { filter: {}, before: Math.floor(count / 2) },
  'one client': { filter: { subject } },
  'one client, logouts': { filter: { subject, kind: 'logout' } },
  'a client without events': { filter: { subject: 'client-unheard-of' } },
  'one session': { filter: { sessionIndex: Buffer.alloc(32, 1) } },
  logins: { filter: { kind: 'login' } },
  'logouts, which stopped long ago': { filter: { kind: 'logout' } },
  quarantined: { filter: { status: 'quarantined' } },
  'waiting (none)': { filter: { status: 'waiting' } },
  decided: { filter: { status: 'decided' } },
  'rules fired': { filter: { fired: true } },
  'one rule': { filter: { reason: 317 } },
  'a rule that never fired': { filter: { reason: 999 } },
  'a second long ago': { filter: { fromMs: at(0.1), toMs: at(0.1) + 1_000 } },
  'a rule on a day long ago': { filter: { reason: 317, fromMs: at(0.1), toMs: at(0.2) } },
  'a client, long ago': { filter: { subject, fromMs: at(0.1), toMs: at(0.2) } },
  'logins, long ago': { filter: { kind: 'login', fromMs: at(0.1), toMs: at(0.1) + 600_000 } },
  'before everything': { filter: { toMs: startMs } },
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function timed(work: () => Promise<{ readonly length: number }>): Promise<string> {
  const tookMs: number[] = [];
  let found = 0;
  for (let round = 0; round < rounds; round++) {
    const beganMs = performance.now();
    found = (await work()).length;
    tookMs.push(performance.now() - beganMs);
  }
  const middle = tookMs.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!;
  return `${String(found).padStart(4)} rows  first ${tookMs[0]!.toFixed(1).padStart(7)} ms  median ${middle.toFixed(1).padStart(7)} ms`;
}

try {
  await migrate(postgres.connectionConfig, migrations);
  const tookMs = await fill();
  const size = await pool.query<{ size: string }>(
    `select pg_size_pretty(pg_table_size('event')) || ' and indexes of ' || pg_size_pretty(pg_indexes_size('event')) as size`,
  );
  print(`${count} events written in ${(tookMs / 1_000).toFixed(1)} s; ${size.rows[0]!.size}`);
  const database = queriesOver(pool);
  for (const [name, { filter, before }] of Object.entries(filters)) {
    print(
      `events   ${name.padEnd(34)} ${await timed(() => findEvents(database, { workspaceId, ...filter }, { limit, before }).then(({ rows }) => rows))}`,
    );
  }
  const outbox = new PostgresOutbox(pool);
  const actions = {
    'all, newest page': {},
    'one client': { subject },
    dead: { states: ['dead'] as const },
    'a rule that never fired': { reason: 999 },
    'a day long ago': { fromMs: at(0.1), toMs: at(0.2) },
  };
  for (const [name, filter] of Object.entries(actions)) {
    print(`actions  ${name.padEnd(34)} ${await timed(() => outbox.list({ workspaceId, ...filter }, limit))}`);
  }
} finally {
  await pool.end();
  await postgres.stop();
  await rm(home, { recursive: true });
}
