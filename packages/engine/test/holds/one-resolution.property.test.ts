/**
 * Goal: whatever happens to held payments, and in whatever order, each operation of a hold is resolved at most once,
 * none without a hold, and no payment is released by itself where that is forbidden. Method: random histories of
 * payments, repeats, decisions, deadlines, reports, labels, blocks, erasures, outages and restores; a second,
 * independent account of the records says what is allowed.
 */
import { describe, expect, it } from 'vitest';
import type { Effect, HoldEffect } from '../../src/effect.ts';
import { outageMsMin } from '../../src/limits.ts';
import type { ActionRef, EngineRecord } from '../../src/record.ts';
import { prng } from '../prng.ts';
import { historyOf, historyOfHolds } from '../simulation/history.ts';

const seeds = Array.from({ length: 150 }, (_, index) => 1_000 + index);

interface Account {
  readonly openedAt: number;
  readonly members: Map<number, 'held' | 'ended'>;
  isInterrupted: boolean;
  isProposed: boolean;
  isOpen: boolean;
}

/** What is known about the holds of a history, from its records and effects alone. */
class Accounts {
  readonly #holds = new Map<string, Account>();
  readonly #fraud = new Set<number>();
  readonly actionIds = new Set<string>();
  readonly mistakes: string[] = [];
  ended = 0;
  #lastMs = 0;
  #epoch: number | undefined;

  take(record: EngineRecord, effects: readonly Effect[]): void {
    const isOutage = record.logTimeMs - this.#lastMs > outageMsMin;
    const isRestore = record.epoch !== this.#epoch && this.#epoch !== undefined;
    if (isOutage || isRestore) for (const hold of this.#holds.values()) hold.isInterrupted = true;
    this.#lastMs = record.logTimeMs;
    this.#epoch = record.epoch;
    // What is due before the record comes first, and does not know it.
    for (const effect of effects) {
      if (effect.kind === 'action') this.#identity(effect);
      else if (effect.kind !== 'decision' && effect.kind !== 'waiting') this.#effect(effect);
    }
    if (record.kind === 'label' && record.event !== undefined) {
      const { offset } = record.event;
      // The host labels no operation that waits for its login: it is in no hold yet.
      const isHeld = [...this.#holds.values()].some(({ members }) => members.has(offset));
      if (record.label === 'fraud' && isHeld) this.#fraud.add(offset);
      else this.#fraud.delete(offset);
    }
    if (record.kind === 'hold') {
      const hold = this.#holds.get(nameOf(record.hold.hold));
      if (hold !== undefined) hold.isProposed = record.hold.change === 'propose';
    }
  }

  #effect(effect: HoldEffect): void {
    const name = nameOf(effect.hold);
    if (effect.kind === 'holdOpened') {
      this.#expect(!this.#holds.has(name), `${name} is opened twice`);
      const members = new Map([[effect.hold.offset, 'held' as const]]);
      this.#holds.set(name, {
        openedAt: effect.atMs,
        members,
        isInterrupted: false,
        isProposed: false,
        isOpen: true,
      });
      return;
    }
    const hold = this.#holds.get(name);
    if (hold?.isOpen !== true) {
      this.mistakes.push(`${effect.kind} of ${name}, which is not open`);
      return;
    }
    if (effect.kind === 'holdJoined') hold.members.set(effect.member.offset, 'held');
    if (effect.kind === 'holdLeft') this.#end(hold, effect.member.offset);
    if (effect.kind === 'holdResolved') this.#resolve(hold, effect, name);
  }

  #resolve(hold: Account, effect: Extract<HoldEffect, { kind: 'holdResolved' }>, name: string): void {
    hold.isOpen = false;
    const held = [...hold.members].filter(([, state]) => state === 'held').map(([offset]) => offset);
    if (effect.by === 'deadline' && effect.resolution === 'released') {
      this.#expect(!held.some((offset) => this.#fraud.has(offset)), `${name} is fraud and released by itself`);
      this.#expect(!hold.isInterrupted, `${name} is released by itself after an outage`);
      this.#expect(!hold.isProposed, `${name} is released by itself while a decision is pending`);
    }
    const isAsked = effect.resolution !== 'unresolved' && effect.by !== 'bank';
    const asked = effect.actions.map(({ offset }) => offset);
    this.#expect(
      asked.toSorted(byNumber).join() === (isAsked ? held.toSorted(byNumber).join() : ''),
      `${name} asks for ${asked.join()} and holds ${held.join()}`,
    );
    for (const action of effect.actions) this.#identity(action);
    for (const offset of held) this.#end(hold, offset);
  }

  #end(hold: Account, offset: number): void {
    this.#expect(hold.members.get(offset) === 'held', `${offset} ends twice or was never held`);
    hold.members.set(offset, 'ended');
    this.ended++;
  }

  #identity({ offset, reason, position }: ActionRef): void {
    const id = `${offset} ${reason} ${position}`;
    this.#expect(!this.actionIds.has(id), `action ${id} is made twice`);
    this.actionIds.add(id);
  }

  #expect(holds: boolean, mistake: string): void {
    if (!holds) this.mistakes.push(mistake);
  }
}

function byNumber(one: number, other: number): number {
  return one - other;
}

function nameOf({ offset, reason, position }: ActionRef): string {
  return `hold ${offset} ${reason} ${position}`;
}

let ended = 0;

describe('in any order of events', () => {
  it.each(seeds)('every held operation is resolved at most once (seed %i)', (seed) => {
    const { records, effects } = historyOf(prng(seed), 200, historyOfHolds);
    const accounts = new Accounts();
    for (const [place, record] of records.entries()) accounts.take(record, effects[place]!);
    expect(accounts.mistakes).toEqual([]);
    ended += accounts.ended;
  });

  it('and many are', () => {
    expect(ended).toBeGreaterThan(1_000);
  });
});
