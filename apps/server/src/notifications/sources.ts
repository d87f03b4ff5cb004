import type { ClientBase } from 'pg';

/** Something that happened to an alert, noted with the change itself. */
export interface Source {
  readonly id: number;
  readonly workspaceId: string;
  readonly kind: 'alert' | 'comment' | 'assignment';
  readonly alertId: string;
  readonly commentSeq: number | undefined;
  readonly accountId: string | undefined;
  readonly author: string | undefined;
}

/** Sources that one round takes: a storm of alerts is told over several. */
export const sourcesMax = 500;

/** Notes that an alert was handed to another person, in the caller's transaction. */
export async function noteAssignment(
  client: ClientBase,
  workspaceId: string,
  of: { readonly alertId: string; readonly to: string; readonly by: string },
): Promise<void> {
  await client.query(
    `insert into notification_source (workspace_id, kind, alert_id, account_id, author)
     values ($1, 'assignment', $2, $3, $4)`,
    [workspaceId, of.alertId, of.to, of.by],
  );
}

/** Takes the oldest sources; they are gone with the caller's commit. */
export async function takeSources(client: ClientBase): Promise<readonly Source[]> {
  const { rows } = await client.query<Omit<Source, 'commentSeq' | 'accountId' | 'author'> & Nullable>(
    `delete from notification_source
      where id = any (array (
        select id from notification_source s
         where exists (select from workspace w where w.id = s.workspace_id and w.placement = 'here')
         order by id limit ${sourcesMax} for update skip locked))
     returning id, workspace_id as "workspaceId", kind, alert_id as "alertId", comment_seq as "commentSeq",
               account_id as "accountId", author`,
  );
  return rows
    .map((row) => ({
      ...row,
      commentSeq: row.commentSeq ?? undefined,
      accountId: row.accountId ?? undefined,
      author: row.author ?? undefined,
    }))
    .toSorted((a, b) => a.id - b.id);
}

interface Nullable {
  readonly commentSeq: number | null;
  readonly accountId: string | null;
  readonly author: string | null;
}
