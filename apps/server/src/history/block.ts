import { hash } from 'node:crypto';
import { assert, type EpochMs, type EventKind } from '@ringfence/contract';
import { open, type Place, seal } from '../platform/secrets/seal.ts';
import { keyAmong } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKey } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { HistoryReader, HistoryWriter } from './history-bytes.ts';
import { packEvent } from './event-codec.ts';
import type { HistoryEvent } from './row-reader.ts';

/*
 * A block, some ten thousand events in time order:
 *
 *   version, number of events, number of clients
 *   for each client: its random id ("" for events that name none), the length of its sealed part
 *   for each event: the client's index and the kind, the time since the previous event
 *   the sealed parts: a client's events, packed, each after its length, under the client's key
 *
 * One unsealing opens all events of a client in the block; when the client is erased, none of them can be opened.
 */
const version = 1;
const kinds: readonly EventKind[] = ['login', 'logout', 'operation'];

/** The location of a block, which its sealed parts are bound to. */
export interface BlockPlace {
  readonly workspace: Workspace;
  readonly segmentId: number;
  readonly number: number;
}

/** @param order the kinds and times of the block's events, which are not sealed themselves */
function placeOf({ workspace, segmentId, number }: BlockPlace, subject: string, order: Uint8Array): Place {
  const of = `history:${workspace.id}:${segmentId}:${number}:${subject === '' ? '-' : subject}`;
  return { of, row: hash('sha256', order, 'base64url') };
}

/**
 * @param events in time order
 * @param keys of every client that they name
 */
export function sealBlock(
  place: BlockPlace,
  events: readonly HistoryEvent[],
  keys: ReadonlyMap<string, SubjectKey>,
): Buffer {
  const byClient = [...Map.groupBy(events, ({ client }) => client)];
  const order = orderOf(events, new Map(byClient.map(([client], at) => [client, at])));
  const parts = byClient.map(([client, own]) => {
    const known = client === undefined ? undefined : keys.get(client);
    assert(client === undefined || known !== undefined, 'every client of a block has a key');
    const subject = known?.subject ?? '';
    const sealed = seal(known?.key ?? place.workspace.secrets.data, packAll(own), placeOf(place, subject, order));
    return { subject, sealed };
  });
  const head = new HistoryWriter();
  head.uint(version);
  head.uint(events.length);
  head.uint(parts.length);
  for (const { subject, sealed } of parts) {
    head.text(subject);
    head.uint(sealed.length);
  }
  return Buffer.concat([head.take(), order, ...parts.map(({ sealed }) => sealed)]);
}

function orderOf(events: readonly HistoryEvent[], indexes: ReadonlyMap<string | undefined, number>): Uint8Array {
  const order = new HistoryWriter();
  let beforeMs = 0;
  for (const { client, event, atMs } of events) {
    order.uint(indexes.get(client)! * kinds.length + kinds.indexOf(event.kind));
    order.uint(atMs - beforeMs);
    beforeMs = atMs;
  }
  return order.take();
}

const all = new HistoryWriter();
const one = new HistoryWriter();

function packAll(events: readonly HistoryEvent[]): Uint8Array {
  for (const event of events) {
    packEvent(one, event);
    one.lend((packed) => {
      all.uint(packed.length);
      all.bytes(packed);
    });
  }
  return all.take();
}

/** An event of a block. */
export interface BlockEvent {
  readonly atMs: EpochMs;
  readonly kind: EventKind;
  readonly subject: string | undefined;
  /** For `unpackEvent`; `undefined` when its client was erased. */
  readonly packed: Uint8Array | undefined;
}

interface SealedPart {
  readonly subject: string | undefined;
  readonly sealed: Buffer;
  readonly place: Place;
}

/** A block whose header is parsed. */
export class SealedBlock {
  /** Clients whose keys open it. */
  readonly subjects: readonly string[];
  readonly #place: BlockPlace;
  readonly #content: Buffer;
  readonly #count: number;
  readonly #parts: readonly { readonly subject: string; readonly length: number }[];
  readonly #orderAt: number;

  /** @throws InvariantError for bytes that are not a block of this version */
  constructor(place: BlockPlace, content: Buffer) {
    const head = new HistoryReader(content);
    assert(head.uint() === version, 'a block of history is of a known version');
    this.#count = head.uint();
    this.#parts = Array.from({ length: head.uint() }, () => ({ subject: head.text(), length: head.uint() }));
    this.#orderAt = head.at;
    this.#place = place;
    this.#content = content;
    this.subjects = this.#parts.flatMap(({ subject }) => (subject === '' ? [] : subject));
  }

  /**
   * Its events in order.
   *
   * @param keys those of erased clients are missing
   * @throws SealError when a part does not open under an existing key
   */
  *open(keys: ReadonlyMap<string, Buffer>): Generator<BlockEvent> {
    const order = new HistoryReader(this.#content, this.#orderAt);
    const readers = this.#openParts(keys);
    let atMs = 0;
    for (let left = this.#count; left > 0; left--) {
      const code = order.uint();
      atMs += order.uint();
      const { subject, reader } = readers[Math.floor(code / kinds.length)]!;
      const packed = reader?.bytes(reader.uint());
      yield { atMs: atMs as EpochMs, kind: kinds[code % kinds.length]!, subject, packed };
    }
  }

  /** The sealed parts, one for each client. */
  parts(): readonly SealedPart[] {
    let at = this.#content.length - this.#parts.reduce((sum, { length }) => sum + length, 0);
    const order = this.#content.subarray(this.#orderAt, at);
    return this.#parts.map(({ subject, length }) => {
      const sealed = this.#content.subarray(at, at + length);
      at += length;
      const place = placeOf(this.#place, subject, order);
      return { subject: subject === '' ? undefined : subject, sealed, place };
    });
  }

  #openParts(
    keys: ReadonlyMap<string, Buffer>,
  ): readonly { readonly subject: string | undefined; readonly reader: HistoryReader | undefined }[] {
    return this.parts().map(({ subject, sealed, place }) => {
      const key = keyAmong(keys, this.#place.workspace, subject);
      return { subject, reader: key && new HistoryReader(open(key, sealed, place)) };
    });
  }
}
