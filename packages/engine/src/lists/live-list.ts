import { addressNumbers, parseNetwork } from '@ringfence/policy';
import type { SubjectId } from '../record.ts';

const addressBits = 128;

/** Items by their text, each with the log time at which it expires. */
export class LiveList {
  readonly #items = new Map<string, number>();
  /** The clients that items name. */
  readonly #subjects = new Map<string, SubjectId>();
  /** The items as address ranges, by prefix length. Built on first use after a change. */
  #ranges: ReadonlyMap<number, ReadonlyMap<bigint, number>> | undefined;

  get size(): number {
    return this.#items.size;
  }

  get items(): ReadonlyMap<string, number> {
    return this.#items;
  }

  /** The client that an item names, if any. */
  subjectOf(item: string): SubjectId | undefined {
    return this.#subjects.get(item);
  }

  knows(item: string): boolean {
    return this.#items.has(item);
  }

  has(item: string, nowMs: number): boolean {
    const untilMs = this.#items.get(item);
    return untilMs !== undefined && nowMs < untilMs;
  }

  /** A text that is not an address is in no range. A NAT64 address is also in the ranges of its IPv4 address. */
  hasAddress(text: string, nowMs: number): boolean {
    return addressNumbers(text).some((address) => this.#holds(address, nowMs));
  }

  #holds(address: bigint, nowMs: number): boolean {
    this.#ranges ??= rangesOf(this.#items);
    for (const [length, prefixes] of this.#ranges) {
      const untilMs = prefixes.get(address >> BigInt(addressBits - length));
      if (untilMs !== undefined && nowMs < untilMs) return true;
    }
    return false;
  }

  texts(nowMs: number): readonly string[] {
    const texts: string[] = [];
    for (const [item, untilMs] of this.#items) if (nowMs < untilMs) texts.push(item);
    return texts;
  }

  put(item: string, untilMs: number, subject: SubjectId | undefined): void {
    this.#items.set(item, untilMs);
    if (subject === undefined) this.#subjects.delete(item);
    else this.#subjects.set(item, subject);
    this.#ranges = undefined;
  }

  remove(item: string): void {
    this.#items.delete(item);
    this.#subjects.delete(item);
    this.#ranges = undefined;
  }

  /** Removes the items that name a client that was erased. */
  forget(subject: SubjectId): void {
    for (const [item, named] of this.#subjects) if (named === subject) this.remove(item);
  }

  /** Removes expired items. */
  sweep(nowMs: number): void {
    for (const [item, untilMs] of this.#items) if (untilMs <= nowMs) this.remove(item);
  }
}

/** If several items denote the same range, the latest expiry counts. */
function rangesOf(items: ReadonlyMap<string, number>): ReadonlyMap<number, ReadonlyMap<bigint, number>> {
  const ranges = new Map<number, Map<bigint, number>>();
  for (const [item, untilMs] of items) {
    const network = parseNetwork(item);
    if (network === undefined) continue;
    const prefixes = ranges.get(network.prefixLength) ?? new Map<bigint, number>();
    prefixes.set(network.prefix, Math.max(prefixes.get(network.prefix) ?? 0, untilMs));
    ranges.set(network.prefixLength, prefixes);
  }
  return ranges;
}
