import type { Policy } from '@ringfence/policy';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { policyKey, PolicyVersionError, storedPolicy } from './stored-policy.ts';
import { replaceByActive } from './refused-policy.ts';

/** Compiled policies kept: the live one, the one before it, and what a replay walks through. */
const keptMax = 32;

/** Gives the compiled policy of a version; versions are immutable, so an implementation may keep what it compiled. */
export interface PolicySource {
  policy(workspaceId: string, version: number): Promise<Policy>;
}

/** An older version that this release refuses, and the version in force that is taken for it. */
export interface Replacement {
  readonly workspaceId: string;
  readonly by: number;
  readonly error: PolicyVersionError;
}

/**
 * Compiles stored policy versions, each once. The version in force is taken for an older one that this release refuses;
 * while the one in force is refused, it is tried again.
 */
export class PolicyCache implements PolicySource {
  readonly #pool: Pool;
  readonly #onReplaced: (replacement: Replacement) => void;
  readonly #compiled = new LRUCache<string, Policy>({ max: keptMax });

  constructor(pool: Pool, onReplaced: (replacement: Replacement) => void = () => {}) {
    this.#pool = pool;
    this.#onReplaced = onReplaced;
  }

  /** @throws PolicyVersionError */
  async policy(workspaceId: string, version: number): Promise<Policy> {
    const key = await policyKey(this.#pool, workspaceId, version);
    const kept = this.#compiled.get(key);
    if (kept !== undefined) return kept;
    const policy = await this.#stored(workspaceId, version);
    this.#compiled.set(key, policy);
    return policy;
  }

  /** The policy of this version, and no other that is taken for it. @throws PolicyVersionError */
  exact(workspaceId: string, version: number): Promise<Policy> {
    return storedPolicy(this.#pool, workspaceId, version);
  }

  async #stored(workspaceId: string, version: number): Promise<Policy> {
    try {
      return await storedPolicy(this.#pool, workspaceId, version);
    } catch (error) {
      if (!(error instanceof PolicyVersionError)) throw error;
      const by = await replaceByActive(this.#pool, workspaceId, error);
      if (by === undefined) throw error;
      this.#onReplaced({ workspaceId, by, error });
      return storedPolicy(this.#pool, workspaceId, version);
    }
  }
}

const shared = new WeakMap<Pool, PolicyCache>();

/** That of all who ask in one thread: compiling takes a hundred milliseconds, in which nobody else is answered. */
export function policiesOf(pool: Pool): PolicyCache {
  const policies = shared.get(pool) ?? new PolicyCache(pool);
  shared.set(pool, policies);
  return policies;
}
