import { type EventLog, type Notifications, textArray } from '@ringfence/log';
import type { Pool } from 'pg';
import { blindIndex } from '../../platform/secrets/blind-index.ts';
import { open } from '../../platform/secrets/seal.ts';
import { ChangeFeed } from '../workspaces/change-feed.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import type { AdoptionKeys } from './adoption.ts';
import { clientsOfBatchMax, getOrCreateSubjects, subjectPlace, type WantedSubject } from './get-or-create.ts';
import { SubjectCache } from './subject-cache.ts';
import type { SubjectKey, SubjectKeys } from './subject-keys.ts';

export interface SubjectKeysOptions {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'head'>;
  readonly onError: (error: unknown) => void;
  /** Where the bytes of events are kept outside of the database. */
  readonly adoption?: AdoptionKeys;
}

/** Subjects per query: keeps the statement and its result small. */
const subjectsOfQueryMax = 10_000;

interface Waiting extends WantedSubject {
  readonly key: string;
  readonly answer: PromiseWithResolvers<SubjectKey>;
}

/**
 * Keys from PostgreSQL, behind a bounded LRU cache. A cached client is returned synchronously; the other requests of
 * one event-loop turn share a query. If two processes request a new client at the same time, it is created once.
 */
export class PostgresSubjectKeys implements SubjectKeys {
  readonly #options: SubjectKeysOptions;
  readonly #cache = new SubjectCache();
  readonly #feed: ChangeFeed;
  #waiting = new Map<string, Waiting>();
  #lastErasure = '0';
  #wasConnected = false;

  constructor(options: SubjectKeysOptions) {
    this.#options = options;
    this.#feed = new ChangeFeed({
      channel: 'ringfence_erasure',
      listening: () => this.#connected(),
      look: () => this.#lookForErasures(),
      onError: options.onError,
    });
  }

  /** Follows the erasures of other processes, so that erased keys do not stay in this process's memory. */
  async start(notifications: Notifications): Promise<void> {
    const found = await this.#options.pool.query<{ id: string }>(
      `select coalesce(max(id), 0)::text as id from erasure`,
    );
    this.#lastErasure = found.rows[0]!.id;
    this.#feed.start(notifications);
  }

  close(): Promise<void> {
    return this.#feed.close();
  }

  ofClient(workspace: Workspace, client: string): SubjectKey | Promise<SubjectKey> {
    return this.#cache.byClient(workspace.id, client) ?? this.#ask(workspace, client);
  }

  generation(workspaceId: string): number {
    return this.#cache.generation(workspaceId);
  }

  async refresh(workspaceId: string): Promise<void> {
    // The generation is read first: keys that are looked up afterwards are at least as new.
    const head = await this.#options.log.head(workspaceId);
    this.#cache.forget(workspaceId, Math.max(head.generation, this.#cache.generation(workspaceId)));
  }

  async bySubject(workspace: Workspace, subjects: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const keys = new Map<string, Buffer>();
    const missing: string[] = [];
    for (const subject of subjects) {
      const cached = this.#cache.bySubject(workspace.id, subject);
      if (cached === undefined) missing.push(subject);
      else keys.set(subject, cached);
    }
    for (let from = 0; from < missing.length; from += subjectsOfQueryMax) {
      await this.#readSubjects(workspace, missing.slice(from, from + subjectsOfQueryMax), keys);
    }
    return keys;
  }

  async find(workspace: Workspace, client: string): Promise<string | undefined> {
    const cached = this.#cache.byClient(workspace.id, client);
    if (cached !== undefined) return cached.subject;
    const found = await this.#options.pool.query<{ id: string }>({
      name: 'subject_find',
      text: `select id from subject where workspace_id = $1 and client_index = $2`,
      values: [workspace.id, blindIndex(workspace.secrets.index, client)],
    });
    return found.rows[0]?.id;
  }

  async #readSubjects(workspace: Workspace, subjects: readonly string[], into: Map<string, Buffer>): Promise<void> {
    const era = this.#cache.era(workspace.id);
    const found = await this.#options.pool.query<{ id: string; client_index: Buffer; sealed_key: Buffer }>({
      name: 'subject_keys',
      // The lateral join forces one index look-up per subject, even if the plan was made when the table was small.
      text: `select s.id, s.client_index, s.sealed_key from unnest($2::text[]) as wanted(id)
              cross join lateral (select * from subject where workspace_id = $1 and id = wanted.id limit 1) s`,
      values: [workspace.id, textArray(subjects)],
    });
    for (const row of found.rows) {
      const key = open(workspace.secrets.data, row.sealed_key, subjectPlace(workspace.id, row.id, row.client_index));
      into.set(row.id, key);
      if (era === this.#cache.era(workspace.id)) this.#cache.keepSubject(workspace.id, row.id, key);
    }
  }

  #ask(workspace: Workspace, client: string): Promise<SubjectKey> {
    const key = workspace.id + client;
    const already = this.#waiting.get(key);
    if (already !== undefined) return already.answer.promise;
    const waiting: Waiting = {
      key,
      workspace,
      client,
      clientIndex: blindIndex(workspace.secrets.index, client),
      answer: Promise.withResolvers(),
    };
    if (this.#waiting.size === 0) setImmediate(() => this.#askDatabase());
    this.#waiting.set(key, waiting);
    return waiting.answer.promise;
  }

  #askDatabase(): void {
    const all = [...this.#waiting.values()];
    this.#waiting = new Map();
    for (let from = 0; from < all.length; from += clientsOfBatchMax) {
      void this.#answer(all.slice(from, from + clientsOfBatchMax));
    }
  }

  async #answer(batch: readonly Waiting[]): Promise<void> {
    const eras = batch.map(({ workspace }) => this.#cache.era(workspace.id));
    try {
      const found = await getOrCreateSubjects(this.#options.pool, batch, this.#options.adoption);
      for (const [i, waiting] of batch.entries()) {
        const { workspace, client, answer } = waiting;
        if (eras[i] === this.#cache.era(workspace.id)) {
          this.#cache.keepClient(workspace.id, client, found[i]!);
          answer.resolve(found[i]!);
        } else {
          // The cache was cleared during the query: the client may have been erased meanwhile, so ask again.
          answer.resolve(this.ofClient(workspace, client));
        }
      }
    } catch (error) {
      for (const { answer } of batch) answer.reject(error);
    }
  }

  /** A lost connection may mean a failover, after which the database may lack keys that it had before. */
  #connected(): void {
    if (this.#wasConnected) this.#cache.clear();
    this.#wasConnected = true;
  }

  async #lookForErasures(): Promise<void> {
    const found = await this.#options.pool.query<{ workspace_id: string; last: string }>(
      `select workspace_id, max(id)::text as last from erasure where id > $1 group by workspace_id order by max(id)`,
      [this.#lastErasure],
    );
    for (const row of found.rows) {
      await this.refresh(row.workspace_id);
      this.#lastErasure = row.last;
    }
  }
}
