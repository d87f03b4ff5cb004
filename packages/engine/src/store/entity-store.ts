import { ClientEntity } from '../clients/client-entity.ts';
import type { FeatureEntity } from '../features/feature-entity.ts';
import type { SubjectId } from '../record.ts';
import { DirectoryEntity } from '../sessions/directory-entity.ts';

export type Entity = ClientEntity | DirectoryEntity | FeatureEntity;

/** `null` is known to be absent, `undefined` unknown. */
export type Lookup<E> = E | null | undefined;

/**
 * The entities that are in memory, and what is known of the others.
 *
 * ```
 *   unknown ──supply──▶ resident, clean ──event──▶ changed ──checkpoint──▶ in flight ──committed──▶ clean ──evict──▶ unknown
 *           └─supply──▶ known absent ──event──▶ changed                       └──event──▶ changed
 * ```
 *
 * An entity that changed since the last committed checkpoint is never evicted: nothing but memory knows it.
 */
export class EntityStore {
  /** Whether all that exists is resident: an unknown entity is an absent one, and nothing is asked for. */
  complete: boolean;
  readonly clients = new Map<string, ClientEntity | null>();
  readonly directories = new Map<string, DirectoryEntity | null>();
  /** By number of the group. */
  readonly groups: Map<string, FeatureEntity | null>[] = [];
  /** Grows with every checkpoint; an entity's `changedIn` is the one it changed in last, 0 for never. */
  #generation = 1;
  #committed = 0;
  #changed: Entity[] = [];
  /** Clients erased, with the generation, until a committed checkpoint has erased them in the database too. */
  readonly #erased = new Map<SubjectId, number>();

  constructor(complete: boolean) {
    this.complete = complete;
  }

  get size(): number {
    return this.groups.reduce((sum, group) => sum + group.size, this.clients.size + this.directories.size);
  }

  client(subject: SubjectId): Lookup<ClientEntity> {
    return this.#found(this.clients.get(subject), subject);
  }

  directory(session: string): Lookup<DirectoryEntity> {
    return this.#found(this.directories.get(session), undefined);
  }

  feature(group: number, value: string, subject: SubjectId | undefined): Lookup<FeatureEntity> {
    return this.#found(this.group(group).get(value), subject);
  }

  /** The client, made where it is absent; changed in any case. */
  changeClient(subject: SubjectId): ClientEntity {
    let client = this.clients.get(subject);
    if (client === undefined || client === null) {
      client = new ClientEntity(subject);
      this.clients.set(subject, client);
    }
    this.change(client);
    return client;
  }

  changeDirectory(session: string): DirectoryEntity {
    let directory = this.directories.get(session);
    if (directory === undefined || directory === null) {
      directory = new DirectoryEntity(session);
      this.directories.set(session, directory);
    }
    this.change(directory);
    return directory;
  }

  group(number: number): Map<string, FeatureEntity | null> {
    while (this.groups.length <= number) this.groups.push(new Map());
    return this.groups[number]!;
  }

  change(entity: Entity): void {
    if (entity.changedIn === this.#generation) return;
    entity.changedIn = this.#generation;
    this.#changed.push(entity);
  }

  /** Removes what is kept under this client; the host removes what is only in the database. */
  erase(subject: SubjectId): void {
    this.#erased.set(subject, this.#generation);
    for (const entities of [this.clients, ...this.groups]) {
      for (const [key, entity] of entities) if (entity?.subject === subject) entities.delete(key);
    }
    this.#changed = this.#changed.filter((entity) => entity.kind === 'directory' || entity.subject !== subject);
  }

  /** What changed since the last call, and the clients erased since then; both are in flight now. */
  capture(): {
    readonly generation: number;
    readonly changed: readonly Entity[];
    readonly erased: readonly SubjectId[];
  } {
    const generation = this.#generation++;
    const changed = this.#changed;
    this.#changed = [];
    const erased = [...this.#erased].filter(([, since]) => since === generation).map(([subject]) => subject);
    return { generation, changed, erased };
  }

  /** The checkpoint of this generation is in the database. */
  committed(generation: number): void {
    this.#committed = Math.max(this.#committed, generation);
    for (const [subject, since] of this.#erased) if (since <= this.#committed) this.#erased.delete(subject);
  }

  /**
   * Lets clean entities go that nobody has touched since the last call, until at most `sizeMax` are left, or all are
   * that can. Returns how many went.
   */
  evict(sizeMax: number): number {
    let excess = this.size - sizeMax;
    const before = this.size;
    for (const entities of [this.directories, this.clients, ...this.groups] as Map<string, Entity | null>[]) {
      for (const [key, entity] of entities) {
        if (excess <= 0) return this.#evicted(before);
        if (entity !== null && entity.changedIn > this.#committed) continue;
        if (entity?.touched === true) {
          entity.touched = false;
          continue;
        }
        entities.delete(key);
        excess--;
      }
    }
    return this.#evicted(before);
  }

  #evicted(before: number): number {
    const count = before - this.size;
    if (count > 0) this.complete = false;
    return count;
  }

  #found<E extends Entity>(entity: E | null | undefined, subject: SubjectId | undefined): Lookup<E> {
    if (entity !== undefined) {
      if (entity !== null) entity.touched = true;
      return entity;
    }
    if (this.complete) return null;
    return subject !== undefined && this.#erased.has(subject) ? null : undefined;
  }
}
