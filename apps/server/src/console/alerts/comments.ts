import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { openUndamaged, type Place, seal } from '../../platform/secrets/seal.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** Most comments of one alert, not counting those of decisions: enough for a long case, and one page. */
export const commentsMax = 200;
/** Includes the comments of decisions, of which there are never hundreds. */
const shownMax = 2 * commentsMax;

export interface Comment {
  readonly seq: number;
  readonly atMs: number;
  readonly author: string;
  /** `undefined` when its client was erased. */
  readonly text: string | undefined;
}

/** The client that a comment is about, and the key that encrypts it. */
interface About {
  readonly workspace: Workspace;
  readonly alertId: string;
  readonly key: Buffer | undefined;
}

export async function addComment(
  database: Pool | ClientBase,
  about: About & { readonly key: Buffer },
  comment: { readonly text: string; readonly author: string; readonly nowMs: number },
): Promise<void> {
  const { author, nowMs: atMs } = comment;
  const sealed = seal(about.key, Buffer.from(comment.text), alertCommentPlace(about, { author, atMs }));
  await database.query(
    `insert into alert_comment (workspace_id, alert_id, at, author, sealed) values ($1, $2, $3, $4, $5)`,
    [about.workspace.id, about.alertId, new Date(atMs), author, sealed],
  );
}

/** @throws Problem `state.conflict` when the alert has the maximum number of comments */
export async function refuseFurtherComment(pool: Pool, workspaceId: string, alertId: string): Promise<void> {
  const found = await pool.query<{ count: number }>(
    `select count(*)::integer as count from alert_comment where workspace_id = $1 and alert_id = $2`,
    [workspaceId, alertId],
  );
  if (found.rows[0]!.count < commentsMax) return;
  throw new Problem('state.conflict', `The alert has ${commentsMax} comments, which is the maximum.`);
}

/** Oldest first. */
export async function listComments(pool: Pool, about: About): Promise<readonly Comment[]> {
  const found = await pool.query<{ seq: number; at: Date; author: string; sealed: Buffer }>(
    `select seq, at, author, sealed from alert_comment where workspace_id = $1 and alert_id = $2
      order by seq limit ${shownMax}`,
    [about.workspace.id, about.alertId],
  );
  return found.rows.map(({ seq, at, author, sealed }) => ({
    seq,
    atMs: at.getTime(),
    author,
    text:
      about.key &&
      openUndamaged(about.key, sealed, alertCommentPlace(about, { author, atMs: at.getTime() }))?.toString(),
  }));
}

export function alertCommentPlace(
  { workspace, alertId }: Omit<About, 'key'>,
  { author, atMs }: Pick<Comment, 'author' | 'atMs'>,
): Place {
  return { of: `comment:${workspace.id}:${alertId}`, row: `${atMs}:${author}` };
}
