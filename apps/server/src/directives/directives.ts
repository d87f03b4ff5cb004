import type { HeldChange, Suppression } from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import type { ClientBase } from 'pg';
import { open, seal } from '../secrets/seal.ts';
import type { StoredListChange } from './list-change-record.ts';

/** What a person tells a workspace while its policy stays. */
export type Directive =
  | { readonly kind: 'list'; readonly subject: undefined; readonly told: StoredListChange }
  | { readonly kind: 'suppress'; readonly subject: string | undefined; readonly told: Suppression }
  | { readonly kind: 'held'; readonly subject: string | undefined; readonly told: HeldChange };

export interface Author {
  readonly author: string;
  readonly comment: string;
}

/** A workspace, as far as directives need it. */
export interface Directed {
  readonly id: string;
  readonly secrets: { readonly data: Buffer };
}

function contextOf(workspaceId: string): string {
  return `directive:${workspaceId}`;
}

/** Stores directives, in the caller's transaction; `agree` brings them into the log. */
export async function storeDirectives(
  client: ClientBase,
  workspace: Directed,
  { directives, author, comment }: Author & { readonly directives: readonly Directive[] },
): Promise<void> {
  for (const { kind, subject, told } of directives) {
    const payload = seal(workspace.secrets.data, Buffer.from(JSON.stringify(told)), contextOf(workspace.id));
    await client.query(
      `insert into directive (workspace_id, kind, subject, payload, author, comment) values ($1, $2, $3, $4, $5, $6)`,
      [workspace.id, kind, subject ?? null, payload, author, comment],
    );
  }
}

/** What a record of a directive says. @throws SealError for bytes that were changed */
export function openDirective(workspace: Directed, payload: Uint8Array): unknown {
  return JSON.parse(open(workspace.secrets.data, payload, contextOf(workspace.id)).toString());
}

/** Directives that one call brings into the log: what more there is waits for the next. */
const appendedMax = 1_000;

/**
 * Appends what the log does not hold yet, in the order in which it was given. Call under the lock of `agree`. An end
 * between two of them appends the second one again, which changes nothing.
 */
export async function appendDirectives(
  log: Pick<EventLog, 'append'>,
  client: ClientBase,
  workspaceId: string,
): Promise<number> {
  const found = await client.query<{ id: number; kind: Directive['kind']; subject: string | null; payload: Buffer }>(
    `select id, kind, subject, payload from directive
      where workspace_id = $1 and not appended order by id limit ${appendedMax}`,
    [workspaceId],
  );
  for (const { id, kind, subject, payload } of found.rows) {
    await log.append(workspaceId, { kind, ...(subject === null ? {} : { subject }), payload });
    await client.query(`update directive set appended = true where workspace_id = $1 and id = $2`, [workspaceId, id]);
  }
  return found.rows.length;
}
