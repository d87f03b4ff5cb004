import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { openUndamaged, type Place, seal } from '../platform/secrets/seal.ts';
import { clientPlace } from '../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** People's notes about clients, independent of alerts. */
export const clientNotesSchema = `
create table client_note (
  workspace_id text not null references workspace on delete cascade,
  subject      text not null,
  seq          bigint generated always as identity,
  at           timestamptz not null,
  author       text not null,
  -- Sealed under the client's key: who erases the client erases what was said of it.
  sealed       bytea not null,
  primary key (workspace_id, subject, seq)
);
`;

/** Per client, the newest: one page. */
const notesMax = 100;

export interface ClientNote {
  readonly atMs: number;
  readonly author: string;
  readonly text: string;
}

interface About {
  readonly workspace: Workspace;
  readonly subject: string;
  readonly key: Buffer;
}

/** @throws Problem `thing.unknown` if this workspace has no such client */
export async function requireClient(pool: Pool, workspaceId: string, subject: string): Promise<void> {
  const { rowCount } = await pool.query(`select 1 from event where workspace_id = $1 and subject = $2 limit 1`, [
    workspaceId,
    subject,
  ]);
  if (rowCount === 0) throw new Problem('thing.unknown', `"${subject}" does not name a client of this workspace.`);
}

export async function addClientNote(pool: Pool, about: About, { atMs, author, text }: ClientNote): Promise<void> {
  await pool.query(`insert into client_note (workspace_id, subject, at, author, sealed) values ($1, $2, $3, $4, $5)`, [
    about.workspace.id,
    about.subject,
    new Date(atMs),
    author,
    seal(about.key, Buffer.from(text), clientNotePlace(about, { author, atMs })),
  ]);
}

/** Newest first; a damaged note is omitted. */
export async function listClientNotes(pool: Pool, about: About): Promise<readonly ClientNote[]> {
  const found = await pool.query<{ at: Date; author: string; sealed: Buffer }>(
    `select at, author, sealed from client_note where workspace_id = $1 and subject = $2
      order by seq desc limit ${notesMax}`,
    [about.workspace.id, about.subject],
  );
  return found.rows.flatMap(({ at, author, sealed }) => {
    const text = openUndamaged(about.key, sealed, clientNotePlace(about, { author, atMs: at.getTime() }))?.toString();
    return text === undefined ? [] : [{ atMs: at.getTime(), author, text }];
  });
}

export function clientNotePlace(
  { workspace, subject }: Omit<About, 'key'>,
  { author, atMs }: Pick<ClientNote, 'author' | 'atMs'>,
): Place {
  return clientPlace('note', { workspaceId: workspace.id, subject }, `${atMs}:${author}`);
}
