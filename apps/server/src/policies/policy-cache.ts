import type { Policy } from '@ringfence/policy';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { decidingPolicy, identifyPolicy, PolicyVersionError, storedPolicy } from './stored-policy.ts';
import { replaceByActive } from './refused-policy.ts';

/** Compiled policies in the cache: active versions, the ones before them, and those that a replay needs. */
const keptMax = 32;
/** Refusals in the cache: a paused workspace requests its version every second. */
const refusalsMax = 1_000;

/** Returns the compiled policy of a version. Versions are immutable, so an implementation may cache them. */
export interface PolicySource {
  policy(workspaceId: string, version: number): Promise<Policy>;
}

/** An older version that this release refuses, and the active version that replaces it. */
export interface Replacement {
  readonly workspaceId: string;
  readonly by: number;
  readonly error: PolicyVersionError;
}

/**
 * Compiles stored policy versions and caches the results. Workspaces with identical files share one compilation, because
 * each blocks the thread for a hundred milliseconds. An older version that this release refuses is replaced by the
 * active one.
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

  /** The policy of exactly this version, without a replacement by the active one. @throws PolicyVersionError */
  exact(workspaceId: string, version: number): Promise<Policy> {
    return storedPolicy(this.#pool, workspaceId, version);
  }

  /** The policy of the active version; the replacement is stored for later calls. @throws PolicyVersionError */
  async #replaced(workspaceId: string, version: number, error: PolicyVersionError): Promise<Policy> {
    const by = await replaceByActive(this.#pool, workspaceId, error);
    if (by === undefined) throw error;
    this.#onReplaced({ workspaceId, by, error });
    return storedPolicy(this.#pool, workspaceId, version);
  }
}

const shared = new WeakMap<Pool, PolicyCache>();

/** The cache shared by a whole thread, because compiling blocks the thread for a hundred milliseconds. */
export function policiesOf(pool: Pool): PolicyCache {
  const policies = shared.get(pool) ?? new PolicyCache(pool);
  shared.set(pool, policies);
  return policies;
}
