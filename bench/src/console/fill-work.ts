import { assert } from '@ringfence/contract';
import { adminToken } from '@ringfence/e2e';
import type { Client } from 'pg';

/** One event in this many has an action; one in some thousand of those failed permanently. */
const eventsOfAction = 20;
const actionsOfDead = 5_000;
/** The audit log of a team over some years. */
const auditEntries = 300_000;
const labels = 20_000;
const refusedRequests = 20_000;
const suppressions = 500;
const listItems = 5_000;
/** The maximum of one request. */
const itemsOfChange = 1_000;

interface Range {
  readonly workspaceId: string;
  readonly events: number;
}

/**
 * Inserts what people and the bank did about the events into the tables that analysts list. The database generates the
 * rows.
 */
export async function fillWork(database: Client, of: Range & { readonly managementUrl: string }): Promise<void> {
  await generateActions(database, of);
  await generateAudit(database, of.workspaceId);
  await generateNotes(database, of);
  await putListItems(of);
  for (const table of ['action', 'audit_entry', 'label', 'refused_request', 'list_item']) {
    await database.query(`vacuum analyze ${table}`);
  }
}

async function generateActions(database: Client, { workspaceId, events }: Range): Promise<void> {
  await database.query(
    `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, subject, session_index,
                         channel_id, payload, format, content_hash, state, decided_at, expires_at, lifetime, due_at, finished_at)
     select 'act_bench' || i, $1, 1, i, 301 + (i / 200 % 24)::integer, 0, 2, true, e.subject, e.session_index, e.channel_id,
            decode(repeat('cd', 200), 'hex'), 'text', decode(repeat('ef', 16), 'hex'),
            case when i / ${eventsOfAction} % ${actionsOfDead} = 0 then 'dead' else 'executed' end, e.logged_at, e.logged_at + interval '1 hour',
            interval '1 hour', e.logged_at, e.logged_at
       from generate_series(${eventsOfAction}, $2::bigint - 1, ${eventsOfAction}) i
       join event e on e.workspace_id = $1 and e."offset" = i
     on conflict do nothing`,
    [workspaceId, events],
  );
}

/** Without a valid chain and valid signatures: the benchmark measures how entries are found, not their integrity. */
async function generateAudit(database: Client, workspaceId: string): Promise<void> {
  await database.query(
    `insert into audit_entry (seq, at, workspace_id, actor_kind, actor, action, target, address, request_id, detail, hash, signature)
     select h.seq + i, now() - make_interval(mins => ${auditEntries} - i::integer), case when i % 10 = 0 then null else $1 end, 'person',
            'person-' || i % 40 || '@bank.example', (array['claimAlert', 'closeAlert', 'personalData.show', 'labelEvent', 'openSession'])[1 + i % 5],
            'evt_1_' || i, '198.51.100.7', 'request-' || i, '{}', sha256(i::text::bytea), sha256(i::text::bytea)
       from audit_head h, generate_series(1, ${auditEntries}) i`,
    [workspaceId],
  );
  await database.query(`update audit_head set seq = seq + ${auditEntries}`);
}

async function generateNotes(database: Client, { workspaceId, events }: Range): Promise<void> {
  await database.query(
    `insert into label (workspace_id, "offset", epoch, record_offset, subject, label, author, labelled_at)
     select $1, e."offset", e.epoch, $2::bigint + e."offset", e.subject, case when e."offset" % 3 = 0 then 'fraud' else 'legitimate' end,
            'mara@bank.example', now()
       from event e where e.workspace_id = $1 and e."offset" % ($2::bigint / ${labels}) = 0
     on conflict do nothing`,
    [workspaceId, events],
  );
  await database.query(
    `insert into refused_request (workspace_id, key_id, request_id, at, method, path, status, code, body_bytes, errors)
     select $1, 'key_bench', 'request-' || i, now() - make_interval(secs => i), 'POST', '/api/v5/analytics/app/login', 422,
            'event.invalid', 200, '[{"pointer":"/user","detail":"The string is empty."}]'
       from generate_series(1, ${refusedRequests}) i`,
    [workspaceId],
  );
  await database.query(
    `insert into alert_suppression (workspace_id, id, subject, reason, until, why, made_by, made_at)
     select $1, 'sup_' || translate(lpad(i::text, 12, 'a'), '0189', 'wxyz'), s.id, null, now() + interval '1 day', 'known', 'mara@bank.example', now()
       from generate_series(1, ${suppressions}) i,
            lateral (select id from subject where workspace_id = $1 order by id offset i % 400 limit 1) s
     on conflict do nothing`,
    [workspaceId],
  );
}

/** Through the API, because items are sealed. */
async function putListItems(of: Pick<Range, 'workspaceId'> & { readonly managementUrl: string }): Promise<void> {
  const url = `${of.managementUrl}/management/v1/workspaces/${of.workspaceId}/lists/${liveList}/items`;
  for (let from = 0; from < listItems; from += itemsOfChange) {
    const put = Array.from({ length: itemsOfChange }, (_, i) => ({ parts: [`B2/${from + i}`] }));
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ put, comment: 'bench' }),
    });
    assert(response.ok, `items are put: ${response.status} ${await response.text()}`);
  }
}

/** So that every alert of a list has a due time: five working days. */
export const dueMinutes = 2_400;

/** A live list of the starter policy. */
export const liveList = 'mulesKnown';
