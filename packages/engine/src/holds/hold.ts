import type { EpochMs, Operation } from '@ringfence/contract';
import { parseDecimal } from '@ringfence/contract';
import type { HoldEnd } from '@ringfence/policy';
import { payeeOf } from '../facts/payee.ts';
import type { ActionRef, SubjectId } from '../record.ts';

/** An action of a hold, with its message as it was rendered for one operation. */
export interface RenderedAction {
  readonly action: number;
  readonly message: string;
  readonly format: 'text' | 'html';
}

/** An operation whose payment is held: the first one, or a repeat of it. */
export interface HoldMember {
  /** Its action that asked the bank to hold the payment. */
  readonly ref: ActionRef;
  readonly session: string;
  /** The client's name, as the operation has it. */
  readonly client: string | undefined;
  readonly reference: string | undefined;
  readonly release: RenderedAction;
  readonly reject: RenderedAction;
  readonly isFraud: boolean;
}

/** A payment that the bank was asked to hold, with its repeats. Immutable: a change makes another one. */
export interface Hold {
  /** The first member's action, which names the hold. */
  readonly ref: ActionRef;
  readonly subject: SubjectId;
  readonly channelId: number;
  readonly payee: string | undefined;
  /** Units of 10^-12; `undefined` for an operation without an amount. */
  readonly amount: bigint | undefined;
  readonly currency: string | undefined;
  /** Asks the bank to hold a repeat: the first operation's action. */
  readonly holding: RenderedAction;
  readonly withinMs: number;
  readonly otherwise: HoldEnd;
  readonly openedAtMs: number;
  /** Log time at which it ends by itself. */
  readonly dueMs: number;
  /** Its time is over, and it stays held until a person decides, or for 30 days. */
  readonly isKept: boolean;
  /** A person decided, but the decision may be withdrawn or needs a second person. */
  readonly isProposed: boolean;
  /** There was a restore or a long outage since it was opened. */
  readonly isInterrupted: boolean;
  readonly members: readonly HoldMember[];
}

/** What makes two operations of one client the same payment. */
export interface Payment {
  readonly channelId: number;
  readonly payee: string | undefined;
  readonly amount: bigint | undefined;
  readonly currency: string | undefined;
}

export function paymentOf(event: Operation): Payment {
  const { channelId, order } = event;
  return {
    channelId,
    payee: payeeOf(event),
    amount: order?.amount === undefined ? undefined : parseDecimal(order.amount),
    currency: order?.currency,
  };
}

/** Names the payment among those of its client; `undefined` for an operation without an amount, which has no repeats. */
export function paymentKey({ channelId, payee, amount, currency }: Payment): string | undefined {
  return amount === undefined
    ? undefined
    : JSON.stringify([channelId, payee ?? null, String(amount), currency ?? null]);
}

/** How a hold ended, and by what. `unresolved`: the bank is asked for nothing. */
export interface Resolution {
  readonly resolution: 'released' | 'rejected' | 'unresolved';
  /**
   * `bank`: it reported what it did. `age`: 30 days passed. `erased`: its client was. `dropped`: a person dropped the
   * capped action that would have held it. `crowded`: too many payments were held.
   */
  readonly by: 'person' | 'deadline' | 'bank' | 'age' | 'erased' | 'dropped' | 'crowded';
  readonly author: string | undefined;
  readonly atMs: EpochMs;
}

/** Why a payment is not released when its time is over. */
export type KeptBecause = 'policy' | 'fraud' | 'blocked' | 'proposed' | 'interrupted';

/** The stricter of two ends: a payment is rejected rather than kept, and kept rather than released. */
export function stricter(one: HoldEnd, other: HoldEnd): HoldEnd {
  return strictness.indexOf(one) >= strictness.indexOf(other) ? one : other;
}

const strictness: readonly HoldEnd[] = ['release', 'keep', 'reject'];
