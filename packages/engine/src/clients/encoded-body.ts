import type { EventKind } from '@ringfence/contract';
import { EncodedText } from '../bytes/encoded-text.ts';
import { ofKind } from '../of-kind.ts';
import type { EventRecord } from '../record.ts';

/** Last bytes of a body that are hashed. A body is a digest, so any eight bytes of it are distinctive. */
const hashedBytes = 8;

/** The body of the current event in the format of `ByteWriter.text`, encoded once for all comparisons. */
export class EncodedBody {
  readonly #text = new EncodedText();
  #size = 0;
  #hash = 0;

  /** Encoded size in bytes, including the length prefix. */
  get size(): number {
    return this.#size;
  }

  get hash(): number {
    return this.#hash;
  }

  set(text: string): this {
    this.#size = this.#text.set(text);
    this.#hash = hashOfBody(this.#text.bytes, 0, this.#size);
    return this;
  }

  isAt(bytes: Uint8Array, from: number): boolean {
    return this.#text.isAt(bytes, from, this.#size);
  }

  writeTo(bytes: Uint8Array, from: number): void {
    this.#text.writeTo(bytes, from, this.#size);
  }
}

/**
 * A body is identified by its digest. A login and a logout have the same members and can have equal bodies, so their
 * digests are prefixed with a mark.
 */
const marks: Readonly<Record<EventKind, string>> = { login: '\u0001', logout: '\u0002', operation: '' };

/** Encodes the identity of the event's body among the bodies of its client. */
export function encodeBody(body: EncodedBody, { event, bodyHash }: EventRecord): void {
  body.set(ofKind(marks, event.kind) + bodyHash);
}

/** Hash of an encoded body. */
export function hashOfBody(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0;
  for (let at = Math.max(from, to - hashedBytes); at < to; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  return hash;
}
