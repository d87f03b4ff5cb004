import { setTimeout as sleep } from 'node:timers/promises';
import { login, logout, operation } from './event-bodies.ts';
import type { Failure, Ledger, Report, Told } from './ledger.ts';
import { between, type Random } from './seeded-random.ts';

export interface BankPlan {
  /** Base URLs of the services; a failed attempt goes to the next one. */
  readonly urls: readonly string[];
  readonly licenseKey: string;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Events per second of all visitors together. */
  readonly ratePerSecond: number;
  /** Distinguishes the events of different runs on the same service. */
  readonly run: string;
}

/** Concurrent visits. */
const visitors = 16;
/** One operation in this many requests an action. */
const markEvery = 4;
/** Category of the operations for which the crash policy requests an action. */
export const markedCategory = 'crash-marked';
const tryTimeoutMs = 5_000;
const pauseBetweenTriesMs = 50;

/** A bank that reports visits (login, operations, logout) until it is stopped, and repeats unanswered requests. */
export class Bank {
  readonly #plan: BankPlan;
  readonly #stopping = new AbortController();
  readonly #givingUp = new AbortController();
  readonly #working: Promise<unknown>;
  #serial = 0;
  #target = 0;

  constructor(plan: BankPlan) {
    this.#plan = plan;
    this.#working = Promise.all(Array.from({ length: visitors }, () => this.#visitAgainAndAgain()));
  }

  /** Finishes the current visits: every reported event is answered, or abandoned after `patienceMs`. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.#working, sleep(patienceMs, undefined, { ref: false })]);
    this.#givingUp.abort();
  }

  async #visitAgainAndAgain(): Promise<void> {
    await sleep(between(this.#plan.random, 0, 1_000));
    while (!this.#stopping.signal.aborted) await this.#visit();
  }

  async #visit(): Promise<void> {
    const serial = this.#serial++;
    const name = `${this.#plan.run}-${serial}`;
    const visit = { client: `client-${serial % 500}`, session: name };
    await this.#tell({ kind: 'login', session: name, reference: `${name}-in` }, login(visit));
    const operations = between(this.#plan.random, 2, 6);
    for (let i = 0; i < operations && !this.#stopping.signal.aborted; i++) {
      const category = between(this.#plan.random, 1, markEvery) === 1 ? markedCategory : 'transfer';
      const reference = `${name}-${i}`;
      await this.#tell({ kind: 'operation', session: name, reference }, operation({ ...visit, reference, category }));
    }
    await this.#tell({ kind: 'logout', session: name, reference: `${name}-out` }, logout(visit));
  }

  /** Reports one event until it is acknowledged. Paced, so that all visitors together keep the rate. */
  async #tell(told: Told & { readonly reference: string }, body: object): Promise<void> {
    const { ledger, urls, ratePerSecond } = this.#plan;
    const marked = JSON.stringify(body).includes(markedCategory);
    const report = ledger.report({ ...told, marked });
    const paced = sleep((visitors * 1_000) / ratePerSecond);
    while (report.eventId === undefined && !this.#givingUp.signal.aborted) {
      const url = urls[this.#target % urls.length] ?? '';
      if (await this.#try(`${url}/api/v5/analytics/app/${told.kind}`, report, body)) continue;
      this.#target++;
      await sleep(pauseBetweenTriesMs);
    }
    await paced;
  }

  async #try(url: string, report: Report, body: object): Promise<boolean> {
    const { ledger } = this.#plan;
    report.tries++;
    report.triedAtMs = performance.now();
    const fail = (kind: Failure['kind']): false => {
      const atMs = performance.now();
      ledger.failures.push({ url, kind, tookMs: atMs - report.triedAtMs, atMs });
      return false;
    };
    const answer = await this.#post(url, report, body).catch((error: Error) => error.name);
    if (typeof answer === 'string') return fail(answer === 'TimeoutError' ? 'timeout' : 'connection');
    if (answer.status === 503) return fail('503');
    if (answer.status === 408) return fail('408'); // this process had no processor time to send it
    if (answer.status !== 200) {
      ledger.refusals.push(`${answer.status} ${answer.text.slice(0, 300)}`);
      return fail('refusal');
    }
    report.eventId = (JSON.parse(answer.text) as { readonly id: string }).id;
    report.acknowledgedAtMs = performance.now();
    return true;
  }

  async #post(url: string, report: Report, body: object): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#plan.licenseKey}`,
        'content-type': 'application/json',
        'idempotency-key': report.reference,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(tryTimeoutMs),
    });
    return { status: response.status, text: await response.text() };
  }
}

/** A policy that requests one action for every marked operation; its message names the operation. */
export const crashPolicy = {
  'crash.yaml': `actions:
  6: Crash test
rules:
  - reason: 900
    name: A marked operation
    on: [operation]
    when: transaction.category == "${markedCategory}"
    then: { action: 6, message: "{{transaction.reference}}" }
    mode: live
`,
};
