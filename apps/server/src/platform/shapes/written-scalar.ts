/**
 * Where a scalar was written: in a file, in an environment variable named by a file, or as an argument of a command.
 */
export type Writer = 'file' | 'environment' | 'argument';

/**
 * A scalar that was written as text and has no type yet: a license key of 32 digits is text where text is expected, and
 * `${PORT}` is a number where a number is expected.
 */
export class WrittenScalar {
  /** The value under YAML's core schema. */
  readonly value: unknown;
  /** The text as written, after interpolation. */
  readonly text: string;
  readonly by: Writer;

  constructor(value: unknown, text: string, by: Writer) {
    this.value = value;
    this.text = text;
    this.by = by;
  }

  /** An environment variable may contain a secret, so its value is never shown. */
  get isHidden(): boolean {
    return this.by === 'environment';
  }

  /** `undefined` for null, true and false. */
  asText(): string | undefined {
    if (typeof this.value === 'string') return this.value;
    return typeof this.value === 'number' || typeof this.value === 'bigint' ? this.text : undefined;
  }

  asNumber(): number | undefined {
    if (typeof this.value === 'number') return this.value;
    return this.#takesAnyType && /^-?\d+$/.test(this.text) ? Number(this.text) : undefined;
  }

  asBoolean(): boolean | undefined {
    if (typeof this.value === 'boolean') return this.value;
    if (!this.#takesAnyType) return undefined;
    return this.text === 'true' ? true : this.text === 'false' ? false : undefined;
  }

  /** A file can distinguish 8080 from "8080"; variables and arguments are always text. */
  get #takesAnyType(): boolean {
    return this.by !== 'file';
  }
}
