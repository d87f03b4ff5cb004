import { sessionOf } from '@ringfence/contract';
import type { Arrival } from '../facts/event-context.ts';
import { waitingMax } from '../limits.ts';
import type { SubjectId } from '../record.ts';

/** An operation that waits for its login. */
export interface WaitingOperation {
  readonly arrival: Arrival;
  readonly subject: SubjectId;
  /** Log time at which it is decided without a login. */
  readonly dueMs: number;
}

/** Operations that wait for their login, sorted by due time, then by offset. */
export class WaitingQueue {
  #operations: WaitingOperation[] = [];
  /** Number of waiting operations per client, so that a login without any costs one look-up. */
  readonly #perSubject = new Map<SubjectId, number>();

  get operations(): readonly WaitingOperation[] {
    return this.#operations;
  }

  get isFull(): boolean {
    return this.#operations.length >= waitingMax;
  }

  /** The operation that is due next. */
  get first(): WaitingOperation | undefined {
    return this.#operations[0];
  }

  add(operation: WaitingOperation): void {
    let index = this.#operations.length;
    while (index > 0 && isBefore(operation, this.#operations[index - 1]!)) index--;
    this.#operations.splice(index, 0, operation);
    this.#count(operation.subject, 1);
  }

  /** Operations that a login of this client into this session would decide, by offset. */
  of(subject: SubjectId, session: { readonly channelId: number; readonly id: string }): readonly WaitingOperation[] {
    // Usually none waits at all, which saves even the look-up.
    if (this.#operations.length === 0 || !this.#perSubject.has(subject)) return [];
    return this.#operations
      .filter(({ subject: other, arrival }) => {
        const { event } = arrival.record;
        return other === subject && event.channelId === session.channelId && (sessionOf(event) ?? '') === session.id;
      })
      .toSorted((a, b) => a.arrival.record.offset - b.arrival.record.offset);
  }

  ofSubject(subject: SubjectId): readonly WaitingOperation[] {
    return this.#perSubject.has(subject) ? this.#operations.filter((waiting) => waiting.subject === subject) : [];
  }

  remove(operation: WaitingOperation): void {
    const index = this.#operations.indexOf(operation);
    if (index < 0) return;
    this.#operations.splice(index, 1);
    this.#count(operation.subject, -1);
  }

  #count(subject: SubjectId, by: number): void {
    const count = (this.#perSubject.get(subject) ?? 0) + by;
    if (count === 0) this.#perSubject.delete(subject);
    else this.#perSubject.set(subject, count);
  }
}

function isBefore(one: WaitingOperation, other: WaitingOperation): boolean {
  return (
    one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.arrival.record.offset < other.arrival.record.offset)
  );
}
