import { setTimeout as sleep } from 'node:timers/promises';
import { login, operation } from '../harness/event-bodies.ts';
import { between, type Random } from '../harness/seeded-random.ts';

/** A payment that the bank reported and that the policy holds. */
export interface HeldPayment {
  readonly reference: string;
  /** Repeats of one payment have the same name. */
  readonly payment: string;
  /** The event's id from the response 200. */
  readonly eventId: string;
}

/** How a hold ends: by its category in `holdPolicy`. */
const categories = ['person', 'released', 'rejected'] as const;

export const holdPolicy = {
  'holds.yaml': `actions:
  7: { name: Hold until a person decides, hold: { release: 8, reject: 9, within: 30d, otherwise: keep } }
  8: { name: Release, message: "{{transaction.reference}}" }
  9: { name: Reject, message: "{{transaction.reference}}" }
  17: { name: Hold and release, hold: { release: 8, reject: 9, within: 1m, otherwise: release } }
  27: { name: Hold and reject, hold: { release: 8, reject: 9, within: 1m, otherwise: reject } }
rules:
  - { reason: 701, name: person, on: [operation], when: transaction.category == "person", then: { action: 7, message: "{{transaction.reference}}" } }
  - { reason: 702, name: released, on: [operation], when: transaction.category == "released", then: { action: 17, message: "{{transaction.reference}}" } }
  - { reason: 703, name: rejected, on: [operation], when: transaction.category == "rejected", then: { action: 27, message: "{{transaction.reference}}" } }
`,
};

const visitors = 6;
const pauseMs = 150;
const tryTimeoutMs = 5_000;

/** A bank whose clients pay, and some of whose payments are sent again while they are held. */
export class HoldBank {
  readonly payments: HeldPayment[] = [];
  readonly #url: string;
  readonly #licenseKey: string;
  readonly #random: Random;
  readonly #stopping = new AbortController();
  readonly #working: Promise<unknown>;
  #serial = 0;

  constructor(of: { readonly url: string; readonly licenseKey: string; readonly random: Random }) {
    this.#url = of.url;
    this.#licenseKey = of.licenseKey;
    this.#random = of.random;
    this.#working = Promise.all(Array.from({ length: visitors }, () => this.#payAgainAndAgain()));
  }

  /** Finishes what it has begun. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  async #payAgainAndAgain(): Promise<void> {
    while (!this.#stopping.signal.aborted) await this.#visit();
  }

  async #visit(): Promise<void> {
    const serial = this.#serial++;
    const visit = { client: `client-${serial}`, session: `session-${serial}` };
    await this.#tell('login', `in-${serial}`, login(visit));
    const category = categories[between(this.#random, 0, categories.length - 1)]!;
    const amount = between(this.#random, 1, 1_000_000) / 100;
    const times = between(this.#random, 1, 3);
    for (let time = 0; time < times; time++) {
      const reference = `pay-${serial}-${time}`;
      const eventId = await this.#tell('operation', reference, operation({ ...visit, category, reference, amount }));
      this.payments.push({ reference, payment: `pay-${serial}`, eventId });
      await sleep(pauseMs);
    }
  }

  /** Reports an event until it is acknowledged, under the same Idempotency-Key. */
  async #tell(kind: 'login' | 'operation', name: string, body: object): Promise<string> {
    for (;;) {
      const response = await fetch(`${this.#url}/api/v5/analytics/app/${kind}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#licenseKey}`,
          'content-type': 'application/json',
          'idempotency-key': name,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(tryTimeoutMs),
      }).catch(() => undefined);
      const answer = response?.status === 200 ? await response.json().catch(() => undefined) : undefined;
      if (answer !== undefined) return (answer as { readonly id: string }).id;
      await sleep(pauseMs);
    }
  }
}
