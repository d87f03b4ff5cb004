import type { KeyObject } from 'node:crypto';
import {
  type BodyWarning,
  errorsMax,
  type JsonValue,
  type OutcomeMessage,
  type OutcomeParse,
  parseOutcome,
  Problem,
  dayMs,
  isEventKind,
  timeZone,
} from '@ringfence/contract';
import { parseActionId } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { entityIndex } from '../console/event-index/entities.ts';
import { inTransaction } from '../platform/database/transactions.ts';
import { randomId } from '../platform/secrets/random-id.ts';
import { seal } from '../platform/secrets/seal.ts';
import { type EventIdentity, eventIdentity } from '../records/event-id.ts';
import { clientPlace } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { keyMayReport } from './outcome-label.ts';
import { reasonText } from './outcome-reasons.ts';
import { outcomeChannel } from './outcome-rows.ts';

export interface AcceptDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'ofClient' | 'bySubject' | 'refresh'>;
  readonly now: () => number;
}

export interface NewOutcome {
  /** The result of `parseJson`; don't use it afterwards. */
  readonly body: { readonly value: JsonValue; readonly text: string };
  /** Keyed hashes of the `Idempotency-Key` and of the body. */
  readonly idempotency?: { readonly key: Uint8Array; readonly fingerprint: Uint8Array } | undefined;
  /** Shown to people. */
  readonly author: string;
  /** The license key may not report everything. */
  readonly isByKey: boolean;
}

export interface AcceptedOutcome {
  /** Id of the report; for a retry with the same `Idempotency-Key`, the id of the first one. */
  readonly id: string;
  readonly isReplay: boolean;
  readonly warnings: readonly BodyWarning[];
}

type RightOutcome = Extract<OutcomeParse, { ok: true }>;

/** The client that a report is about, and the key that seals it. `key` is `undefined` if the client was erased. */
interface Owner {
  readonly subject: string | undefined;
  readonly key: KeyObject | Uint8Array | undefined;
}

/** A client may be erased while its report is stored; that it happens four times in a row means that something is wrong. */
const sealingsMax = 4;
/** As for events. */
const idempotencyMs = dayMs;

/**
 * Accepts the report of an outcome: resolves once it survives a crash. It is matched with its event afterwards.
 *
 * @throws Problem for an invalid body, an outcome that the key may not report, or an idempotency key reused with another
 *   body
 */
export async function acceptOutcome(
  deps: AcceptDeps,
  workspace: Workspace,
  { body, idempotency, author, isByKey }: NewOutcome,
): Promise<AcceptedOutcome> {
  const nowMs = deps.now();
  const { cards, timezone } = workspace.settings;
  const parsed = parseOutcome(body, { cards, zone: timeZone(timezone) ?? timeZone('UTC')!, nowMs });
  if (!parsed.ok) throw new Problem('request.invalid', countInWords(parsed.errors.length), { errors: parsed.errors });
  if (isByKey) requireRight(workspace, parsed.message);
  const store = { workspace, parsed, idempotency, author, nowMs };
  for (let sealing = 1; ; sealing++) {
    const owner = await ownerOf(deps, workspace, parsed.message);
    const stored = await inTransaction(deps.pool, (client) => insert(client, owner, store));
    if (stored !== undefined) return { ...stored, warnings: warningsOf(workspace, parsed) };
    if (sealing === sealingsMax) throw new Error('the client of a report is erased again and again');
    await deps.subjects.refresh(workspace.id);
  }
}

/** @throws Problem `right.missing` */
function requireRight({ id, settings }: Workspace, { outcome }: OutcomeMessage): void {
  if (keyMayReport(outcome, settings)) return;
  throw new Problem(
    'right.missing',
    `In this workspace a license key may not report "${outcome}". Report it with a token that has the scope "outcomes:write", to POST /management/v1/workspaces/${id}/outcomes, or set outcomes.keyMayLabel.`,
  );
}

const unknownChannel: BodyWarning = {
  code: 'channel.unknown',
  detail: 'channelId is not a channel that this workspace configures',
};

function warningsOf({ channels }: Workspace, { warnings, message }: RightOutcome): readonly BodyWarning[] {
  return channels.has(message.channelId) ? warnings : [...warnings, unknownChannel];
}

/** The client is the named one, or else that of the event, which is known once it is in the log. */
async function ownerOf(deps: AcceptDeps, workspace: Workspace, message: OutcomeMessage): Promise<Owner> {
  if (message.user !== undefined) return deps.subjects.ofClient(workspace, message.user);
  const at = identityIn(workspace, message);
  const [record] = at === undefined ? [] : await deps.log.read(workspace.id, at.offset, 1);
  const isIt = record?.offset === at?.offset && record?.epoch === at?.epoch && isEventKind(record?.kind ?? '');
  const subject = isIt ? record?.subject : undefined;
  if (subject === undefined) return { subject, key: workspace.secrets.data };
  return { subject, key: (await deps.subjects.bySubject(workspace, [subject])).get(subject) };
}

function identityIn(workspace: Workspace, { event, webhookId }: OutcomeMessage): EventIdentity | undefined {
  if (webhookId !== undefined) {
    const identity = parseActionId(webhookId);
    return identity?.workspaceId === workspace.id ? identity : undefined;
  }
  return event === undefined ? undefined : eventIdentity(event, workspace);
}

interface ToStore {
  readonly workspace: Workspace;
  readonly parsed: RightOutcome;
  readonly idempotency: NewOutcome['idempotency'];
  readonly author: string;
  readonly nowMs: number;
}

/** @returns `undefined` if the client was erased since its key was read */
async function insert(
  client: ClientBase,
  { subject, key }: Owner,
  { workspace, parsed, idempotency, author, nowMs }: ToStore,
): Promise<Pick<AcceptedOutcome, 'id' | 'isReplay'> | undefined> {
  if (subject !== undefined && key !== undefined && !(await isKept(client, workspace.id, subject))) return undefined;
  if (idempotency !== undefined) await freeOldKey(client, workspace.id, { key: idempotency.key, nowMs });
  const { message, statedAtMs, bodyText, sentReference } = parsed;
  const newId = `out_${randomId(16)}`;
  const place = clientPlace('outcome', { workspaceId: workspace.id, subject }, newId);
  const body = key === undefined ? null : seal(key, Buffer.from(bodyText), place);
  const inserted = await client.query<{ id: string }>({
    name: 'outcome_insert',
    text: `insert into outcome_report (id, workspace_id, received_at, happened_at, outcome, author, subject, body,
             reference_indexes, idempotency_key, fingerprint, state, reason, next_try_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $3)
           on conflict (workspace_id, idempotency_key) where idempotency_key is not null do nothing returning id`,
    values: [
      newId,
      workspace.id,
      new Date(nowMs),
      statedAtMs === undefined ? null : new Date(statedAtMs),
      message.outcome,
      author,
      subject ?? null,
      body,
      referenceIndexes(workspace, message, sentReference),
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
      key === undefined ? 'unmatched' : 'waiting',
      key === undefined ? reasonText('erasedClient') : null,
    ],
  });
  const id = inserted.rows[0]?.id;
  if (id === undefined) return { id: await firstOf(client, workspace.id, idempotency!), isReplay: true };
  await client.query(`select pg_notify('${outcomeChannel}', '')`);
  return { id, isReplay: false };
}

/** Locks the client's key until the commit, so that an erasure happens before or after it. */
async function isKept(client: ClientBase, workspaceId: string, subject: string): Promise<boolean> {
  const found = await client.query({
    name: 'outcome_subject',
    text: `select 1 from subject where workspace_id = $1 and id = $2 for key share`,
    values: [workspaceId, subject],
  });
  return found.rowCount === 1;
}

async function freeOldKey(
  client: ClientBase,
  workspaceId: string,
  { key, nowMs }: { readonly key: Uint8Array; readonly nowMs: number },
): Promise<void> {
  await client.query({
    name: 'outcome_free_key',
    text: `update outcome_report set idempotency_key = null, fingerprint = null
            where workspace_id = $1 and idempotency_key = $2 and received_at <= $3`,
    values: [workspaceId, key, new Date(nowMs - idempotencyMs)],
  });
}

/** @throws Problem `key.reused` */
async function firstOf(
  client: ClientBase,
  workspaceId: string,
  { key, fingerprint }: NonNullable<NewOutcome['idempotency']>,
): Promise<string> {
  const found = await client.query<{ id: string; fingerprint: Buffer }>({
    name: 'outcome_first',
    text: `select id, fingerprint from outcome_report where workspace_id = $1 and idempotency_key = $2`,
    values: [workspaceId, key],
  });
  const first = found.rows[0];
  if (first?.fingerprint.equals(fingerprint) === true) return first.id;
  throw new Problem('key.reused', 'This Idempotency-Key was used with another body in the last 24 hours.');
}

/**
 * By which the operation is found; none if the report names its event in another way. An operation is indexed by its
 * reference as stored, in which a card number may be masked.
 */
function referenceIndexes(
  { secrets }: Workspace,
  { reference, event, webhookId }: OutcomeMessage,
  sent: string | undefined,
): readonly Buffer[] {
  if (event !== undefined || webhookId !== undefined) return [];
  const texts = new Set([sent, reference].filter((text) => text !== undefined));
  return [...texts].map((text) => entityIndex(secrets.index, 'reference', text));
}

function countInWords(count: number): string {
  if (count === 1) return 'One member is wrong.';
  return count < errorsMax
    ? `${count} members are wrong.`
    : `At least ${errorsMax} members are wrong; ${errorsMax} of them are listed.`;
}
