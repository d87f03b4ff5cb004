import { assert } from '@ringfence/contract';
import { rejectedMax } from '../limits.ts';
import type { ActionRef, SubjectId } from '../record.ts';
import { type Hold, type HoldMember, type Payment, paymentKey } from './hold.ts';
import { HoldTally } from './hold-tally.ts';

/** A rejected payment: the same one again is held again until `untilMs`. */
export interface Rejected {
  readonly hold: Hold;
  readonly untilMs: number;
}

/** The payments of a workspace that are held, sorted by due time, and those that were rejected lately. */
export class HoldBook {
  /** Sorted by due time, then by offset. */
  readonly #open: Hold[] = [];
  readonly #byRef = new Map<string, Hold>();
  /** The hold that each held operation belongs to, by offset. */
  readonly #byMember = new Map<number, Hold>();
  readonly #byPayment = new Map<string, Hold>();
  readonly #rejected = new Map<string, Rejected>();
  /** By client and by payee. */
  readonly #tallies = new Map<string, HoldTally>();

  get open(): readonly Hold[] {
    return this.#open;
  }

  get rejected(): ReadonlyMap<string, Rejected> {
    return this.#rejected;
  }

  /** The hold that is due next. */
  get first(): Hold | undefined {
    return this.#open[0];
  }

  /** Whether neither a hold nor a rejection can concern any payment. */
  get isEmpty(): boolean {
    return this.#open.length === 0 && this.#rejected.size === 0;
  }

  /** Whether a payment may be released by itself, which an outage prevents. */
  get isReleasing(): boolean {
    return this.#open.some(mayRelease);
  }

  of(ref: ActionRef): Hold | undefined {
    return this.#byRef.get(refText(ref));
  }

  ofMember(offset: number): Hold | undefined {
    return this.#byMember.get(offset);
  }

  ofSubject(subject: SubjectId): readonly Hold[] {
    return this.tallyOf({ subject }) === undefined ? [] : this.#open.filter((hold) => hold.subject === subject);
  }

  /** The open hold of the same payment of this client. */
  ofPayment(subject: SubjectId, payment: Payment): Hold | undefined {
    const key = paymentKey(payment);
    return key === undefined ? undefined : this.#byPayment.get(`${subject} ${key}`);
  }

  /** The hold of the same payment that was rejected, if it is to be held again. */
  rejectedOf(subject: SubjectId, payment: Payment, nowMs: number): Hold | undefined {
    const key = paymentKey(payment);
    const found = key === undefined ? undefined : this.#rejected.get(`${subject} ${key}`);
    return found !== undefined && nowMs < found.untilMs ? found.hold : undefined;
  }

  /** Number and sums of the open holds of a client or a payee; `undefined` if there are none. */
  tallyOf(of: { readonly subject: SubjectId } | { readonly payee: string }): HoldTally | undefined {
    return this.#tallies.get('subject' in of ? `client ${of.subject}` : `payee ${of.payee}`);
  }

  add(hold: Hold): void {
    let index = this.#open.length;
    while (index > 0 && isBefore(hold, this.#open[index - 1]!)) index--;
    this.#open.splice(index, 0, hold);
    this.#byRef.set(refText(hold.ref), hold);
    for (const { ref } of hold.members) this.#byMember.set(ref.offset, hold);
    const key = paymentKey(hold);
    if (key !== undefined) this.#byPayment.set(`${hold.subject} ${key}`, hold);
    this.#tally(hold, 1);
  }

  remove(hold: Hold): void {
    const index = this.#open.indexOf(hold);
    assert(index >= 0, 'only an open hold ends');
    this.#open.splice(index, 1);
    this.#byRef.delete(refText(hold.ref));
    for (const { ref } of hold.members) this.#byMember.delete(ref.offset);
    const key = paymentKey(hold);
    if (key !== undefined && this.#byPayment.get(`${hold.subject} ${key}`) === hold)
      this.#byPayment.delete(`${hold.subject} ${key}`);
    this.#tally(hold, -1);
  }

  /** Replaces an open hold. */
  change(hold: Hold, changes: Partial<Hold>): Hold {
    const changed = { ...hold, ...changes };
    this.remove(hold);
    this.add(changed);
    return changed;
  }

  /** An operation of an open hold was labelled. */
  label(offset: number, isFraud: boolean): void {
    const hold = this.#byMember.get(offset);
    if (hold === undefined) return;
    const labelled = (member: HoldMember): HoldMember =>
      member.ref.offset === offset ? { ...member, isFraud } : member;
    this.change(hold, { members: hold.members.map(labelled) });
  }

  /** There was a restore or a long outage: nothing that is held now is released by itself. */
  interrupt(): void {
    for (const hold of this.#open.filter(mayRelease)) this.change(hold, { isInterrupted: true });
  }

  /** Remembers that the payment was rejected. Beyond the bound the oldest rejection is forgotten. */
  reject(hold: Hold, untilMs: number, nowMs: number): void {
    const key = paymentKey(hold);
    if (key === undefined) return;
    for (const [other, { untilMs: endMs }] of this.#rejected) if (endMs <= nowMs) this.#rejected.delete(other);
    const name = `${hold.subject} ${key}`;
    this.#rejected.delete(name);
    for (const oldest of this.#rejected.keys()) {
      if (this.#rejected.size < rejectedMax) break;
      this.#rejected.delete(oldest);
    }
    this.#rejected.set(name, { hold, untilMs });
  }

  /** Forgets the rejected payments of a client that was erased. Its open holds must have ended before. */
  forget(subject: SubjectId): void {
    for (const [key, { hold }] of this.#rejected) if (hold.subject === subject) this.#rejected.delete(key);
  }

  #tally(hold: Hold, sign: 1 | -1): void {
    const keys = [`client ${hold.subject}`, ...(hold.payee === undefined ? [] : [`payee ${hold.payee}`])];
    for (const key of keys) {
      const tally = this.#tallies.get(key) ?? new HoldTally();
      tally.add(hold, sign);
      if (tally.count === 0) this.#tallies.delete(key);
      else this.#tallies.set(key, tally);
    }
  }
}

function mayRelease({ otherwise, isKept, isInterrupted }: Hold): boolean {
  return otherwise === 'release' && !isKept && !isInterrupted;
}

function refText({ offset, reason, position }: ActionRef): string {
  return `${offset} ${reason} ${position}`;
}

function isBefore(one: Hold, other: Hold): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.ref.offset < other.ref.offset);
}
