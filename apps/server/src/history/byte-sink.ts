const sizeBytesMin = 64 * 1_024;

/** Writes bytes to a growing buffer: small numbers are short, texts follow their length. */
export class ByteSink {
  #bytes = Buffer.allocUnsafe(sizeBytesMin);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A copy of what was written since the last `take`; empties the sink. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#size);
    this.#bytes.copy(bytes, 0, 0, this.#size);
    this.#size = 0;
    return bytes;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#size++] = value;
  }

  /** An integer from 0 to 2^53 - 1, seven bits per byte, lowest first. */
  uint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x0fff_ffff) {
      this.#bytes[this.#size++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      this.#bytes[this.#size++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#size++] = rest;
  }

  /** A safe integer: a byte for its sign, then its magnitude. */
  int(value: number): void {
    this.byte(value < 0 ? 1 : 0);
    this.uint(Math.abs(value));
  }

  /** The length in bytes, shifted by one bit that marks ASCII, which reads faster; then the bytes. */
  text(value: string): void {
    const { length } = value;
    this.#reserve(3 * length + 8);
    const start = this.#size;
    this.uint(length * 2 + 1);
    const from = this.#size;
    for (let at = 0; at < length; at++) {
      const code = value.charCodeAt(at);
      if (code > 127) {
        this.#size = start;
        this.#wideText(value);
        return;
      }
      this.#bytes[from + at] = code;
    }
    this.#size = from + length;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#size);
    this.#size += value.length;
  }

  #wideText(value: string): void {
    this.uint(Buffer.byteLength(value) * 2);
    this.#size += this.#bytes.write(value, this.#size);
  }

  #reserve(sizeBytes: number): void {
    const needed = this.#size + sizeBytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#size);
    this.#bytes = grown;
  }
}
