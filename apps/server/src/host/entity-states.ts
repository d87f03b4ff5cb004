import { bytesArray, int8Array, textArray } from '@ringfence/log';
import type { CheckpointEntity, GradualCheckpoint, SuppliedEntity } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import { indexHmac } from '../secrets/blind-index.ts';
import { open, seal } from '../secrets/seal.ts';
import type { Workspace } from '../workspaces/workspace.ts';

/** Bytes of the keyed hash that names an entity in the database: 2^-64 chance of a clash among 2^32 entities. */
const keyBytes = 16;
/** Expired entities removed with one checkpoint: a bounded share of its work. */
const expiredMax = 5_000;
/** Entities of one look-up. */
const chunkMax = 500;
/**
 * Entities captured, sealed and sent in one statement of a checkpoint; between two the event loop turns. A decision
 * takes several turns, and each may have to wait for one such part: 2 ms.
 */
const partMax = 100;

/** Of the checkpoint, from which the engine goes on; of the base, from which the kept log is stepped again. */
export type EntityTable = 'entity_state' | 'base_entity';

/**
 * Entity states in the database: named by a keyed hash, sealed under the workspace's data key, so that a dump tells
 * neither who nor what. Reads and writes go in statements of at most 500.
 */
export class EntityStates {
  readonly #workspace: Workspace;
  readonly #table: EntityTable;
  readonly #context: string;

  constructor(workspace: Workspace, table: EntityTable) {
    this.#workspace = workspace;
    this.#table = table;
    this.#context = `entity:${workspace.id}`;
  }

  async isEmpty(pool: Pool): Promise<boolean> {
    const found = await pool.query(`select 1 from ${this.#table} where workspace_id = $1 limit 1`, [
      this.#workspace.id,
    ]);
    return found.rowCount === 0;
  }

  /** Every key is answered, found or not. */
  async load(pool: Pool, keys: readonly string[]): Promise<SuppliedEntity[]> {
    const loaded: SuppliedEntity[] = [];
    for (let at = 0; at < keys.length; at += chunkMax) {
      loaded.push(...(await this.#loadChunk(pool, keys.slice(at, at + chunkMax))));
    }
    return loaded;
  }

  /** Writes what changed, inside the checkpoint's transaction, and captures it on the way. */
  async save(client: ClientBase, checkpoint: Pick<GradualCheckpoint, 'next'>): Promise<void> {
    for (let some = checkpoint.next(partMax); some.length > 0; some = checkpoint.next(partMax)) {
      const gone = some.filter((entity) => entity.bytes === undefined);
      const kept = some.filter((entity) => entity.bytes !== undefined);
      if (gone.length > 0) await this.#remove(client, gone);
      if (kept.length > 0) await this.#upsert(client, kept);
      await turn();
    }
  }

  /** Of clients that were erased: whatever is stored under them goes. */
  async removeSubjects(client: ClientBase, subjects: readonly string[]): Promise<void> {
    if (subjects.length === 0) return;
    await client.query(`delete from ${this.#table} where workspace_id = $1 and subject = any($2)`, [
      this.#workspace.id,
      subjects,
    ]);
  }

  /** Those that are the same as absent since `logTimeMs`, which the checkpoint has reached. Bounded; the rest goes later. */
  async removeExpired(client: ClientBase, logTimeMs: number): Promise<void> {
    await client.query({
      name: `${this.#table}_expired`,
      text: `delete from ${this.#table}
              where workspace_id = $1
                and key in (select key from ${this.#table}
                             where workspace_id = $1 and expires_at_ms <= $2 order by expires_at_ms limit ${expiredMax})`,
      values: [this.#workspace.id, logTimeMs],
    });
  }

  async #loadChunk(pool: Pool, keys: readonly string[]): Promise<SuppliedEntity[]> {
    const found = await pool.query<{ i: string; state: Buffer }>({
      name: `${this.#table}_load`,
      text: `select k.i, e.state
               from unnest($2::bytea[]) with ordinality as k(key, i)
               join ${this.#table} e on e.workspace_id = $1 and e.key = k.key`,
      values: [this.#workspace.id, bytesArray(keys.map((key) => this.#nameOf(key)))],
    });
    const states = new Map(found.rows.map((row) => [Number(row.i) - 1, row.state]));
    return keys.map((key, i) => {
      const sealed = states.get(i);
      const bytes = sealed === undefined ? undefined : open(this.#workspace.secrets.data, sealed, this.#context);
      return { key, bytes };
    });
  }

  async #upsert(client: ClientBase, entities: readonly CheckpointEntity[]): Promise<void> {
    await client.query({
      name: `${this.#table}_upsert`,
      text: `insert into ${this.#table} (workspace_id, key, subject, state, expires_at_ms)
             select $1, s.* from unnest($2::bytea[], $3::text[], $4::bytea[], $5::bigint[]) as s(key, subject, state, expires_at_ms)
             on conflict (workspace_id, key) do update set state = excluded.state, expires_at_ms = excluded.expires_at_ms`,
      values: [
        this.#workspace.id,
        bytesArray(entities.map((entity) => this.#nameOf(entity.key))),
        textArray(entities.map((entity) => entity.subject)),
        bytesArray(entities.map((entity) => this.sealState(entity.bytes!))),
        int8Array(entities.map((entity) => entity.expiresAtMs)),
      ],
    });
  }

  async #remove(client: ClientBase, entities: readonly CheckpointEntity[]): Promise<void> {
    await client.query({
      name: `${this.#table}_remove`,
      text: `delete from ${this.#table} where workspace_id = $1 and key = any($2::bytea[])`,
      values: [this.#workspace.id, bytesArray(entities.map((entity) => this.#nameOf(entity.key)))],
    });
  }

  /** The engine's global state is sealed as entities are. */
  sealState(bytes: Uint8Array): Buffer {
    return seal(this.#workspace.secrets.data, bytes, this.#context);
  }

  openState(sealed: Uint8Array): Buffer {
    return open(this.#workspace.secrets.data, sealed, this.#context);
  }

  #nameOf(key: string): Buffer {
    return indexHmac(this.#workspace.secrets.index).update(key).digest().subarray(0, keyBytes);
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
