import { loadPolicy, type Policy, type PolicyFile } from '@ringfence/policy';
import type { Pool } from 'pg';
import type { PolicySource } from './record-opener.ts';

/** A stored policy version that is not there, or does not check any more. */
export class PolicyVersionError extends Error {
  override readonly name = 'PolicyVersionError';
}

/** Compiled policies kept: the live one, the one before it, and what a replay walks through. */
const keptMax = 32;

/** Compiles stored policy versions. They are immutable, so each is compiled once. */
export class PolicyCache implements PolicySource {
  readonly #pool: Pool;
  readonly #compiled = new Map<string, Policy>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @throws PolicyVersionError */
  async policy(workspaceId: string, version: number): Promise<Policy> {
    const key = `${workspaceId}.${version}`;
    const kept = this.#compiled.get(key);
    if (kept !== undefined) return kept;
    const policy = await this.#compile(workspaceId, version);
    const oldest = this.#compiled.keys().next();
    if (this.#compiled.size >= keptMax && oldest.done !== true) this.#compiled.delete(oldest.value);
    this.#compiled.set(key, policy);
    return policy;
  }

  async #compile(workspaceId: string, version: number): Promise<Policy> {
    const found = await this.#pool.query<{ files: readonly PolicyFile[] }>(
      `select files from policy_version where workspace_id = $1 and version = $2`,
      [workspaceId, version],
    );
    const row = found.rows[0];
    if (row === undefined) throw new PolicyVersionError(`workspace ${workspaceId} has no policy version ${version}`);
    const loaded = loadPolicy(row.files);
    if (loaded.ok) return loaded.policy;
    const first = loaded.errors[0]!;
    throw new PolicyVersionError(
      `policy version ${version} does not check: ${first.file}:${first.line}:${first.column} ${first.message}`,
    );
  }
}
