import type { HeldChange, Suppression } from '@ringfence/engine';
import type { ClientBase } from 'pg';
import { open, seal } from '../../platform/secrets/seal.ts';
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
