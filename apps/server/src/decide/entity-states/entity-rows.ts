import { bytesArray } from '@ringfence/log';
import type { SuppliedEntity } from '@ringfence/engine';
import { blindIndex } from '../../platform/secrets/blind-index.ts';
import { open, openUndamaged, type Place } from '../../platform/secrets/seal.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { nameBytes } from './block.ts';
import type { Connection } from './segment-rows.ts';

/** Expired rows removed at a time, which bounds this part of a checkpoint's work. */
const expiredMax = 5_000;
/** Keys per look-up statement. */
const chunkMax = 500;

/** A row before it moves into a segment. */
export interface EntityRow {
  readonly name: Buffer;
  readonly subject: string | undefined;
  readonly sealed: Buffer;
  readonly expiresAtMs: number | undefined;
}

/**
 * Entity states as releases before segments stored them: one row each, sealed under the workspace's data key. Nothing
 * writes such rows any more; the checkpoints of a store move them into segments.
 */
export class EntityRows {
  readonly #workspace: Workspace;
  readonly #table: 'entity_state' | 'base_entity';

  constructor(workspace: Workspace, table: 'entity_state' | 'base_entity') {
    this.#workspace = workspace;
    this.#table = table;
  }

  async isEmpty(on: Connection): Promise<boolean> {
    const found = await on.query(`select 1 from ${this.#table} where workspace_id = $1 limit 1`, [this.#workspace.id]);
    return found.rowCount === 0;
  }

  /** What is stored under these keys. */
  async load(keys: readonly string[], on: Connection): Promise<readonly SuppliedEntity[]> {
    const loaded: SuppliedEntity[] = [];
    for (let at = 0; at < keys.length; at += chunkMax) {
      loaded.push(...(await this.#loadChunk(keys.slice(at, at + chunkMax), on)));
    }
    return loaded;
  }

  async removeSubjects(subjects: readonly string[], on: Connection): Promise<void> {
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
  async replaceBy(other: EntityRows, on: Connection): Promise<void> {
    const columns = 'workspace_id, key, subject, state, expires_at_ms';
    await on.query(`delete from ${this.#table} where workspace_id = $1`, [this.#workspace.id]);
    await on.query(
      `insert into ${this.#table} (${columns}) select ${columns} from ${other.#table} where workspace_id = $1`,
      [this.#workspace.id],
    );
  }

  /** Deletes at most `countMax` rows, and returns them. Call within a transaction. */
  async take(countMax: number, on: Connection): Promise<readonly EntityRow[]> {
    const found = await on.query<{
      key: Buffer;
      subject: string | null;
      state: Buffer;
      expires_at_ms: number | null;
    }>({
      name: `${this.#table}_take`,
      text: `with taken as (select key from ${this.#table} where workspace_id = $1 order by key limit $2)
             delete from ${this.#table} e using taken where e.workspace_id = $1 and e.key = taken.key
             returning e.key, e.subject, e.state, e.expires_at_ms`,
      values: [this.#workspace.id, countMax],
    });
    return found.rows.map(({ key: name, subject, state: sealed, expires_at_ms: expiresAtMs }) => ({
      name,
      sealed,
      subject: subject ?? undefined,
      expiresAtMs: expiresAtMs ?? undefined,
    }));
  }

  /** `undefined` for a damaged row. */
  openRow(sealed: Uint8Array): Buffer | undefined {
    return openUndamaged(this.#workspace.secrets.data, sealed, this.#place);
  }

  async #loadChunk(keys: readonly string[], on: Connection): Promise<readonly SuppliedEntity[]> {
    const names = keys.map((key) => blindIndex(this.#workspace.secrets.index, key).subarray(0, nameBytes));
    const found = await on.query<{ i: number; state: Buffer }>({
      name: `${this.#table}_load`,
      text: `select k.i, e.state
               from unnest($2::bytea[]) with ordinality as k(key, i)
               join ${this.#table} e on e.workspace_id = $1 and e.key = k.key`,
      values: [this.#workspace.id, bytesArray(names)],
    });
    return found.rows.map(({ i, state }) => ({
      key: keys[i - 1]!,
      bytes: open(this.#workspace.secrets.data, state, this.#place),
    }));
  }

  /** Of all rows: releases that wrote them bound them to no more. */
  get #place(): Place {
    return { of: `entity:${this.#workspace.id}`, row: 'entity' };
  }
}
