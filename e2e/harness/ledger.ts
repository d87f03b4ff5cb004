/** Distinguishes an event from every other one, as far as the service's lists show it. */
export interface Told {
  readonly kind: 'login' | 'logout' | 'operation';
  readonly session: string;
}

/** The bank's data about one event that it reported. */
export interface Report extends Told {
  /** The bank's own name of the event; also its Idempotency-Key. */
  readonly reference: string;
  /** Whether the policy must request an action for it. */
  readonly marked: boolean;
  /** The event's id from the response 200; `undefined` until it arrives. */
  eventId: string | undefined;
  /** Number of POSTs, including repeats. */
  tries: number;
  /** `performance.now()` at the start of the first attempt and of the last one. */
  readonly firstTriedAtMs: number;
  triedAtMs: number;
  /** `performance.now()` at the 200. */
  acknowledgedAtMs: number | undefined;
}

/** A POST without the 200. */
export interface Failure {
  readonly url: string;
  /** The service said so, or got the request too late; no answer within the caller's patience; no connection, or a broken one. */
  readonly kind: '503' | '408' | 'timeout' | 'connection' | 'refusal';
  readonly tookMs: number;
  /** `performance.now()` at its end. */
  readonly atMs: number;
}

export type Acknowledged = Report & { readonly eventId: string };

/** The bank's own ledger: every event that it reported and every 200 that it got. The service is compared with it. */
export class Ledger {
  readonly #reports = new Map<string, Report>();
  /** Unexpected responses: neither 200 nor a reason to repeat the request. */
  readonly refusals: string[] = [];
  /** All attempts that were repeated. */
  readonly failures: Failure[] = [];

  report(of: Told & Pick<Report, 'reference' | 'marked'>): Report {
    const nowMs = performance.now();
    const untold = { eventId: undefined, tries: 0, acknowledgedAtMs: undefined };
    const report: Report = { ...of, ...untold, firstTriedAtMs: nowMs, triedAtMs: nowMs };
    this.#reports.set(of.reference, report);
    return report;
  }

  /** When the first event that was sent after `atMs` was acknowledged; `undefined` until then. */
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
