import type { Policy } from '@ringfence/policy';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { decidingPolicy, identifyPolicy, PolicyVersionError, storedPolicy } from './stored-policy.ts';
import { replaceByActive } from './refused-policy.ts';

/** Compiled policies kept: those in force, the ones before them, and what a replay walks through. */
const keptMax = 32;
/** Refusals kept: one of a workspace that waits is asked for each second. */
const refusalsMax = 1_000;

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
 * Compiles stored policy versions, once what many workspaces say alike: it takes a hundred milliseconds, in which the thread
 * does nothing else. The version in force is taken for an older one that this release refuses.
 */
export class PolicyCache implements PolicySource {
  readonly #pool: Pool;
  readonly #onReplaced: (replacement: Replacement) => void;
  readonly #compiled = new LRUCache<string, Policy>({ max: keptMax });
  readonly #refused = new LRUCache<string, PolicyVersionError>({ max: refusalsMax });

  constructor(pool: Pool, onReplaced: (replacement: Replacement) => void = () => {}) {
    this.#pool = pool;
    this.#onReplaced = onReplaced;
  }

  /** @throws PolicyVersionError */
  async policy(workspaceId: string, version: number): Promise<Policy> {
    const { text, isReplaced } = await identifyPolicy(this.#pool, workspaceId, version);
    const own = `${workspaceId}.${version}.${text}`;
    const kept = this.#compiled.get(text) ?? this.#compiled.get(own);
    if (kept !== undefined) return kept;
    try {
      const refused = isReplaced ? undefined : this.#refused.get(own);
      if (refused !== undefined) throw refused;
      const deciding = await decidingPolicy(this.#pool, workspaceId, version);
      this.#compiled.set(deciding.version === version ? text : own, deciding.policy);
      return deciding.policy;
    } catch (error) {
      if (!(error instanceof PolicyVersionError)) throw error;
      if (error.version === version) this.#refused.set(own, error);
      return this.#replaced(workspaceId, version, error);
    }
  }

  /** The policy of this version, and no other that is taken for it. @throws PolicyVersionError */
  exact(workspaceId: string, version: number): Promise<Policy> {
    return storedPolicy(this.#pool, workspaceId, version);
  }

  /** That of the version in force; who asks next finds it noted. @throws PolicyVersionError */
  async #replaced(workspaceId: string, version: number, error: PolicyVersionError): Promise<Policy> {
    const by = await replaceByActive(this.#pool, workspaceId, error);
    if (by === undefined) throw error;
    this.#onReplaced({ workspaceId, by, error });
    return storedPolicy(this.#pool, workspaceId, version);
  }
}

const shared = new WeakMap<Pool, PolicyCache>();

/** That of all who ask in one thread: compiling takes a hundred milliseconds, in which nobody else is answered. */
export function policiesOf(pool: Pool): PolicyCache {
  const policies = shared.get(pool) ?? new PolicyCache(pool);
  shared.set(pool, policies);
  return policies;
}
