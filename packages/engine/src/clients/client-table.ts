import { ByteWriter } from '../bytes/byte-writer.ts';
import { encodeClient } from '../checkpoint/entity-codec.ts';
import type { Arena } from '../memory/arena.ts';
import { ShardedMap } from '../memory/sharded-map.ts';
import type { SubjectId } from '../record.ts';
import { ChangedList, type Marks } from '../store/changed-list.ts';
import type { Evictable } from '../store/eviction.ts';
import { InUse } from '../store/in-use.ts';
import { ClientEntity } from './client-entity.ts';
import { PackedClients } from './packed-clients.ts';

/** A client in memory: as an object while it is in use, else packed, named by its block. */
type Kept = ClientEntity | number;

/** Takes what a checkpoint holds of a client. */
export type CaptureClient = (subject: SubjectId, snapshot: Uint8Array) => void;

export interface ClientTableOptions {
  readonly arena: Arena;
  /** Clients beyond this number are packed when they are not in use. */
  readonly inUseMax: number;
  /** A client was let go. */
  readonly onLeft: (subject: SubjectId) => void;
}

/** The clients that are in memory, and those known to be absent (`null`). */
export class ClientTable implements Marks<Kept>, Evictable {
  readonly #clients = new ShardedMap<Kept | null>();
  readonly #packed: PackedClients;
  readonly #inUse: InUse<ClientEntity>;
  readonly #writer = new ByteWriter();
  readonly #onLeft: (subject: SubjectId) => void;
  readonly changed: ChangedList<Kept> = new ChangedList<Kept>(this);

  constructor({ arena, inUseMax, onLeft }: ClientTableOptions) {
    this.#packed = new PackedClients(arena);
    this.#inUse = new InUse(inUseMax, (client) => this.#pack(client));
    this.#onLeft = onLeft;
  }

  get size(): number {
    return this.#clients.size;
  }

  /** `null` is known to be absent, `undefined` unknown. */
  find(subject: SubjectId): ClientEntity | null | undefined {
    const kept = this.#clients.get(subject);
    if (typeof kept === 'number') return this.#unpack(kept);
    if (kept !== null && kept !== undefined) kept.touched = true;
    return kept;
  }

  /** A new client, absent until now. */
  make(subject: SubjectId): ClientEntity {
    const client = new ClientEntity(subject);
    this.#clients.set(subject, client);
    this.#inUse.add(client);
    return client;
  }

  /** What is stored of a client that nothing is known of yet; what is in memory stays as it is. */
  supply(subject: SubjectId, read: (() => ClientEntity) | undefined): void {
    if (this.#clients.has(subject)) return;
    const client = read?.() ?? null;
    this.#clients.set(subject, client);
    if (client !== null) this.#inUse.add(client);
  }

  /** The client was erased. */
  remove(subject: SubjectId): void {
    const client = this.find(subject);
    if (client !== null && client !== undefined) this.changed.remove(client);
    this.#clients.delete(subject);
  }

  /** Packs what is not in use. Nobody may hold a client. */
  rest(): void {
    this.#inUse.rest();
  }

  beginCapture(capture: CaptureClient): void {
    this.changed.begin((kept) => {
      if (typeof kept === 'number') {
        const { subject, snapshot } = this.#packed.read(kept);
        capture(subject, snapshot);
      } else capture(kept.subject, encodeClient(this.#writer, kept));
    });
  }

  /** Subjects and snapshots of all that are in memory. */
  *snapshots(): Generator<readonly [SubjectId, Uint8Array]> {
    for (const [subject, kept] of this.#clients) {
      if (kept === null) continue;
      yield [subject, typeof kept === 'number' ? this.#packed.read(kept).snapshot : encodeClient(this.#writer, kept)];
    }
  }

  changedIn(kept: Kept): number {
    return typeof kept === 'number' ? this.#packed.changedIn(kept) : kept.changedIn;
  }

  placeOf(kept: Kept): number {
    return typeof kept === 'number' ? this.#packed.placeOf(kept) : kept.changedPlace;
  }

  mark(kept: Kept, changedIn: number, place: number): void {
    if (typeof kept === 'number') {
      this.#packed.mark(kept, changedIn, place);
      return;
    }
    kept.changedIn = changedIn;
    kept.changedPlace = place;
  }

  evictPart(part: number, excess: number, committed: number): number {
    let count = 0;
    for (const [subject, kept] of this.#clients.shard(part)) {
      if (count === excess) break;
      if (kept !== null && this.changedIn(kept) > committed) continue;
      if (typeof kept === 'number') this.#packed.release(kept);
      else if (kept?.touched === true) {
        kept.touched = false;
        continue;
      }
      if (kept !== null) this.#onLeft(subject);
      this.#clients.delete(subject);
      count++;
    }
    return count;
  }

  #pack(client: ClientEntity): void {
    // It may have been let go, or erased and made anew, since it was in use.
    if (this.#clients.get(client.subject) !== client) return;
    const block = this.#packed.pack(client);
    this.#clients.set(client.subject, block);
    this.changed.rename(client, block);
  }

  #unpack(block: number): ClientEntity {
    const client = this.#packed.unpack(block);
    this.#clients.set(client.subject, client);
    this.changed.rename(block, client);
    this.#inUse.add(client);
    return client;
  }
}
