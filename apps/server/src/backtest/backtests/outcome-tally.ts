import type { SubjectId } from '@ringfence/engine';
import type { Policy } from '@ringfence/policy';
import { BitSet } from './bit-set.ts';
import type { FiredOnEvent } from './worker-report.ts';
import { MoneySums } from './money-sums.ts';
import type { ActionOutcome, Counted, PolicyOutcome, RuleOutcome } from './result.ts';

/** Whether a rule in mode live matched: the policy flags the event. */
export function isFlagged({ rules }: FiredOnEvent): boolean {
  return rules.some(({ mode }) => mode === 'live');
}

/** Counts events, their clients and their money. */
export class EventTally {
  readonly #counts = { events: 0, fraud: 0, legitimate: 0, unlabelled: 0 };
  readonly #money = new MoneySums();
  readonly #clients = new BitSet();
  readonly #legitimateClients = new BitSet();

  /** @param client number of the event's client; `undefined` without one */
  add(event: FiredOnEvent, client?: number): void {
    this.#counts.events += 1;
    this.#counts[event.label ?? 'unlabelled'] += 1;
    this.#money.add(event);
    if (client === undefined) return;
    this.#clients.add(client);
    if (event.label === 'legitimate') this.#legitimateClients.add(client);
  }

  get counts(): Counted {
    return { ...this.#counts };
  }

  get clients(): number {
    return this.#clients.size;
  }

  get legitimateClients(): number {
    return this.#legitimateClients.size;
  }

  get money(): ReturnType<MoneySums['result']> {
    return this.#money.result();
  }
}

interface RuleTally {
  readonly matches: EventTally;
  suppressed: number;
  actions: number;
  capped: number;
}

/** Tallies what one policy did. */
export class OutcomeTally {
  readonly #policy: Policy;
  readonly #rules: ReadonlyMap<number, RuleTally>;
  readonly #actions = new Map<number, { count: number; capped: number }>();
  readonly #flagged = new EventTally();
  readonly #missed = new EventTally();
  /** Clients by number, so that a set of them is a bit set. */
  readonly #clients = new Map<SubjectId, number>();

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#rules = new Map(
      policy.rules.map(({ reason }) => [
        reason,
        { matches: new EventTally(), suppressed: 0, actions: 0, capped: 0 } satisfies RuleTally,
      ]),
    );
  }

  add(event: FiredOnEvent): void {
    const client = event.subject === undefined ? undefined : this.#numberOf(event.subject);
    if (isFlagged(event)) this.#flagged.add(event, client);
    else if (event.label === 'fraud') this.#missed.add(event);
    for (const { reason, suppressed } of event.rules) {
      const rule = this.#rules.get(reason)!;
      rule.matches.add(event, client);
      if (suppressed !== undefined) rule.suppressed += 1;
    }
    for (const { reason, action, isCapped } of event.actions)
      this.#addAction(this.#rules.get(reason)!, action, isCapped);
  }

  #addAction(rule: RuleTally, action: number, isCapped: boolean): void {
    const counted = this.#actions.get(action) ?? { count: 0, capped: 0 };
    counted.count += 1;
    rule.actions += 1;
    if (isCapped) {
      counted.capped += 1;
      rule.capped += 1;
    }
    this.#actions.set(action, counted);
  }

  /**
   * @param fraud events labelled fraud, in total
   * @param missing how often each rule met a missing fact
   */
  result(fraud: number, missing: ReadonlyMap<number, number>): PolicyOutcome {
    const flagged = this.#flagged.counts;
    return {
      rules: this.#policy.rules
        .toSorted((a, b) => a.reason - b.reason)
        .map((rule) => this.#ruleResult(rule, missing.get(rule.reason) ?? 0)),
      actions: [...this.#actions]
        .toSorted(([a], [b]) => a - b)
        .map(([action, counts]): ActionOutcome => ({
          action,
          name: this.#policy.actions.get(action),
          ...counts,
        })),
      flagged,
      clients: this.#flagged.clients,
      legitimateClients: this.#flagged.legitimateClients,
      precision: share(flagged.fraud, flagged.fraud + flagged.legitimate),
      recall: share(flagged.fraud, fraud),
      money: this.#flagged.money,
      missed: { events: this.#missed.counts.events, money: this.#missed.money },
    };
  }

  #ruleResult({ reason, name, mode }: Policy['rules'][number], missing: number): RuleOutcome {
    const { matches, suppressed, actions, capped } = this.#rules.get(reason)!;
    const { counts, clients, legitimateClients, money } = matches;
    const precision = share(counts.fraud, counts.fraud + counts.legitimate);
    return {
      reason,
      name,
      mode,
      matches: counts,
      suppressed,
      missing,
      actions,
      capped,
      clients,
      legitimateClients,
      precision,
      money,
    };
  }

  #numberOf(subject: SubjectId): number {
    const known = this.#clients.get(subject);
    if (known !== undefined) return known;
    const number = this.#clients.size;
    this.#clients.set(subject, number);
    return number;
  }
}

function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}
