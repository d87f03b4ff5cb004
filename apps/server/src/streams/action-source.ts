import type { Pool } from 'pg';
import { printRequested } from '../api/actions/print-action.ts';
import { keyAmong, subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { Fact, FactPage, FactSource } from './fact.ts';
import { nothingFound, workspaceText } from './fact.ts';
import type { SourceDeps } from './decision-source.ts';
import { keyOfClient } from './message-key.ts';
import type { ActionMessage } from './message-schemas.ts';

interface Row {
  readonly seq: number;
  readonly id: string;
  readonly epoch: number;
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  readonly subject: string | null;
  readonly channel_id: number;
  readonly payload: Buffer;
  readonly format: 'text' | 'html';
  readonly decided_at: Date;
  readonly expires_at: Date;
  readonly resolves: string | null;
}

/**
 * Requested actions, in the order of their numbers. Every transaction that inserts actions of a workspace holds the row of its
 * engine's position, so a smaller number never appears after a greater one.
 */
export function actionSource({ pool, subjects }: SourceDeps): FactSource {
  return {
    async read(workspace, from, limit): Promise<FactPage> {
      if (workspace === undefined) return nothingFound(from);
      const rows = await readRows(pool, workspace.id, { from, limit });
      const keys = await subjects.bySubject(workspace, subjectsIn(rows));
      const facts = rows.map((row): Fact => {
        const { seq, epoch, offset, position, resolves, decided_at: decidedAt } = row;
        const printed = printRequested(
          workspace,
          {
            ...row,
            subject: row.subject ?? undefined,
            channelId: row.channel_id,
            decidedAtMs: decidedAt.getTime(),
            expiresAtMs: row.expires_at.getTime(),
          },
          keyAmong(keys, workspace, row.subject),
        );
        const client = keyOfClient(workspace, printed.client);
        const message = {
          id: row.id,
          kind: 'actions',
          workspace: workspaceText(workspace),
          sequence: seq,
          at: decidedAt.toISOString(),
          epoch,
          offset,
          position,
          ...(client === undefined ? {} : { client }),
          action: { ...printed, ...(resolves === null ? {} : { resolves }) },
        } satisfies ActionMessage;
        return { position: seq, atMs: decidedAt.getTime(), key: client ?? workspace.id, message };
      });
      const last = rows.at(-1);
      return { facts, next: last === undefined ? from : last.seq + 1, isMore: rows.length === limit };
    },
  };
}

async function readRows(
  pool: Pool,
  workspaceId: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<readonly Row[]> {
  const found = await pool.query<Row>({
    name: 'stream_actions',
    text: `select seq, id, epoch, "offset", reason, position, action, subject, channel_id, payload, format, decided_at,
                  expires_at, resolves
             from action where workspace_id = $1 and seq >= $2 order by seq limit $3`,
    values: [workspaceId, from, limit],
  });
  return found.rows;
}
