import { readJson } from '../read-artifact.ts';
import { type Mistakes, shown } from '../mistakes.ts';

/** A value of a JSON file with the place where it is, so that what is wrong with it can be reported. */
export class JsonPlace {
  readonly value: unknown;
  readonly place: string;
  private readonly mistakes: Mistakes;

  constructor(value: unknown, place: string, mistakes: Mistakes) {
    this.value = value;
    this.place = place;
    this.mistakes = mistakes;
  }

  /** Parses a file in which numbers may be `NaN` and `Infinity`, which JSON does not have. NaN becomes null. */
  static parse(text: string, mistakes: Mistakes): JsonPlace {
    const valid = text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (token) => {
      if (token.startsWith('"')) return token;
      return token === 'NaN' ? 'null' : token.replace('Infinity', '1e999');
    });
    return new JsonPlace(readJson(valid, mistakes), '', mistakes);
  }

  /** A member; a mistake if this is no object. The member itself may be missing. */
  get(name: string): JsonPlace {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.wrong('an object');
    const member = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    return new JsonPlace(member, this.place === '' ? name : `${this.place}.${name}`, this.mistakes);
  }

  get isMissing(): boolean {
    return this.value === undefined;
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.wrong('a text');
  }

  /** A whole number, 0 or more, that may be written as a text. */
  count(): number {
    const value = typeof this.value === 'string' && /^[0-9]{1,9}$/.test(this.value) ? Number(this.value) : this.value;
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : this.wrong('a whole number');
  }

  items(): readonly JsonPlace[] {
    if (!Array.isArray(this.value)) return this.wrong('an array');
    return this.value.map((item: unknown, at) => new JsonPlace(item, `${this.place}[${at}]`, this.mistakes));
  }

  /** An array of numbers. NaN is among them; booleans count as 1 and 0. */
  numbers(): readonly number[] {
    if (!Array.isArray(this.value)) return this.wrong('an array');
    return this.value.map((item: unknown, at) => {
      if (typeof item === 'number') return item;
      if (item === null) return NaN;
      if (typeof item === 'boolean') return item ? 1 : 0;
      return this.mistakes.stop(`${this.place}[${at}]`, `is ${shown(item)}; expected a number`);
    });
  }

  /** Numbers, as many as another array has. */
  numbersOf(length: number): readonly number[] {
    const numbers = this.numbers();
    if (numbers.length === length) return numbers;
    return this.mistakes.stop(this.place, `has ${numbers.length} entries; expected ${length}, one for each node`);
  }

  wrong(expected: string): never {
    return this.mistakes.stop(this.place, `is ${shown(this.value)}; expected ${expected}`);
  }
}
