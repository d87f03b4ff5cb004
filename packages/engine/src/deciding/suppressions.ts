import { suppressionsMax } from '../limits.ts';
import type { SubjectId, Suppression, SuppressionOf } from '../record.ts';

/** Which rules are suppressed for which clients and payees, and until when. */
export class Suppressions {
  /** Log time at which each suppression ends, by rule and client or payee. */
  readonly #untilMs = new Map<string, number>();

  get size(): number {
    return this.#untilMs.size;
  }

  get entries(): ReadonlyMap<string, number> {
    return this.#untilMs;
  }

  /** Adds, changes or removes a suppression. Expired ones are removed first; beyond the bound a new one is ignored. */
  take({ reason, of, untilMs }: Suppression, nowMs: number): void {
    for (const [key, overMs] of this.#untilMs) if (overMs <= nowMs) this.#untilMs.delete(key);
    const key = keyOf(reason, of);
    if (untilMs === undefined) this.#untilMs.delete(key);
    else if (this.#untilMs.has(key) || this.#untilMs.size < suppressionsMax) this.#untilMs.set(key, untilMs);
  }

  /** Whether the rule is suppressed for any of these. */
  holds(reason: number, of: readonly SuppressionOf[], nowMs: number): boolean {
    return of.some((one) => nowMs < (this.#untilMs.get(keyOf(reason, one)) ?? 0));
  }

  /** Forgets a client that was erased. */
  forget(subject: SubjectId): void {
    const end = ` ${clientName(subject)}`;
    for (const key of this.#untilMs.keys()) if (key.endsWith(end)) this.#untilMs.delete(key);
  }

  /** Restores a suppression from a snapshot. */
  restore(key: string, untilMs: number): void {
    this.#untilMs.set(key, untilMs);
  }
}

function keyOf(reason: number, of: SuppressionOf): string {
  return `${reason} ${of.kind === 'client' ? clientName(of.subject) : `payee ${of.payee}`}`;
}

function clientName(subject: SubjectId): string {
  return `client ${subject}`;
}
