import type { HeldChange, HoldChange, Suppression } from '@ringfence/engine';
import type { LogRecord } from '@ringfence/log';
import type { ClientBase } from 'pg';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import type { StoredListChange } from './list-change-record.ts';

/** A change that a person makes without a new policy version. */
export type Directive =
  | { readonly kind: 'list'; readonly subject: undefined; readonly told: StoredListChange }
  | { readonly kind: 'suppress'; readonly subject: string | undefined; readonly told: Suppression }
  | { readonly kind: 'held'; readonly subject: string | undefined; readonly told: HeldChange }
  | { readonly kind: 'hold'; readonly subject: string | undefined; readonly told: HoldChange };

export interface Author {
  readonly author: string;
  readonly comment: string;
}

/** The members of a workspace that directives need. */
export interface Directed {
  readonly id: string;
  readonly secrets: { readonly data: Buffer };
}

/** It is sealed before the log gives its record an offset. */
export function directivePlace(workspaceId: string, { kind, subject }: Pick<LogRecord, 'kind' | 'subject'>): Place {
  return { of: `directive:${workspaceId}`, row: `${kind}:${subject ?? '-'}` };
}

/** Stores directives in the caller's transaction; `syncSettings` appends them to the log. */
export async function storeDirectives(
  client: ClientBase,
  workspace: Directed,
  { directives, author, comment }: Author & { readonly directives: readonly Directive[] },
): Promise<void> {
  for (const { kind, subject, told } of directives) {
    const payload = seal(
      workspace.secrets.data,
      Buffer.from(JSON.stringify(told)),
      directivePlace(workspace.id, { kind, subject }),
    );
    await client.query(
      `insert into directive (workspace_id, kind, subject, payload, author, comment) values ($1, $2, $3, $4, $5, $6)`,
      [workspace.id, kind, subject ?? null, payload, author, comment],
    );
  }
}

/** Decrypts the payload of a directive's record. @throws SealError if the bytes were changed */
export function openDirective(workspace: Directed, record: Pick<LogRecord, 'kind' | 'subject' | 'payload'>): unknown {
  return JSON.parse(open(workspace.secrets.data, record.payload, directivePlace(workspace.id, record)).toString());
}
