import type { LiveItems, PolicyList } from '@ringfence/policy';
import type { ListChange, SubjectId } from '../record.ts';
import { liveItemsMax } from '../limits.ts';
import { LiveList } from './live-list.ts';

/** A live list as a policy reads it. */
class ListView implements LiveItems {
  readonly #lists: LiveLists;
  readonly #list: LiveList;
  readonly #isAddress: boolean;

  constructor(lists: LiveLists, list: LiveList, isAddress: boolean) {
    this.#lists = lists;
    this.#list = list;
    this.#isAddress = isAddress;
  }

  has(text: string): boolean {
    const { nowMs } = this.#lists;
    return this.#isAddress ? this.#list.hasAddress(text, nowMs) : this.#list.has(text, nowMs);
  }

  texts(): readonly string[] {
    return this.#list.texts(this.#lists.nowMs);
  }
}

/** The live lists, by name: their items come from records of the log, each with an expiry. */
export class LiveLists {
  readonly #lists = new Map<string, LiveList>();
  /** Log time of the current decision. */
  nowMs = 0;

  /** The list as this policy reads it; a live view. */
  view({ name, isAddress }: PolicyList): LiveItems {
    const list = this.of(name);
    return new ListView(this, list, isAddress);
  }

  of(name: string): LiveList {
    let list = this.#lists.get(name);
    if (list === undefined) {
      list = new LiveList();
      this.#lists.set(name, list);
    }
    return list;
  }

  /** Applies a change. Removes expired items first; beyond the bound of all lists together, new items are ignored. */
  change({ list: name, put, remove }: ListChange, nowMs: number): void {
    const list = this.of(name);
    list.sweep(nowMs);
    for (const item of remove) list.remove(item);
    if (this.#size + put.length > liveItemsMax) for (const other of this.#lists.values()) other.sweep(nowMs);
    for (const { item, untilMs, subject } of put) {
      if (this.#size < liveItemsMax || list.knows(item)) list.put(item, untilMs ?? Infinity, subject);
    }
  }

  /** Removes the items that name a client that was erased. */
  forget(subject: SubjectId): void {
    for (const list of this.#lists.values()) list.forget(subject);
  }

  get #size(): number {
    let size = 0;
    for (const list of this.#lists.values()) size += list.size;
    return size;
  }

  /** Lists with items, sorted by name. */
  held(): readonly (readonly [string, LiveList])[] {
    return [...this.#lists].filter(([, list]) => list.size > 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
  }
}
