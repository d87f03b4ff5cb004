import { randomBytes } from 'node:crypto';
import { Problem } from '@ringfence/contract';
import { closedColumns, type AllowedRange, webhookUrlProblem } from '@ringfence/delivery';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../platform/database/transactions.ts';
import { randomId } from '../platform/secrets/random-id.ts';
import { openUndamaged, type Place, seal } from '../platform/secrets/seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { DestinationKind, DestinationSettings } from './notification-settings.ts';

/** Most destinations of one workspace: more are a mailing list, or a mistake. */
const destinationsMax = 50;
const secretBytes = 32;

/** Where messages go: sealed, because the URL of a chat is all that it takes to write there. */
export type Address =
  | { readonly kind: 'http'; readonly url: string; /** Base64; signs its requests. */ readonly secret: string }
  | { readonly kind: 'slack' | 'teams'; readonly url: string }
  | { readonly kind: 'email'; readonly to: readonly string[] };

export interface Destination {
  readonly id: string;
  readonly name: string;
  readonly kind: DestinationKind;
  /** `undefined`: it does not open; it has to be entered again. */
  readonly address: Address | undefined;
  readonly settings: DestinationSettings;
  readonly pausedAtMs: number | undefined;
  readonly createdAtMs: number;
  readonly createdBy: string;
}

export interface DestinationRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly kind: DestinationKind;
  readonly address: Buffer;
  readonly settings: DestinationSettings;
  readonly paused_at: Date | null;
  readonly created_at: Date;
  readonly created_by: string;
}

export function destinationPlace(workspaceId: string, id: string): Place {
  return { of: `notification-destination:${workspaceId}`, row: id };
}

export function destinationOf(row: DestinationRow, { id: workspaceId, secrets }: Workspace): Destination {
  const opened = openUndamaged(secrets.data, row.address, destinationPlace(workspaceId, row.id));
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    address: opened === undefined ? undefined : (JSON.parse(opened.toString()) as Address),
    settings: row.settings,
    pausedAtMs: row.paused_at?.getTime(),
    createdAtMs: row.created_at.getTime(),
    createdBy: row.created_by,
  };
}

/** In the order in which they were made. */
export async function listDestinations(
  database: Pool | ClientBase,
  workspace: Workspace,
): Promise<readonly Destination[]> {
  const { rows } = await database.query<DestinationRow>(
    `select * from notification_destination where workspace_id = $1 order by seq`,
    [workspace.id],
  );
  return rows.map((row) => destinationOf(row, workspace));
}

/** @throws Problem `thing.unknown` */
export async function readDestination(
  database: Pool | ClientBase,
  workspace: Workspace,
  id: string,
): Promise<Destination> {
  const { rows } = await database.query<DestinationRow>(
    `select * from notification_destination where workspace_id = $1 and id = $2`,
    [workspace.id, id],
  );
  if (rows[0] === undefined) throw new Problem('thing.unknown', `There is no destination ${id} in this workspace.`);
  return destinationOf(rows[0], workspace);
}

/** What a person enters as an address: a URL or e-mail addresses, as the kind needs. */
export interface WrittenAddress {
  readonly kind: DestinationKind;
  readonly url?: string | undefined;
  readonly to?: readonly string[] | undefined;
}

export interface AddressRules {
  readonly allow: readonly AllowedRange[];
  /** Whether the configuration names a mail server. */
  readonly hasMail: boolean;
}

/** @throws Problem `request.invalid` for a wrong one, `state.conflict` without a mail server */
function addressOf(
  written: WrittenAddress,
  { name, environment }: Workspace,
  { allow, hasMail }: AddressRules,
): Address {
  const { kind, url, to } = written;
  if (kind === 'email') {
    if (!hasMail) throw noMailServer();
    if (to === undefined || url !== undefined) throw wrongAddress('/to', 'E-mail needs `to`, and no `url`.');
    return { kind, to };
  }
  if (url === undefined || to !== undefined)
    throw wrongAddress('/url', `A destination of kind ${kind} needs a \`url\`.`);
  const problem = webhookUrlProblem(url, { name, environment, allow });
  if (problem !== undefined) throw wrongAddress('/url', `It is not usable: ${problem}.`);
  return kind === 'http' ? { kind, url, secret: randomBytes(secretBytes).toString('base64') } : { kind, url };
}

export function noMailServer(): Problem {
  return new Problem('state.conflict', 'There is no mail server: set `notifications.smtp` in the configuration file.');
}

function wrongAddress(pointer: string, detail: string): Problem {
  return new Problem('request.invalid', detail, { errors: [{ pointer, detail, expected: 'an address' }] });
}

function sealAddress({ id: workspaceId, secrets }: Workspace, id: string, address: Address): Buffer {
  return seal(secrets.data, Buffer.from(JSON.stringify(address)), destinationPlace(workspaceId, id));
}

export interface NewDestination extends WrittenAddress {
  readonly name: string;
  readonly settings: DestinationSettings;
  readonly by: string;
  readonly nowMs: number;
}

/** @throws Problem as `addressOf`; `state.conflict` if there are too many */
export async function createDestination(
  pool: Pool,
  workspace: Workspace,
  { rules, ...wanted }: NewDestination & { readonly rules: AddressRules },
): Promise<Destination> {
  const id = `ntd_${randomId(12)}`;
  const address = addressOf(wanted, workspace, rules);
  const { rows } = await pool.query<DestinationRow>(
    `insert into notification_destination (id, workspace_id, name, kind, address, settings, created_at, created_by)
     select $1, $2, $3, $4, $5, $6, $7, $8
      where (select count(*) from notification_destination where workspace_id = $2) < ${destinationsMax}
     returning *`,
    [
      id,
      workspace.id,
      wanted.name,
      wanted.kind,
      sealAddress(workspace, id, address),
      wanted.settings,
      new Date(wanted.nowMs),
      wanted.by,
    ],
  );
  if (rows[0] === undefined)
    throw new Problem('state.conflict', `A workspace has at most ${destinationsMax} destinations.`);
  return destinationOf(rows[0], workspace);
}

export interface DestinationChange {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly to?: readonly string[] | undefined;
  /** Whole: it replaces what was set. */
  readonly settings?: DestinationSettings | undefined;
  readonly paused?: boolean | undefined;
}

/**
 * Changes the given members. Its breaker is closed: what was wrong may be mended.
 *
 * @throws Problem `thing.unknown`, and as `addressOf`
 */
export function changeDestination(
  pool: Pool,
  workspace: Workspace,
  of: DestinationChange & { readonly id: string; readonly rules: AddressRules; readonly nowMs: number },
): Promise<Destination> {
  const { id, name, url, to, settings, paused, rules, nowMs } = of;
  return inTransaction(pool, async (client) => {
    const present = await readDestination(client, workspace, id);
    const isMoved = url !== undefined || to !== undefined;
    const written = isMoved ? addressOf({ kind: present.kind, url, to }, workspace, rules) : undefined;
    // A new place keeps the secret, which its receiver has.
    const address =
      written?.kind === 'http' && present.address?.kind === 'http'
        ? { ...written, secret: present.address.secret }
        : written;
    const { rows } = await client.query<DestinationRow>(
      `update notification_destination
          set name = coalesce($3, name), address = coalesce($4, address), settings = coalesce($5, settings),
              paused_at = case when $6::boolean is null then paused_at when $6 then coalesce(paused_at, $7) end
        where workspace_id = $1 and id = $2 returning *`,
      [
        workspace.id,
        id,
        name ?? null,
        address === undefined ? null : sealAddress(workspace, id, address),
        settings ?? null,
        paused ?? null,
        new Date(nowMs),
      ],
    );
    await client.query(`update notification_endpoint set ${closedColumns} where destination = $1`, [id]);
    return destinationOf(rows[0]!, workspace);
  });
}

/** Removes it with its messages. @throws Problem `thing.unknown` */
export function removeDestination(pool: Pool, workspace: Workspace, id: string): Promise<Destination> {
  return inTransaction(pool, async (client) => {
    const present = await readDestination(client, workspace, id);
    await client.query(`delete from notification_destination where id = $1`, [id]);
    for (const table of ['notification', 'notification_condition', 'notification_endpoint']) {
      await client.query(`delete from ${table} where destination = $1`, [id]);
    }
    return present;
  });
}
