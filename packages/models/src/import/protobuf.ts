import type { Mistakes } from '../mistakes.ts';

/** A field of a message: its number, and a number or the bytes of a text, a message or a packed list. */
export type Field =
  | { readonly id: number; readonly kind: 'varint'; readonly value: number }
  | { readonly id: number; readonly kind: 'float'; readonly value: number }
  | { readonly id: number; readonly kind: 'bytes'; readonly value: ProtobufReader };

const varintBytesMax = 10;

/**
 * Reads the wire format of Protocol Buffers: fields one after the other, without their schema.
 *
 * Source: https://protobuf.dev/programming-guides/encoding/
 */
export class ProtobufReader {
  private readonly view: DataView;
  private readonly end: number;
  private readonly mistakes: Mistakes;
  private at: number;

  constructor(view: DataView, range: { readonly from: number; readonly to: number }, mistakes: Mistakes) {
    this.view = view;
    this.at = range.from;
    this.end = range.to;
    this.mistakes = mistakes;
  }

  static of(bytes: Uint8Array, mistakes: Mistakes): ProtobufReader {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new ProtobufReader(view, { from: 0, to: bytes.byteLength }, mistakes);
  }

  /** All fields up to the end. Doubles are skipped: no message here has them. */
  *fields(): Generator<Field> {
    while (this.at < this.end) {
      const start = this.at;
      const key = this.varint();
      const id = Math.floor(key / 8);
      switch (key % 8) {
        case 0:
          yield { id, kind: 'varint', value: this.varint() };
          break;
        case 1:
          this.take(8);
          break;
        case 2:
          yield { id, kind: 'bytes', value: this.part() };
          break;
        case 5:
          yield { id, kind: 'float', value: this.float() };
          break;
        default:
          this.mistakes.stop(`byte ${start}`, `has the wire type ${key % 8}; expected 0, 1, 2 or 5`);
      }
    }
  }

  /** The varints of a packed list. */
  varints(): readonly number[] {
    const list: number[] = [];
    while (this.at < this.end) list.push(this.varint());
    return list;
  }

  /** The numbers of 32 bits of a packed list. */
  floats(): readonly number[] {
    const list: number[] = [];
    while (this.at < this.end) list.push(this.float());
    return list;
  }

  /** The characters of a text. Those beyond ASCII are replaced: names of the format have none. */
  text(): string {
    let text = '';
    while (this.at < this.end) {
      const byte = this.view.getUint8(this.at++);
      text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '?';
    }
    return text;
  }

  /** A signed number of 64 bits; beyond 53 bits its last digits are lost. */
  private varint(): number {
    let value = 0;
    let scale = 1;
    for (let bytes = 0; bytes < varintBytesMax; bytes++) {
      const byte = this.view.getUint8(this.take(1));
      value += (byte & 127) * scale;
      if (byte < 128) return value >= 2 ** 63 ? value - 2 ** 64 : value;
      scale *= 128;
    }
    return this.mistakes.stop(`byte ${this.at}`, `has a number of more than ${varintBytesMax} bytes`);
  }

  private float(): number {
    return this.view.getFloat32(this.take(4), true);
  }

  private part(): ProtobufReader {
    const length = this.varint();
    const from = this.take(length);
    return new ProtobufReader(this.view, { from, to: from + length }, this.mistakes);
  }

  /** Skips `count` bytes; where they begin. */
  private take(count: number): number {
    const from = this.at;
    if (!(count >= 0 && from + count <= this.end)) {
      this.mistakes.stop(`byte ${from}`, `needs ${count} more bytes; the file or its part is cut off`);
    }
    this.at = from + count;
    return from;
  }
}
