import { createSecretKey, randomBytes } from 'node:crypto';
import { assert } from '@ringfence/contract';
import { bytesArray, textArray } from '@ringfence/log';
import type { Pool } from 'pg';
import { randomId } from '../../platform/secrets/random-id.ts';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import type { AdoptionKeys } from './adoption.ts';
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

/** The place of a client's key: it also says which client has the random id. */
export function subjectPlace(workspaceId: string, subject: string, clientIndex: Uint8Array): Place {
  return { of: `subject:${workspaceId}:${subject}`, row: Buffer.from(clientIndex).toString('hex') };
}

/** The id and key of every wanted client, in the same order; created for unknown clients. */
export async function getOrCreateSubjects(
  pool: Pool,
  wanted: readonly WantedSubject[],
  adoption?: Pick<AdoptionKeys, 'attach'>,
): Promise<readonly SubjectKey[]> {
  const found = new Map<WantedSubject, SubjectKey>();
  for (let look = 0; found.size < wanted.length; look++) {
    assert(look < looksMax, 'a client that could not be created is found by the next query');
    await lookOnce(
      { pool, adoption },
      wanted.filter((one) => !found.has(one)),
      found,
    );
  }
  return wanted.map((one) => found.get(one)!);
}

interface SubjectRow {
  /** The new id that was sent for this client. */
  readonly proposed: string;
  readonly id: string;
  /** `null` when the client was created with what was sent. */
  readonly sealed_key: Buffer | null;
  readonly created_at: Date;
}

/**
 * Finds existing clients and creates missing ones, in one statement. A client that another process creates concurrently
 * is in neither result: the insert conflicts with it, but this statement's snapshot does not contain it.
 */
async function lookOnce(
  { pool, adoption }: { readonly pool: Pool; readonly adoption: Pick<AdoptionKeys, 'attach'> | undefined },
  wanted: readonly WantedSubject[],
  into: Map<WantedSubject, SubjectKey>,
): Promise<void> {
  const fresh = new Map(
    wanted.map((one) => {
      const subject = newSubject(one);
      return [subject.id, { ...subject, one }];
    }),
  );
  const proposed = [...fresh.values()];
  const answer = await pool.query<SubjectRow>({
    name: 'subject_find_or_make',
    // The lateral join forces one index look-up per client, even if the plan was made when the table was small.
    text: `
      with wanted as (
        select * from unnest($1::text[], $2::bytea[], $3::text[], $4::bytea[])
          as w (workspace_id, client_index, id, sealed_key)
      ), found as materialized (
        select w.id as proposed, s.id, s.sealed_key, s.created_at from wanted w cross join lateral (
          select * from subject where workspace_id = w.workspace_id and client_index = w.client_index limit 1) s
      ), made as (
        insert into subject (workspace_id, client_index, id, sealed_key)
        select workspace_id, client_index, id, sealed_key from wanted
         where id not in (select proposed from found) order by workspace_id, client_index
        on conflict do nothing returning id
      )
      select proposed, id, sealed_key, created_at from found
      union all
      select id, id, null, now() from made`,
    values: [
      textArray(proposed.map(({ one }) => one.workspace.id)),
      bytesArray(proposed.map(({ one }) => one.clientIndex)),
      textArray(proposed.map(({ id }) => id)),
      bytesArray(proposed.map(({ sealed }) => sealed)),
    ],
  });
  for (const row of answer.rows) {
    const { one, key: freshKey, sealed } = fresh.get(row.proposed)!;
    const { id: workspaceId, secrets } = one.workspace;
    const key =
      row.sealed_key === null
        ? freshKey
        : open(secrets.data, row.sealed_key, subjectPlace(workspaceId, row.id, one.clientIndex));
    const attached = adoption?.attach({
      workspaceId,
      subject: row.id,
      clientIndex: one.clientIndex,
      sealedKey: row.sealed_key ?? sealed,
      createdAtMs: row.created_at.getTime(),
    });
    const found = { subject: row.id, key: createSecretKey(key) };
    into.set(one, attached === undefined ? found : { ...found, attached });
  }
}

function newSubject({ workspace, clientIndex }: WantedSubject): {
  readonly id: string;
  readonly key: Buffer;
  readonly sealed: Buffer;
} {
  const [id, key] = [randomId(subjectIdLength), randomBytes(keyBytes)];
  return { id, key, sealed: seal(workspace.secrets.data, key, subjectPlace(workspace.id, id, clientIndex)) };
}
