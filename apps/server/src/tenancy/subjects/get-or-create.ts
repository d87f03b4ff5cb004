import { createSecretKey, randomBytes } from 'node:crypto';
import { assert } from '@ringfence/contract';
import type { Pool } from 'pg';
import { randomId } from '../../platform/secrets/random-id.ts';
import { open, seal } from '../../platform/secrets/seal.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import type { SubjectKey } from './subject-keys.ts';

export interface WantedSubject {
  readonly workspace: Workspace;
  readonly client: string;
  readonly clientIndex: Buffer;
}

/** Clients per query; more are split into several concurrent queries. */
export const clientsOfBatchMax = 1_000;

const subjectIdLength = 16;
const keyBytes = 32;
/** A key that another process creates concurrently is seen by the second query; needing more than five means a bug. */
const looksMax = 5;

/** The encryption context of a client's key. */
export function subjectContext(workspaceId: string, subject: string): string {
  return `subject:${workspaceId}:${subject}`;
}

/** The id and key of every wanted client, in the same order; created for unknown clients. */
export async function getOrCreateSubjects(
  pool: Pool,
  wanted: readonly WantedSubject[],
): Promise<readonly SubjectKey[]> {
  const found = new Map<WantedSubject, SubjectKey>();
  for (let look = 0; found.size < wanted.length; look++) {
    assert(look < looksMax, 'a client that could not be created is found by the next query');
    await lookOnce(
      pool,
      wanted.filter((one) => !found.has(one)),
      found,
    );
  }
  return wanted.map((one) => found.get(one)!);
}

interface SubjectRow {
  /** Place in the batch, from 0. */
  readonly place: number;
  readonly id: string;
  readonly sealed_key: Buffer;
}

/**
 * Finds existing clients and creates missing ones, in one statement. A client that another process creates concurrently
 * is in neither result: the insert conflicts with it, but this statement's snapshot does not contain it.
 */
async function lookOnce(
  pool: Pool,
  wanted: readonly WantedSubject[],
  into: Map<WantedSubject, SubjectKey>,
): Promise<void> {
  const fresh = wanted.map(({ workspace }) => newSubject(workspace));
  const answer = await pool.query<SubjectRow>({
    name: 'subject_find_or_make',
    text: `
      with wanted as (
        select * from unnest($1::text[], $2::bytea[], $3::text[], $4::bytea[]) with ordinality
          as w (workspace_id, client_index, id, sealed_key, place)
      ), found as (
        select w.place, s.id, s.sealed_key from wanted w join subject s using (workspace_id, client_index)
      ), made as (
        insert into subject (workspace_id, client_index, id, sealed_key)
        select workspace_id, client_index, id, sealed_key from wanted
         where place not in (select place from found) order by workspace_id, client_index
        on conflict do nothing returning workspace_id, client_index, id, sealed_key
      )
      select (place - 1)::integer as place, id, sealed_key from found
      union all
      select (w.place - 1)::integer, m.id, m.sealed_key from made m join wanted w using (workspace_id, client_index)`,
    values: [
      wanted.map(({ workspace }) => workspace.id),
      wanted.map(({ clientIndex }) => clientIndex),
      fresh.map(({ id }) => id),
      fresh.map(({ sealed }) => sealed),
    ],
  });
  for (const row of answer.rows) {
    const one = wanted[row.place]!;
    const { id: workspaceId, secrets } = one.workspace;
    const key = open(secrets.data, row.sealed_key, subjectContext(workspaceId, row.id));
    into.set(one, { subject: row.id, key: createSecretKey(key) });
  }
}

function newSubject(workspace: Workspace): { readonly id: string; readonly sealed: Buffer } {
  const id = randomId(subjectIdLength);
  return { id, sealed: seal(workspace.secrets.data, randomBytes(keyBytes), subjectContext(workspace.id, id)) };
}
