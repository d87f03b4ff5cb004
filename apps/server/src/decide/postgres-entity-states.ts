import { bytesArray, int8Array, textArray } from '@ringfence/log';
import type { CheckpointEntity, EntitySource, EntityStates, SuppliedEntity } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import { indexHmac } from '../platform/secrets/blind-index.ts';
import { open, seal } from '../platform/secrets/seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** Bytes of the keyed hash that names an entity in the database: 2^-64 chance of a clash among 2^32 entities. */
const keyBytes = 16;
/** Expired entities removed with one checkpoint, which bounds this part of its work. */
const expiredMax = 5_000;
/** Entities per look-up statement. */
const chunkMax = 500;
/**
 * Entities captured, sealed and sent in one statement of a checkpoint; the event loop turns between two statements. A
 * decision takes several turns, and each may have to wait for one such part: 2 ms.
 */
const partMax = 100;

/** A pool, or the client of a transaction. */
type Connection = ClientBase | Pool;

/**
 * `entity_state` belongs to the checkpoint, where the engine resumes; `base_entity` to the base, where replay starts.
 */
export type EntityTable = 'entity_state' | 'base_entity';

/** All columns of both tables, so that writers omit none. */
const columns = 'workspace_id, key, subject, state, expires_at_ms';

/**
 * Entity states in the database: named by a keyed hash and sealed under the workspace's data key, so that a dump
 * reveals neither names nor contents. Reads and writes go in statements of at most 500.
 */
export class PostgresEntityStates implements EntityStates<Connection> {
  readonly #workspace: Workspace;
  readonly #table: EntityTable;
  readonly #context: string;

  constructor(workspace: Workspace, table: EntityTable) {
    this.#workspace = workspace;
    this.#table = table;
    this.#context = `entity:${workspace.id}`;
  }

  async isEmpty(on: Connection): Promise<boolean> {
    const found = await on.query(`select 1 from ${this.#table} where workspace_id = $1 limit 1`, [this.#workspace.id]);
    return found.rowCount === 0;
  }

  async load(keys: readonly string[], on: Connection): Promise<SuppliedEntity[]> {
    const loaded: SuppliedEntity[] = [];
    for (let at = 0; at < keys.length; at += chunkMax) {
      loaded.push(...(await this.#loadChunk(keys.slice(at, at + chunkMax), on)));
    }
    return loaded;
  }

  /** Call within the checkpoint's transaction. Captures each part just before writing it. */
  async save(checkpoint: EntitySource, on: Connection): Promise<void> {
    for (let some = checkpoint.next(partMax); some.length > 0; some = checkpoint.next(partMax)) {
      const gone = some.filter((entity) => entity.bytes === undefined);
      const kept = some.filter((entity) => entity.bytes !== undefined);
      if (gone.length > 0) await this.#remove(gone, on);
      if (kept.length > 0) await this.#upsert(kept, on);
      await turn();
    }
  }

  async removeSubjects(subjects: readonly string[], on: Connection): Promise<void> {
    if (subjects.length === 0) return;
    await on.query(`delete from ${this.#table} where workspace_id = $1 and subject = any($2)`, [
      this.#workspace.id,
      subjects,
    ]);
  }

  /** Removes at most 5,000, the longest expired first. */
  async removeExpired(logTimeMs: number, on: Connection): Promise<void> {
    await on.query({
      name: `${this.#table}_expired`,
      text: `delete from ${this.#table}
              where workspace_id = $1
                and key in (select key from ${this.#table}
                             where workspace_id = $1 and expires_at_ms <= $2 order by expires_at_ms limit ${expiredMax})`,
      values: [this.#workspace.id, logTimeMs],
    });
  }

  /** Call within a transaction. */
  async replaceBy(other: PostgresEntityStates, on: Connection): Promise<void> {
    await on.query(`delete from ${this.#table} where workspace_id = $1`, [this.#workspace.id]);
    await on.query(
      `insert into ${this.#table} (${columns}) select ${columns} from ${other.#table} where workspace_id = $1`,
      [this.#workspace.id],
    );
  }

  async #loadChunk(keys: readonly string[], on: Connection): Promise<SuppliedEntity[]> {
    const found = await on.query<{ i: string; state: Buffer }>({
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

  async #upsert(entities: readonly CheckpointEntity[], on: Connection): Promise<void> {
    await on.query({
      name: `${this.#table}_upsert`,
      text: `insert into ${this.#table} (${columns})
             select $1, s.* from unnest($2::bytea[], $3::text[], $4::bytea[], $5::bigint[]) as s(key, subject, state, expires_at_ms)
             on conflict (workspace_id, key) do update
               set subject = excluded.subject, state = excluded.state, expires_at_ms = excluded.expires_at_ms`,
      values: [
        this.#workspace.id,
        bytesArray(entities.map((entity) => this.#nameOf(entity.key))),
        textArray(entities.map((entity) => entity.subject)),
        bytesArray(entities.map((entity) => this.sealState(entity.bytes!))),
        int8Array(entities.map((entity) => entity.expiresAtMs)),
      ],
    });
  }

  async #remove(entities: readonly CheckpointEntity[], on: Connection): Promise<void> {
    await on.query({
      name: `${this.#table}_remove`,
      text: `delete from ${this.#table} where workspace_id = $1 and key = any($2::bytea[])`,
      values: [this.#workspace.id, bytesArray(entities.map((entity) => this.#nameOf(entity.key)))],
    });
  }

  /** Seals the engine's global state with the key of the entities. */
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
