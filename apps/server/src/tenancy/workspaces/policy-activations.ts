import type { ClientBase, Pool } from 'pg';

/** When which version began to decide, as far back as this release wrote it: with its record in the log. */
export const policyActivationSchema = `
create table policy_activation (
  workspace_id text not null references workspace,
  seq          bigint generated always as identity,
  version      integer not null,
  at           timestamptz not null default now(),
  primary key (workspace_id, seq)
);
insert into policy_activation (workspace_id, version, at)
select w.id, w.policy_version, p.created_at from workspace w
  join policy_version p on p.workspace_id = w.id and p.version = w.policy_version;
`;

export interface PolicyActivation {
  readonly version: number;
  readonly atMs: number;
  /** The version that decided before it, if it is known. */
  readonly before: number | undefined;
}

/** In the transaction that appends the version's record. */
export async function notePolicyActivation(client: ClientBase, workspaceId: string, version: number): Promise<void> {
  await client.query(`insert into policy_activation (workspace_id, version) values ($1, $2)`, [workspaceId, version]);
}

/** More marks than a chart can show. */
export const activationsMax = 20;

/** The newest activations since an instant, newest first. */
export async function listPolicyActivations(
  pool: Pool,
  workspaceId: string,
  sinceMs: number,
): Promise<readonly PolicyActivation[]> {
  const { rows } = await pool.query<{ version: number; at: Date }>(
    `select version, at from policy_activation where workspace_id = $1 order by seq desc limit ${activationsMax + 1}`,
    [workspaceId],
  );
  return rows
    .map(({ version, at }, place) => ({ version, atMs: at.getTime(), before: rows[place + 1]?.version }))
    .slice(0, activationsMax)
    .filter(({ atMs }) => atMs >= sinceMs);
}
