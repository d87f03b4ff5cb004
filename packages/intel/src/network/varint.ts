/** Reads whole numbers of seven bits per byte, lowest first, and texts prefixed by their length in bytes. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  readonly #decoder = new TextDecoder();
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  uint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error('the table ends too early');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.uint();
    const text = this.#decoder.decode(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return text;
  }

  list<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.uint() }, read);
  }
}

/** Writes the format that `VarintReader` reads. */
export class VarintWriter {
  readonly #bytes: number[] = [];

  uint(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes.push((rest % 128) | 128);
    this.#bytes.push(rest);
  }

  text(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.uint(bytes.length);
    for (const byte of bytes) this.#bytes.push(byte);
  }

  list<Item>(items: readonly Item[], write: (item: Item) => void): void {
    this.uint(items.length);
    for (const item of items) write(item);
  }

  take(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}
