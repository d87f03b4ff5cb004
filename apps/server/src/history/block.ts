import { assert, type EpochMs, type EventKind } from '@ringfence/contract';
import { open, seal } from '../platform/secrets/seal.ts';
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

function contextOf({ workspace, segmentId, number }: BlockPlace, subject: string): string {
  return `history:${workspace.id}:${segmentId}:${number}:${subject === '' ? '-' : subject}`;
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
  const placeOf = new Map(byClient.map(([client], at) => [client, at]));
  const parts = byClient.map(([client, own]) => {
    const known = client === undefined ? undefined : keys.get(client);
    assert(client === undefined || known !== undefined, 'every client of a block has a key');
    const subject = known?.subject ?? '';
    const sealed = seal(known?.key ?? place.workspace.secrets.data, packAll(own), contextOf(place, subject));
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
  let beforeMs = 0;
  for (const { client, event, atMs } of events) {
    head.uint(placeOf.get(client)! * kinds.length + kinds.indexOf(event.kind));
    head.uint(atMs - beforeMs);
    beforeMs = atMs;
  }
  return Buffer.concat([head.take(), ...parts.map(({ sealed }) => sealed)]);
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

  #openParts(
    keys: ReadonlyMap<string, Buffer>,
  ): readonly { readonly subject: string | undefined; readonly reader: HistoryReader | undefined }[] {
    let at = this.#content.length - this.#parts.reduce((sum, { length }) => sum + length, 0);
    return this.#parts.map(({ subject, length }) => {
      const sealed = this.#content.subarray(at, at + length);
      at += length;
      const key = subject === '' ? this.#place.workspace.secrets.data : keys.get(subject);
      const reader =
        key === undefined ? undefined : new HistoryReader(open(key, sealed, contextOf(this.#place, subject)));
      return { subject: subject === '' ? undefined : subject, reader };
    });
  }
}
