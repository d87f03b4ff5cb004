/** What tells an event from every other one, as far as the service shows it in its lists. */
export interface Told {
  readonly kind: 'login' | 'logout' | 'operation';
  readonly session: string;
}

/** What the bank knows of one event that it reported. */
export interface Report extends Told {
  /** The bank's own name for it; also its Idempotency-Key. */
  readonly reference: string;
  /** Whether the policy must ask for an action because of it. */
  readonly marked: boolean;
  /** The event's id from the answer 200; `undefined` as long as there was none. */
  eventId: string | undefined;
  /** POSTs made, repeats included. */
  tries: number;
  /** `performance.now()` when the first try was begun, and the last one. */
  readonly firstTriedAtMs: number;
  triedAtMs: number;
  /** `performance.now()` at the 200. */
  acknowledgedAtMs: number | undefined;
}

export type Acknowledged = Report & { readonly eventId: string };

/**
 * The bank's own book: every event it reported and every 200 it got. The service is judged by it, and never asked
 * what it remembers.
 */
export class Ledger {
  readonly #reports = new Map<string, Report>();
  /** Answers that should not come: neither 200 nor a reason to try again. */
  readonly refusals: string[] = [];

  report(of: Told & Pick<Report, 'reference' | 'marked'>): Report {
    const nowMs = performance.now();
    const untold = { eventId: undefined, tries: 0, acknowledgedAtMs: undefined };
    const report: Report = { ...of, ...untold, firstTriedAtMs: nowMs, triedAtMs: nowMs };
    this.#reports.set(of.reference, report);
    return report;
  }

  /** When the first event that was tried after `atMs` was acknowledged; `undefined` as long as none was. */
  firstAnswerAfter(atMs: number): number | undefined {
    const answers = this.reports
      .filter((report) => report.triedAtMs > atMs)
      .flatMap((report) => report.acknowledgedAtMs ?? []);
    return answers.length === 0 ? undefined : Math.min(...answers);
  }

  get reports(): readonly Report[] {
    return [...this.#reports.values()];
  }

  get acknowledged(): readonly Acknowledged[] {
    return this.reports.filter((report): report is Acknowledged => report.eventId !== undefined);
  }
}
