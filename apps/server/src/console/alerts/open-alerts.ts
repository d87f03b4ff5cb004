import { clientOf } from '@ringfence/contract';
import type { FiredRule } from '@ringfence/engine';
import type { ClientBase } from 'pg';
import type { FedEvent } from '../feed/fed-event.ts';
import type { LiveEntry } from '../live/live-log.ts';
import { openDecision } from '../../records/event-opener.ts';
import { seal } from '../../platform/secrets/seal.ts';
import { randomId } from '../../platform/secrets/random-id.ts';
import { clientPlace } from '../../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { MoneyScale } from './money-scale.ts';
import { rankOf } from './rank.ts';

/** The risk of each fired rule if no rule has a score. */
const riskOfRule = 40;
const riskMax = 100;

interface Concern {
  readonly offset: number;
  readonly subject: string | null;
  readonly atMs: number;
  readonly reasons: readonly number[];
  readonly risk: number;
  readonly amount: string | null;
  readonly currency: string | null;
  /** Encrypted under its own key. */
  readonly client: Buffer | undefined;
  readonly channel: number | null;
}

/**
 * Adds decisions on which a live rule fired to the open alert of their client, or opens a new one.
 *
 * @returns entries for open pages, to be appended at the end of the transaction
 */
export async function openAlerts(
  client: ClientBase,
  workspace: Workspace,
  decided: readonly FedEvent[],
): Promise<readonly LiveEntry[]> {
  const concerns = decided.filter(({ row }) => row.fired.length > 0).map((event) => concernOf(workspace, event));
  if (concerns.length === 0) return [];
  await lockAlerts(client, workspace.id, concerns);
  const suppressed = await readSuppressed(client, workspace.id, concerns);
  const scale = new MoneyScale(client, workspace.id);
  const told: LiveEntry[] = [];
  for (const concern of concerns) {
    const reasons = concern.reasons.filter((reason) => !suppressed(concern, reason));
    if (reasons.length === 0) continue;
    told.push(await putConcern(client, workspace.id, { concern: { ...concern, reasons }, scale }));
  }
  return told;
}

/** Locks in the same order as analysts who close several alerts, so that there is no deadlock. */
async function lockAlerts(client: ClientBase, workspaceId: string, concerns: readonly Concern[]): Promise<void> {
  await client.query(
    `select 1 from alert where workspace_id = $1 and subject = any($2) and state = 'open' order by id for update`,
    [workspaceId, concerns.flatMap(({ subject }) => subject ?? [])],
  );
}

function concernOf(workspace: Workspace, { row, opened, keys }: FedEvent): Concern {
  const decision = openDecision(workspace, row, keys);
  const order = opened?.event.kind === 'operation' ? opened.event.order : undefined;
  return {
    offset: row.offset,
    subject: row.subject,
    atMs: row.logged_at.getTime(),
    reasons: row.fired,
    risk: riskOf(decision?.fired ?? [], row.fired.length),
    amount: order?.amount ?? null,
    currency: order?.currency ?? null,
    client: sealedClient(workspace, { row, opened, keys }),
    channel: row.channel_id,
  };
}

function sealedClient(workspace: Workspace, { row, opened, keys }: FedEvent): Buffer | undefined {
  const client = opened === undefined ? undefined : clientOf(opened.event);
  const key = row.subject === null ? undefined : keys.get(row.subject);
  if (client === undefined || key === undefined || row.subject === null) return undefined;
  return seal(
    key,
    Buffer.from(client),
    clientPlace('alert', { workspaceId: workspace.id, subject: row.subject }, row.offset),
  );
}

/** The sum of the scores of the live rules that acted. */
function riskOf(fired: readonly FiredRule[], rules: number): number {
  const acting = fired.filter(({ mode, suppressed }) => mode === 'live' && suppressed === undefined);
  const scored = acting.filter(({ score }) => score !== undefined);
  const risk = scored.length === 0 ? rules * riskOfRule : scored.reduce((total, { score = 0 }) => total + score, 0);
  return Math.max(0, Math.min(riskMax, Math.round(risk)));
}

async function readSuppressed(
  client: ClientBase,
  workspaceId: string,
  concerns: readonly Concern[],
): Promise<(concern: Concern, reason: number) => boolean> {
  const found = await client.query<{ subject: string; reason: number | null; until: Date; made_at: Date }>(
    `select subject, reason, until, made_at from alert_suppression where workspace_id = $1 and subject = any($2)`,
    [workspaceId, concerns.flatMap(({ subject }) => subject ?? [])],
  );
  return ({ subject, atMs }, reason) =>
    found.rows.some(
      (one) =>
        one.subject === subject &&
        (one.reason === null || one.reason === reason) &&
        atMs >= one.made_at.getTime() &&
        atMs < one.until.getTime(),
    );
}

/**
 * Adds an event to the open alert of its client, or opens one, for these rules. Suppressions of alerts do not count. Does
 * nothing if the open alert has the event already.
 */
export async function openAlertOf(
  client: ClientBase,
  workspace: Workspace,
  { event, reasons }: { readonly event: FedEvent; readonly reasons: readonly number[] },
): Promise<readonly LiveEntry[]> {
  const concern = { ...concernOf(workspace, event), reasons };
  await lockAlerts(client, workspace.id, [concern]);
  const present = await client.query(
    `select 1 from alert_event e join alert a on a.workspace_id = e.workspace_id and a.id = e.alert_id
      where e.workspace_id = $1 and e."offset" = $2 and a.state = 'open'`,
    [workspace.id, concern.offset],
  );
  if (present.rowCount !== 0) return [];
  return [await putConcern(client, workspace.id, { concern, scale: new MoneyScale(client, workspace.id) })];
}

async function putConcern(
  client: ClientBase,
  workspaceId: string,
  { concern, scale }: { readonly concern: Concern; readonly scale: MoneyScale },
): Promise<LiveEntry> {
  const { offset, subject, atMs, reasons, risk, amount, currency, client: sealed, channel } = concern;
  const channels = channel === null ? [] : [channel];
  const present =
    subject === null
      ? undefined
      : (
          await client.query<OpenRow>(
            `select id, risk, amount, currency, opened_at from alert
              where workspace_id = $1 and subject = $2 and state = 'open' for update`,
            [workspaceId, subject],
          )
        ).rows[0];
  const id = present?.id ?? `alr_${randomId(12)}`;
  const at = new Date(atMs);
  if (present === undefined) {
    const rank = rankOf({ risk, money: await scale.points(concern), openedAtMs: atMs, tie: offset });
    await client.query(
      `insert into alert (workspace_id, id, subject, rank, risk, amount, currency, decisions, reasons, first_offset,
                          last_offset, riskiest_offset, opened_at, last_at, client, channels)
       values ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $9, $9, $10, $10, $11, $12)`,
      [workspaceId, id, subject, rank, risk, amount, currency, reasons, offset, at, sealed ?? null, channels],
    );
  } else {
    const money = await scale.greaterOf(present, concern);
    const riskier = Math.max(risk, present.risk);
    const rank = rankOf({
      risk: riskier,
      money: await scale.points(money),
      openedAtMs: present.opened_at.getTime(),
      tie: offset,
    });
    await client.query(
      `update alert set rank = $3, risk = $4, amount = $5, currency = $6, decisions = decisions + 1, last_offset = $8,
              riskiest_offset = case when $10 then $8 else coalesce(riskiest_offset, last_offset) end, last_at = $9, reasons = (select array_agg(distinct r order by r) from unnest(reasons || $7::integer[]) r),
              channels = array(select distinct c from unnest(channels || $11::integer[]) c order by c)
        where workspace_id = $1 and id = $2`,
      [
        workspaceId,
        id,
        rank,
        riskier,
        money.amount,
        money.currency,
        reasons,
        offset,
        at,
        risk >= present.risk,
        channels,
      ],
    );
  }
  await client.query(
    `insert into alert_event (workspace_id, alert_id, "offset") values ($1, $2, $3) on conflict do nothing`,
    [workspaceId, id, offset],
  );
  const change = present === undefined ? 'opened' : 'grew';
  return { kind: 'alert', ref: `${id} ${offset}`, data: { id, change, risk, reasons, clientRef: subject } };
}

interface OpenRow {
  readonly id: string;
  readonly risk: number;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly opened_at: Date;
}
