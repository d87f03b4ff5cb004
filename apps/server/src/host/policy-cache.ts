import type { Policy } from '@ringfence/policy';
import type { Pool } from 'pg';
import type { PolicySource } from './record-opener.ts';
import { policyKey, storedPolicy } from './refused-policy.ts';

/** Compiled policies kept: the live one, the one before it, and what a replay walks through. */
const keptMax = 32;

/** Compiles stored policy versions, each once; one that is refused is tried again. */
export class PolicyCache implements PolicySource {
  readonly #pool: Pool;
  readonly #compiled = new Map<string, Policy>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @throws PolicyVersionError */
  async policy(workspaceId: string, version: number): Promise<Policy> {
    const key = await policyKey(this.#pool, workspaceId, version);
    const kept = this.#compiled.get(key);
    if (kept !== undefined) return kept;
    const policy = await storedPolicy(this.#pool, workspaceId, version);
    const oldest = this.#compiled.keys().next();
    if (this.#compiled.size >= keptMax && oldest.done !== true) this.#compiled.delete(oldest.value);
    this.#compiled.set(key, policy);
    return policy;
  }
}
