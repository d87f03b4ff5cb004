/** The explanation of a rule agrees with the decision: it uses the same compiled conditions, on the same facts. */
import { describe, expect, it } from 'vitest';
import { explainLast, type ExplainedRule } from '../../src/deciding/explain-last.ts';
import { newState } from '../../src/state.ts';
import { LogBuilder, policyOf, run } from '../log-builder.ts';

/** Runs the log and explains each decision while its facts are available. */
function explained(log: LogBuilder): ReadonlyMap<number, readonly ExplainedRule[]> {
  const all = new Map<number, readonly ExplainedRule[]>();
  const state = newState({
    complete: true,
    onDecided: (decided, decision) => void all.set(decision.offset, explainLast(decided, decision)),
  });
  run(log.records, state);
  return all;
}

function rule(reason: number, fields: string): string {
  return `  - { reason: ${reason}, name: rule ${reason}, on: [operation], then: { action: 2 }, ${fields} }\n`;
}

const policy = `features:
  payments: { count: true, by: client.id, over: 1h, on: [operation] }
groups: { early: { priority: 10, match: first }, late: { priority: 20 } }
rules:
${[
  rule(1, "when: 'order.amount > 10', score: 30"),
  rule(2, "when: 'payments >= 3', group: early"),
  rule(3, "when: 'order.amount > 0', group: early, cooldown: 1h per client"),
  rule(4, "when: 'order.amount > 0', group: early"),
  rule(5, "when: 'event.score >= 30 && session.matched', group: late"),
  rule(6, 'when: \'transaction.reference == "x"\', group: late'),
].join('')}`;

describe('explainLast', () => {
  it('agrees with the decision for every rule, including operations that waited', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 5_000 });
    log.policy(policyOf(policy));
    // Two wait for their login, which decides all three in one step.
    log.operation('ana', { session: 's', amount: '11' });
    log.operation('ana', { session: 's', amount: '5' });
    log.login('ana', { session: 's' });
    log.operation('ana', { session: 's', amount: '12' });
    log.operation('bob', { amount: '13', session: 'none' });
    log.wait(6_000).tick();

    const { decisions } = run(log.records);
    const all = explained(log);
    expect(all.size).toBe(decisions.size);
    for (const [offset, { fired, missing }] of decisions) {
      const asked = all.get(offset)!.filter(({ isPassedOver }) => !isPassedOver);
      const reasons = (holds: boolean | undefined): readonly number[] =>
        asked.filter(({ explanation }) => explanation.holds === holds).map(({ rule: { reason } }) => reason);
      expect(reasons(true)).toEqual(fired.map(({ reason }) => reason));
      expect(reasons(undefined)).toEqual(missing);
    }
  });

  it('shows the values at that moment, including the score of earlier groups', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    log.policy(policyOf(policy));
    log.operation('ana', { amount: '11' });
    const last = log.operation('ana', { amount: '11' });
    const byReason = new Map(
      explained(log)
        .get(last)!
        .map((one) => [one.rule.reason, one]),
    );
    expect(byReason.get(2)!.explanation.conditions).toMatchObject([{ holds: false, values: { payments: '2' } }]);
    expect(byReason.get(4)!.isPassedOver).toBe(true);
    expect(byReason.get(5)!.explanation.conditions).toMatchObject([
      { text: 'event.score >= 30', holds: true, values: { 'event.score': '30' } },
      { holds: false },
    ]);
  });
});
