const shardsLog2 = 8;
/** Last characters of a name that choose its part. */
const hashedCharacters = 4;
/** 2^32 divided by the golden ratio: its product spreads neighbours (Knuth). */
const golden = 0x9e37_79b1;

export const shardCount = 1 << shardsLog2;

/** A map by name in many parts, so that none is so large that its growing stops the thread. */
export class ShardedMap<Value> {
  readonly #shards: readonly Map<string, Value>[] = Array.from({ length: shardCount }, () => new Map<string, Value>());
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(name: string): Value | undefined {
    return this.#shardOf(name).get(name);
  }

  has(name: string): boolean {
    return this.#shardOf(name).has(name);
  }

  set(name: string, value: Value): void {
    const shard = this.#shardOf(name);
    const before = shard.size;
    shard.set(name, value);
    this.#size += shard.size - before;
  }

  delete(name: string): void {
    if (this.#shardOf(name).delete(name)) this.#size--;
  }

  /** What lies in one part, from 0 to `shardCount - 1`; entries that are met may be deleted. */
  shard(number: number): Iterable<readonly [name: string, value: Value]> {
    return this.#shards[number]!;
  }

  *[Symbol.iterator](): Generator<readonly [name: string, value: Value]> {
    for (const shard of this.#shards) yield* shard;
  }

  #shardOf(name: string): Map<string, Value> {
    let hash = 0;
    for (let at = Math.max(0, name.length - hashedCharacters); at < name.length; at++) {
      hash = Math.imul(hash, 31) + name.charCodeAt(at);
    }
    return this.#shards[Math.imul(hash, golden) >>> (32 - shardsLog2)]!;
  }
}
