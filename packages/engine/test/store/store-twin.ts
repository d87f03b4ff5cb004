import { FeatureEntity } from '../../src/features/store/feature-entity.ts';
import type { EngineState, StateOptions } from '../../src/state.ts';
import { newState } from '../../src/state.ts';
import {
  beginCheckpoint,
  checkpointCommitted,
  type CheckpointEntity,
  type GradualCheckpoint,
  restoreState,
} from '../../src/store/checkpoint/checkpoint.ts';
import { clientKey, directoryKey, featureKey, type KeyText, type Sought } from '../../src/store/store.ts';
import { beginMs, LogBuilder, policyOf, run } from '../log-builder.ts';
import { pick, type Random } from '../prng.ts';

/** Two groups of features: group 0 is named by a payee, group 1 by a client and a payee. */
const policy = policyOf(`features:
  paid: { count: true, by: payee.id, over: 30d, on: [operation] }
  paidBy: { count: true, by: [client.id, payee.id], over: 30d, on: [operation] }
rules: []
`);

const small: Omit<StateOptions, 'complete'> = { hashKey: [1, 2], inUseMax: 3, roomyBytes: 0 };

/** What the store should contain. */
class Model {
  /** Logins by client. */
  readonly clients: Map<string, number>;
  /** Client by session. */
  readonly holders: Map<string, string>;
  /** Times of rows by the key of a feature entity, and the client in its name. */
  readonly rows: Map<string, { readonly subject: string | undefined; readonly timesMs: readonly number[] }>;

  constructor(from?: Model) {
    this.clients = new Map(from?.clients);
    this.holders = new Map(from?.holders);
    this.rows = new Map(from?.rows);
  }

  erase(subject: string): void {
    this.clients.delete(subject);
    for (const [session, holder] of this.holders) if (holder === subject) this.holders.delete(session);
    for (const [key, rows] of this.rows) if (rows.subject === subject) this.rows.delete(key);
  }
}

/** What the sequences did together: a test that covers nothing proves nothing. */
export const met = { loads: 0, evicted: 0, commits: 0, crashes: 0, erasures: 0, changedWhileCaptured: 0 };

/** A store, its host's database, and the model of both. */
export class StoreTwin {
  readonly #random: Random;
  #state: EngineState;
  #model = new Model();
  readonly #database = new Map<string, CheckpointEntity>();
  /** The last committed checkpoint. */
  #stored: { readonly globals: Uint8Array; readonly model: Model } | undefined;
  #running: { readonly checkpoint: GradualCheckpoint; readonly model: Model; entities: CheckpointEntity[] } | undefined;
  #names = 0;
  #nowMs = beginMs;
  readonly #subjects: string[];
  readonly #erased: string[] = [];
  readonly #sessions = Array.from({ length: 10 }, (_, index) => `session ${index}`);
  /** One does not fit into bytes, one is empty, and one is longer than most. */
  readonly #payees = ['p0', 'p1', 'p2', 'p3', '', 'пётр', 'x'.repeat(300)];

  constructor(random: Random) {
    this.#random = random;
    this.#subjects = Array.from({ length: 8 }, () => this.#newSubject());
    const log = new LogBuilder();
    log.policy(policy);
    this.#state = run(log.records, newState({ complete: true, ...small })).state;
  }

  /** One random call. No entity is held between two calls. */
  call(): void {
    const random = this.#random;
    this.#nowMs += random(1_000);
    this.#state.store.rest();
    const calls = [
      () => this.#changeClient(pick(random, this.#subjects)),
      () => this.#checkClient(this.#anySubject()),
      () => this.#putDirectory(pick(random, this.#sessions)),
      () => this.#checkDirectory(pick(random, this.#sessions)),
      () => this.#takeEvent(pick(random, this.#subjects), pick(random, this.#payees), random(2) === 0),
      () => this.#takeEvent(pick(random, this.#subjects), pick(random, this.#payees), random(2) === 0),
      () => this.#evict(),
      () => this.#capture(),
    ];
    const rare = random(60);
    if (rare === 0) this.#crash();
    else if (rare === 1) this.#erase(random(this.#subjects.length));
    else pick(random, calls)();
  }

  /** Compares every entity. Returns how many exist. */
  checkAll(): number {
    for (const subject of [...this.#subjects, ...this.#erased]) {
      this.#checkClient(subject);
      for (const payee of this.#payees) this.#takeEvent(subject, payee, false);
    }
    for (const session of this.#sessions) this.#checkDirectory(session);
    const { clients, holders, rows } = this.#model;
    const known = clients.size + holders.size + rows.size;
    same(this.#state.store.size >= known && this.#state.store.bytes > 0, true, 'size');
    return known;
  }

  #newSubject(): string {
    return `subject ${this.#names++}`;
  }

  #anySubject(): string {
    return pick(this.#random, [...this.#subjects, ...this.#erased.slice(-3)]);
  }

  #load(key: string): void {
    met.loads++;
    same(this.#state.store.complete, false, 'completeness of a store that asks');
    this.#state.store.supply(key, this.#database.get(key)?.bytes);
  }

  #checkClient(subject: string): void {
    const { store } = this.#state;
    if (store.client(subject) === undefined) this.#load(clientKey(subject));
    const found = store.client(subject);
    same(found === null ? undefined : found!.logins, this.#model.clients.get(subject), subject);
  }

  #changeClient(subject: string): void {
    const { store } = this.#state;
    if (this.#running !== undefined) met.changedWhileCaptured++;
    if (store.client(subject) === undefined) this.#load(clientKey(subject));
    const known = this.#random(2) === 0 ? undefined : (store.client(subject) ?? undefined);
    const client = store.changeClient(subject, known);
    client.seen(this.#nowMs);
    client.logins++;
    this.#model.clients.set(subject, (this.#model.clients.get(subject) ?? 0) + 1);
    same(client.logins, this.#model.clients.get(subject), subject);
  }

  /** A session's name is written without being loaded before. */
  #putDirectory(session: string): void {
    const subject = this.#random(5) === 0 ? undefined : pick(this.#random, this.#subjects);
    const holder = subject === undefined ? undefined : { subject, untilMs: this.#nowMs };
    this.#state.store.putDirectory(session, holder);
    if (subject === undefined) this.#model.holders.delete(session);
    else this.#model.holders.set(session, subject);
  }

  #checkDirectory(session: string): void {
    const { store } = this.#state;
    if (store.directory(session) === undefined) this.#load(directoryKey(session));
    const found = store.directory(session);
    same(found === undefined, false, session);
    same(found?.holder?.subject, this.#model.holders.get(session), session);
  }

  /** Looks up the entities of both groups, compares them, and perhaps adds a row to each. */
  #takeEvent(subject: string, payee: string, isUpdate: boolean): void {
    const { store } = this.#state;
    const sought = [
      this.#sought(0, undefined, this.#key([payee])),
      this.#sought(1, subject, this.#key([subject, payee])),
    ];
    if (!store.lookFor(sought)) {
      for (const { known, key, look } of sought) {
        if (known === 'unknown') this.#load(featureKey(look.group.number, key.text));
      }
      same(store.lookFor(sought), true, 'a look-up after loading');
    }
    for (const { key, known, look, block, subject: of } of sought) {
      const name = featureKey(look.group.number, key.text);
      const before = this.#model.rows.get(name)?.timesMs;
      same(known, before === undefined ? 'absent' : 'present', name);
      if (known === 'present') same(timesOf(look.place(block)), before?.join(), name);
      if (!isUpdate) continue;
      if (known === 'absent') look.begin(key, this.#state.features.layoutOf(look.group.number));
      store.changeFeature(look);
      const atMs = this.#nowMs - this.#random(5_000);
      look.insertRow(atMs);
      const timesMs = [...(before ?? []), atMs].toSorted((a, b) => a - b);
      this.#model.rows.set(name, { subject: of, timesMs });
      same(timesOf(look), timesMs.join(), name);
    }
  }

  #sought(group: number, subject: string | undefined, key: KeyText): Sought {
    return { key, subject, look: new FeatureEntity(this.#state.store.group(group)), known: 'unknown', block: 0 };
  }

  #key(parts: readonly string[]): KeyText {
    const key = this.#state.store.newKey();
    const written = parts.map((part) => {
      const one = this.#state.store.newKey();
      one.write(part);
      return one;
    });
    if (parts.length === 1) key.set(parts[0]!);
    else key.setParts(written);
    return key;
  }

  #erase(place: number): void {
    met.erasures++;
    const subject = this.#subjects[place]!;
    this.#subjects[place] = this.#newSubject();
    this.#erased.push(subject);
    this.#state.store.erase(subject, (group) => this.#state.features.subjectPart(group));
    this.#model.erase(subject);
  }

  #evict(): void {
    const { store } = this.#state;
    const before = store.size;
    const count = store.evict(this.#random(3) === 0 ? 0 : store.bytes >> 1, 1 + this.#random(300));
    same(store.size, before - count, 'size after an eviction');
    met.evicted += count;
  }

  /** Begins a checkpoint, captures some of it, or stores it in one transaction. */
  #capture(): void {
    if (this.#running === undefined) {
      this.#running = { checkpoint: beginCheckpoint(this.#state), model: new Model(this.#model), entities: [] };
      return;
    }
    const { checkpoint, model, entities } = this.#running;
    const some = checkpoint.next(1 + this.#random(6));
    entities.push(...some);
    if (some.length > 0) return;
    for (const [key, { subject }] of this.#database) {
      if (subject !== undefined && checkpoint.erased.includes(subject)) this.#database.delete(key);
    }
    for (const entity of entities) {
      if (entity.bytes === undefined) this.#database.delete(entity.key);
      else this.#database.set(entity.key, entity);
    }
    checkpointCommitted(this.#state, checkpoint);
    this.#stored = { globals: checkpoint.globals, model };
    this.#running = undefined;
    met.commits++;
  }

  #crash(): void {
    if (this.#stored === undefined) return;
    met.crashes++;
    this.#running = undefined;
    this.#state = restoreState(this.#stored.globals, policy, { complete: false, ...small });
    this.#model = new Model(this.#stored.model);
  }
}

function timesOf(entity: FeatureEntity): string {
  return Array.from({ length: entity.rows }, (_, row) => entity.atMs(entity.head + row)).join();
}

function same<Value>(found: Value, expected: Value, what: string): void {
  if (found !== expected) throw new Error(`${what}: ${String(found)} was found, and ${String(expected)} expected`);
}
