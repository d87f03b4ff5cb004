import { canonicalAddress } from '@ringfence/contract';
import type { Pool } from 'pg';
import { blindIndex } from '../platform/secrets/blind-index.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { entityIndex, type EntityKind } from './event-index/entities.ts';
import type { EntityRef } from './entity-ref.ts';

/** Events that are counted for one hit; beyond this it is "many". */
export const countMax = 1_000;

/** An entity that matches the text. */
export interface Hit {
  readonly ref: EntityRef;
  /** At most `countMax`. */
  readonly events: number;
  readonly lastAtMs: number;
  readonly lastOffset: number;
}

interface SearchDeps {
  readonly pool: Pool;
  readonly subjects: Pick<SubjectKeys, 'find'>;
}

/**
 * Everything in a workspace that matches a text exactly: a client, a session, a device, an address, an account, a
 * payee, a reference. Personal data is encrypted, so it is looked up by its keyed hash; parts of a value can't be
 * found.
 */
export async function search(deps: SearchDeps, workspace: Workspace, text: string): Promise<readonly Hit[]> {
  const refs = await candidates(deps, workspace, text);
  const hits = await Promise.all(refs.map((ref) => look(deps.pool, workspace.id, ref)));
  return hits.filter((hit) => hit !== undefined);
}

/** Operations with the same reference; with more, it is not a reference. */
const maskedMax = 20;

/** An operation that is found by the full text of a reference in which a card number was masked. */
export interface MaskedHit {
  readonly offset: number;
  readonly epoch: number;
  readonly loggedAtMs: number;
}

/** The operations that were sent with this reference and store it masked, newest first; at most 20. */
export async function searchMasked(pool: Pool, workspace: Workspace, text: string): Promise<readonly MaskedHit[]> {
  const found = await pool.query<{ offset: number; epoch: number; logged_at: Date }>(
    `select e."offset", e.epoch, e.logged_at
       from event e where e.workspace_id = $1 and e.sent_reference = $2 order by e."offset" desc limit ${maskedMax}`,
    [workspace.id, entityIndex(workspace.secrets.index, 'reference', text)],
  );
  return found.rows.map(({ offset, epoch, logged_at: at }) => ({ offset, epoch, loggedAtMs: at.getTime() }));
}

async function candidates(deps: SearchDeps, workspace: Workspace, text: string): Promise<readonly EntityRef[]> {
  const { index } = workspace.secrets;
  const [subject, banks] = await Promise.all([deps.subjects.find(workspace, text), banksOf(deps.pool, workspace.id)]);
  const of = (kind: EntityKind, value: string): EntityRef => ({ kind, index: entityIndex(index, kind, value) });
  // An account is stored with its bank, but the text may be its number only.
  const accounts = text.includes('/')
    ? [text]
    : await knownAccounts(
        deps.pool,
        workspace,
        banks.map((bank) => `${bank}/${text}`),
      );
  return [
    ...(subject === undefined ? [] : [{ kind: 'client', subject } as const]),
    { kind: 'session', index: blindIndex(index, text, 'session') },
    of('device', text),
    ...addressesOf(text).map((address) => of('ip', address)),
    of('reference', text),
    ...accounts.flatMap((name) => [of('account', name), of('payee', name)]),
  ];
}

/** Events of earlier versions are found by the address as it was sent. */
function addressesOf(text: string): readonly string[] {
  const sent = text.toLowerCase();
  return [...new Set([canonicalAddress(text) ?? sent, sent])];
}

/** Keyed hashes of the payees that a text names: `bank/number`, or a number at any bank. Empty for an unknown number. */
export async function payeesNamed(pool: Pool, workspace: Workspace, text: string): Promise<readonly Buffer[]> {
  const names = text.includes('/')
    ? [text]
    : await knownAccounts(
        pool,
        workspace,
        (await banksOf(pool, workspace.id)).map((bank) => `${bank}/${text}`),
      );
  return names.map((name) => entityIndex(workspace.secrets.index, 'payee', name));
}

async function banksOf(pool: Pool, workspaceId: string): Promise<readonly string[]> {
  const found = await pool.query<{ bank: string }>(`select bank from console_bank where workspace_id = $1`, [
    workspaceId,
  ]);
  return found.rows.map(({ bank }) => bank);
}

/** Those of some names that occur in an event. */
async function knownAccounts(pool: Pool, workspace: Workspace, names: readonly string[]): Promise<readonly string[]> {
  const { index } = workspace.secrets;
  const known = async (kind: 'account' | 'payee'): Promise<readonly string[]> => {
    const indexes = names.map((name) => entityIndex(index, kind, name));
    const found = await pool.query<{ place: number }>(
      `select i.place::integer from unnest($2::bytea[]) with ordinality as i(value, place)
        where exists (select 1 from event n where n.workspace_id = $1 and n.${kind} = i.value)`,
      [workspace.id, indexes],
    );
    return found.rows.map(({ place }) => names[place - 1]!);
  };
  const [own, payees] = await Promise.all([known('account'), known('payee')]);
  return [...new Set([...own, ...payees])];
}

/** `undefined` when no event contains it. */
export async function look(pool: Pool, workspaceId: string, ref: EntityRef): Promise<Hit | undefined> {
  const { from, value } = whereNamed(ref);
  const found = await pool.query<{ offset: number; logged_at: Date; events: number }>(
    `select e."offset", e.logged_at,
            (select count(*) from (select 1 from ${from} limit ${countMax}) counted) as events
       from event e
      where e.workspace_id = $1 and e."offset" = (select n."offset" from ${from} order by n."offset" desc limit 1)`,
    [workspaceId, value],
  );
  const row = found.rows[0];
  if (row === undefined) return undefined;
  return { ref, events: row.events, lastAtMs: row.logged_at.getTime(), lastOffset: row.offset };
}

/** SQL for the rows `n` of the events that contain it, with the parameters $1 and $2. */
export function whereNamed(ref: EntityRef): { readonly from: string; readonly value: string | Buffer } {
  const column = ref.kind === 'client' ? 'subject' : ref.kind === 'session' ? 'session_index' : ref.kind;
  const from = `event n where n.workspace_id = $1 and n.${column} = $2`;
  return { from, value: ref.kind === 'client' ? ref.subject : ref.index };
}
