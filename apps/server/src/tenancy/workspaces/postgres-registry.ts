import { timingSafeEqual } from 'node:crypto';
import type { Notifications } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { licenseKeyHash } from '../../platform/secrets/license-key.ts';
import { announceKeys } from '../../platform/secrets/key-holders.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { ChangeFeed } from './change-feed.ts';
import { KeyUses } from './key-uses.ts';
import { openLicenseKey, type SealedKey } from './license-keys.ts';
import { inSnapshot } from '../../platform/database/transactions.ts';
import { openWorkspace, readStored, type StoredWorkspace } from './workspace-rows.ts';
import type { Environment, Workspace, WorkspaceRegistry } from './workspace.ts';

export interface RegistryOptions {
  readonly pool: Pool;
  readonly master: MasterKeys;
  readonly now: () => number;
  /** A monotonic clock. */
  readonly monotonicMs?: () => number;
  readonly onError: (error: unknown) => void;
  /** The same registry in other threads of this process: `refresh` waits for them, too. Never rejects. */
  readonly refreshOthers?: () => Promise<unknown>;
}

interface LiveKey extends SealedKey {
  readonly id: string;
  readonly hash: Buffer;
  readonly sending: boolean;
}

/** A snapshot of all workspaces; replaced as a whole. */
interface View {
  /** The counter of `workspace_change` at the time of reading. */
  readonly counter: string;
  readonly workspaces: ReadonlyMap<string, Workspace>;
  /** Detects changes of a workspace's rows. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** By the hash's bytes as latin1 text. */
  readonly keys: ReadonlyMap<string, LiveKey>;
  readonly sendingKeys: ReadonlyMap<string, string>;
}

const emptyView: View = {
  counter: '',
  workspaces: new Map(),
  fingerprints: new Map(),
  keys: new Map(),
  sendingKeys: new Map(),
};

/** Compared when no key is found, so that the comparison takes constant time. No key has this hash. */
const nobody: LiveKey = {
  id: '',
  workspaceId: '',
  hash: Buffer.alloc(32),
  sending: false,
  masterKeyId: '',
  sealed: Buffer.alloc(0),
};

/**
 * The registry of one process: all workspaces, loaded from PostgreSQL. Changes by other processes are seen at their
 * notification, or at most 2 s later. If loading fails, the previous snapshot stays in force.
 */
export class PostgresWorkspaceRegistry implements WorkspaceRegistry {
  readonly #options: RegistryOptions;
  readonly #feed: ChangeFeed;
  readonly #uses: KeyUses;
  readonly #listeners = new Set<() => void>();
  #view = emptyView;
  #seenAtMs = -Infinity;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#uses = new KeyUses(options.pool);
    this.#feed = new ChangeFeed({
      channel: 'ringfence_workspace',
      listening: (client) => announceKeys(client, options.master),
      look: () => this.#look(),
      onError: options.onError,
    });
  }

  /** Loads all workspaces, and follows their changes. @throws if they cannot be read or decrypted */
  async start(notifications: Notifications): Promise<void> {
    await this.#look();
    this.#feed.start(notifications);
    this.#uses.start(this.#options.onError);
  }

  /** Stops following changes. The loaded workspaces stay readable. */
  async close(): Promise<void> {
    await this.#feed.close();
    await this.#uses.close();
  }

  /** Reads changes now. Call it after a change by this process. */
  async refresh(): Promise<void> {
    await Promise.all([this.#feed.wake(), this.#options.refreshOthers?.()]);
  }

  /** Milliseconds since this snapshot was last known to be current. */
  staleMs(): number {
    return this.#monotonicMs() - this.#seenAtMs;
  }

  authenticate(
    token: string,
    environment: Environment,
  ): { readonly workspace: Workspace; readonly keyId: string } | undefined {
    const hash = licenseKeyHash(token);
    const key = this.#view.keys.get(hash.toString('latin1')) ?? nobody;
    const right = timingSafeEqual(key.hash, hash);
    const workspace = this.#view.workspaces.get(key.workspaceId);
    if (!right || workspace?.environment !== environment) return undefined;
    this.#uses.note(key.id, this.#options.now());
    return { workspace, keyId: key.id };
  }

  byId(workspaceId: string): Workspace | undefined {
    return this.#view.workspaces.get(workspaceId);
  }

  all(): readonly Workspace[] {
    return [...this.#view.workspaces.values()];
  }

  sendingKey(workspaceId: string): string | undefined {
    return this.#view.sendingKeys.get(workspaceId);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #look(): Promise<void> {
    const { pool } = this.#options;
    const askedAtMs = this.#monotonicMs();
    const found = await pool.query<{ counter: string }>(`select counter::text as counter from workspace_change`);
    if (found.rows[0]!.counter !== this.#view.counter) {
      this.#view = await inSnapshot(pool, (client) => this.#load(client));
      for (const listener of this.#listeners) listener();
    }
    this.#seenAtMs = askedAtMs;
  }

  #monotonicMs(): number {
    return (this.#options.monotonicMs ?? (() => performance.now()))();
  }

  async #load(client: ClientBase): Promise<View> {
    const counter = await client.query<{ counter: string }>(`select counter::text as counter from workspace_change`);
    const stored = await readStored(client);
    const workspaces = new Map<string, Workspace>();
    const fingerprints = new Map<string, string>();
    for (const one of stored) {
      fingerprints.set(one.row.id, fingerprintOf(one));
      workspaces.set(one.row.id, this.#same(one) ?? openWorkspace(one, this.#options.master));
    }
    const keys = await readLiveKeys(client);
    const sending = keys.filter((key) => key.sending);
    return {
      counter: counter.rows[0]!.counter,
      workspaces,
      fingerprints,
      keys: new Map(keys.map((key) => [key.hash.toString('latin1'), key])),
      sendingKeys: new Map(sending.map((key) => [key.workspaceId, openLicenseKey(this.#options.master, key)])),
    };
  }

  /** An unchanged workspace stays the same object, so that values derived from it stay valid. */
  #same(stored: StoredWorkspace): Workspace | undefined {
    const unchanged = this.#view.fingerprints.get(stored.row.id) === fingerprintOf(stored);
    return unchanged ? this.#view.workspaces.get(stored.row.id) : undefined;
  }
}

function fingerprintOf(stored: StoredWorkspace): string {
  const { row, channels, secrets } = stored;
  const { logged_policy: _policy, logged_settings: _settings, declaration: _declaration, ...seen } = row;
  // The encrypted bytes are left out: a master-key rotation changes them, but not the secret.
  const versions = secrets.map(({ name, version, made_at: made, signs_until: until }) => [name, version, made, until]);
  return JSON.stringify([seen, channels, versions]);
}

async function readLiveKeys(client: ClientBase): Promise<readonly LiveKey[]> {
  const found = await client.query<{
    readonly id: string;
    readonly workspace_id: string;
    readonly hash: Buffer;
    readonly sending: boolean;
    readonly master_key_id: string;
    readonly sealed: Buffer;
  }>(`select id, workspace_id, hash, sending, master_key_id, sealed from license_key where revoked_at is null`);
  return found.rows.map(({ workspace_id: workspaceId, master_key_id: masterKeyId, ...key }) => ({
    ...key,
    workspaceId,
    masterKeyId,
  }));
}
