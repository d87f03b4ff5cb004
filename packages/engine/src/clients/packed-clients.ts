import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { decodeClient, writeClientSnapshot } from '../checkpoint/entity-codec.ts';
import type { Arena } from '../memory/arena.ts';
import { PackedBytes } from '../memory/packed-bytes.ts';
import type { SubjectId } from '../record.ts';
import type { ClientEntity } from './client-entity.ts';

export interface PackedClient {
  readonly subject: SubjectId;
  readonly snapshot: Uint8Array;
}

/** Clients as their subjects and snapshots, in blocks that the garbage collector does not see. */
export class PackedClients {
  readonly #packed: PackedBytes;
  readonly #writer = new ByteWriter();

  constructor(arena: Arena) {
    this.#packed = new PackedBytes(arena);
  }

  /** Packs a client, with what it remembers of the list that it is in; gives its block. */
  pack(client: ClientEntity): number {
    this.#writer.text(client.subject);
    writeClientSnapshot(this.#writer, client);
    const block = this.#writer.lend((bytes) => this.#packed.pack(bytes));
    this.mark(block, client.changedIn, client.changedPlace);
    return block;
  }

  /** The client that was packed; its block is given back. */
  unpack(block: number): ClientEntity {
    const { subject, snapshot } = this.#split(block);
    const client = decodeClient(snapshot, subject);
    client.changedIn = this.changedIn(block);
    client.changedPlace = this.placeOf(block);
    this.release(block);
    return client;
  }

  /** Whose block it is, and a copy of the snapshot. */
  read(block: number): PackedClient {
    const { subject, snapshot } = this.#split(block);
    return { subject, snapshot: snapshot.slice() };
  }

  release(block: number): void {
    this.#packed.release(block);
  }

  changedIn(block: number): number {
    return this.#packed.own(block, 0);
  }

  placeOf(block: number): number {
    return this.#packed.own(block, 1);
  }

  mark(block: number, changedIn: number, place: number): void {
    this.#packed.setOwn(block, 0, changedIn);
    this.#packed.setOwn(block, 1, place);
  }

  #split(block: number): PackedClient {
    const bytes = this.#packed.bytesOf(block);
    const reader = new ByteReader(bytes);
    const subject = reader.text();
    return { subject, snapshot: bytes.subarray(reader.at) };
  }
}
