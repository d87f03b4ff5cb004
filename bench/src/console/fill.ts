import { assert } from '@ringfence/contract';
import type { Client } from 'pg';
import type { Product } from '../product/start-product.ts';

export interface Filled {
  readonly events: number;
  readonly alerts: number;
  /** The workspace of the events. */
  readonly workspaceId: string;
}

/** Clients that really exist: their events are sealed and can be opened. */
const clients = 500;
const requestsAtOnce = 16;
/** Rows of one statement, as the engine writes them at full load. */
const batchRows = 1_000;
/** Time between two events: 200 a second. */
const stepMs = 5;

/**
 * Fills a workspace as after weeks of use: some thousand real events, sent through ingestion, below a million rows that
 * the database generates, 50,000 alerts, and counts of 400 days. The generated rows have no record in the log, so lists
 * do not open them.
 */
export async function fill(
  product: Product,
  database: Client,
  of: { readonly events: number; readonly alerts: number; readonly print: (text: string) => void },
): Promise<Filled> {
  const { events, alerts, print } = of;
  const real = await sendReal(product);
  const workspaceId = await settled(database, real);
  const beganMs = performance.now();
  await database.query(`update console_position set next_offset = $2 where workspace_id = $1`, [workspaceId, events]);
  await database.query(
    `update event set logged_at = now() - make_interval(secs => ($2 - "offset") * $3 / 1000.0) where workspace_id = $1`,
    [workspaceId, events, stepMs],
  );
  await generateEvents(database, { workspaceId, from: real, events });
  await generateCounts(database, workspaceId);
  await generateAlerts(database, { workspaceId, from: real, events, alerts });
  for (const table of ['event', 'console_count', 'alert', 'alert_event', 'action']) {
    await database.query(`vacuum analyze ${table}`);
  }
  print(`${events} events and ${alerts} alerts in ${Math.round((performance.now() - beganMs) / 1_000)} s\n`);
  return { events, alerts, workspaceId };
}

/** @returns the number of events sent */
async function sendReal({ port, licenseKey }: Product): Promise<number> {
  const post = async (kind: string, body: object): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v5/analytics/app/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${licenseKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert(response.ok, 'an event is accepted');
    await response.arrayBuffer();
  };
  const visit = async (client: number): Promise<void> => {
    const user = `client-${client}`;
    const session = `session-${client}`;
    await post('login', { channelId: 1, user, session, publicIp: `203.0.113.${client % 250}`, data: '' });
    for (let i = 0; i < 3; i++) {
      await post('operation', {
        channelId: 1,
        timestamp: new Date().toISOString(),
        transaction: { category: 'transfer', reference: `real-${client}-${i}` },
        account: { client: user, session },
        order: { amount: 10 + client, currency: 'MXN' },
        accountTo: { bank: 'B1', accountNumber: String(client % 40) },
      });
    }
  };
  for (let from = 0; from < clients; from += requestsAtOnce) {
    const some = Array.from({ length: Math.min(requestsAtOnce, clients - from) }, (_, i) => from + i);
    await Promise.all(some.map(visit));
  }
  return clients * 4;
}

const pollMs = 100;

/**
 * Waits until the console shows everything sent.
 * @returns the workspace
 */
async function settled(database: Client, events: number): Promise<string> {
  for (;;) {
    const found = await database.query<{ workspace_id: string }>(
      `select workspace_id from event group by workspace_id
        having count(*) >= $1 and (select next_offset from console_position p where p.workspace_id = event.workspace_id) > max("offset")`,
      [events],
    );
    if (found.rows[0] !== undefined) return found.rows[0].workspace_id;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

interface Range {
  readonly workspaceId: string;
  readonly from: number;
  readonly events: number;
}

async function generateEvents(database: Client, { workspaceId, from, events }: Range): Promise<void> {
  const top = await database.query<{ next: string; epoch: string; known: readonly string[] }>(
    `select max("offset") + 1 as next, max(epoch) as epoch,
            (select array_agg(id order by id) from subject where workspace_id = $1) as known
       from event where workspace_id = $1`,
    [workspaceId],
  );
  const { next, epoch, known } = top.rows[0]!;
  for (let at = 0; at < events;) {
    const made = await database.query<{ high: string }>(`select high from event_make_range_at($1, $2)`, [
      workspaceId,
      at,
    ]);
    at = Number(made.rows[0]!.high);
  }
  for (let at = Math.max(from, Number(next)); at < events; at += batchRows) {
    const to = Math.min(at + batchRows, events) - 1;
    await database.query(
      `with rows as (
         select i, i % 4 = 0 as is_login, i % 200 = 0 as fires,
                case when i % 100 < 3 then ($5::text[])[1 + i % cardinality($5::text[])]
                     else 'client' || lpad((hashint8(i) & 16383)::text, 11, '2') end as subject
           from generate_series($2::bigint, $3::bigint) i)
       insert into event (workspace_id, "offset", epoch, kind, subject, session_index, channel_id, logged_at, event_at,
                          status, decided_at, policy_version, matched, fired, shadow, device, ip, account, payee,
                          reference, amount, currency, payee_bank, country)
       select $1, i, $4::bigint, case when is_login then 'login' else 'operation' end, subject,
              sha256((i / 7)::text::bytea), 1 + i % 3, at, at, 'decided', at, 1, true,
              case when fires then array[301 + (i / 200 % 24)::integer] else '{}' end, '{}',
              case when is_login then substring(sha256(('d' || i % 40000)::bytea) for 16) end,
              case when is_login then substring(sha256(('i' || i % 60000)::bytea) for 16) end,
              case when not is_login then substring(sha256(('a' || i % 20000)::bytea) for 16) end,
              case when not is_login then substring(sha256(('p' || i % 90000)::bytea) for 16) end,
              case when not is_login then substring(sha256(('r' || i)::bytea) for 16) end,
              case when not is_login then (i * 7919 % 1000000) / 100.0 end,
              case when not is_login then case when i % 50 = 1 then 'USD' else 'MXN' end end,
              case when not is_login then case when i % 5000 = 1 then 'RARE' else 'B' || i % 40 end end,
              case when i % 7000 < 10 then 'NG' else 'MX' end
         from rows, lateral (select now() - make_interval(secs => ($6 - i) * ${stepMs} / 1000.0) as at) t`,
      [workspaceId, at, to, epoch, known, events],
    );
  }
}

/** Three days of minutes and 400 of hours, forty names each. */
async function generateCounts(database: Client, workspaceId: string): Promise<void> {
  for (const [span, buckets] of [
    [60, 3 * 1_440],
    [3_600, 400 * 24],
  ] as const) {
    await database.query(
      `insert into console_count (workspace_id, span, at, name, key, count)
       select $1, $2::integer, to_timestamp(floor(extract(epoch from now()) / $2::integer) * $2::integer - b * $2::integer), n.name, n.key, 1 + b % 50
         from generate_series(1, $3::integer) b,
              (select 'rule' as name, (300 + k)::text as key from generate_series(1, 24) k
               union all select 'country', 'C' || k from generate_series(1, 8) k
               union all select 'event', k from unnest(array['login', 'operation', 'logout']) k
               union all select 'decision', k from unnest(array['fired', 'shadow', 'quiet', 'repeat', 'aside']) k) n
       on conflict do nothing`,
      [workspaceId, span, buckets],
    );
  }
}

/** Nine in ten are open; each has its own client, because a client has at most one open alert. */
async function generateAlerts(database: Client, of: Range & { readonly alerts: number }): Promise<void> {
  const { workspaceId, from, events, alerts } = of;
  const every = Math.floor((events - from) / alerts);
  await database.query(
    `insert into alert (workspace_id, id, subject, state, rank, risk, amount, currency, decisions, reasons, first_offset,
                        last_offset, opened_at, last_at, outcome, closed_by, closed_at, channels)
     select $1, 'alr_' || translate(lpad(i::text, 12, 'a'), '0189', 'abcd'), 'alert' || lpad(i::text, 11, 'a'),
            case when i % 10 = 0 then 'closed' else 'open' end,
            75000000000000 + (hashint8(i)::bigint & 1048575) * 65536 + i % 65536, (i % 101)::integer, (i * 7919 % 1000000) / 100.0, 'MXN',
            (1 + i % 5)::integer, array[301 + (i % 24)::integer], $2::bigint + i * $3::bigint, $2::bigint + i * $3::bigint, now() - make_interval(secs => i % 90000),
            now() - make_interval(secs => i % 3600), case when i % 10 = 0 then 'legitimate' end,
            case when i % 10 = 0 then 'mara@bank.example' end, case when i % 10 = 0 then now() end,
            array[(1 + i % 2)::integer]
       from generate_series(0, $4::bigint - 1) i`,
    [workspaceId, from, every, alerts],
  );
  await database.query(
    `insert into alert_event (workspace_id, alert_id, "offset") select workspace_id, id, last_offset from alert where workspace_id = $1
     on conflict do nothing`,
    [workspaceId],
  );
}
