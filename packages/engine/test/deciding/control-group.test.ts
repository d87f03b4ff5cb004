import { parseDecimal } from '@ringfence/contract';
import { type ModelArtifact, sha256, writeArtifact } from '@ringfence/models';
import { loadPolicy, type Policy } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { isInControl } from '../../src/deciding/control-group.ts';
import { explainLast } from '../../src/deciding/explain-last.ts';
import type { Decision, FiredRule } from '../../src/effect.ts';
import { runPolicyTests } from '../../src/policy-tests/policy-tests.ts';
import type { EngineRecord } from '../../src/record.ts';
import { newState } from '../../src/state.ts';
import { checkpointOf, restoreState } from '../../src/store/checkpoint/checkpoint.ts';
import { stepTogether } from '../../src/step.ts';
import { togetherMax } from '../../src/limits.ts';
import { LogBuilder, run } from '../log-builder.ts';

/** Every event above 1 is suspicious. */
const artifact: ModelArtifact = {
  format: 'ringfence-model/1',
  inputs: [{ name: 'amount', kind: 'number' }],
  precision: 'double',
  comparison: '<=',
  base: 0,
  trees: [
    {
      input: [0, -1, -1],
      value: [1, -5, 5],
      left: [1, 0, 0],
      right: [2, 0, 0],
      missingLeft: [1, 0, 0],
      cover: [2, 1, 1],
    },
  ],
};
const text = writeArtifact(artifact);
const byModel = `{ reason: 700, name: by the model, on: operation, when: model.cards.p > 0.9, then: { action: 2 } }`;
const byList = `{ reason: 10, name: listed, on: operation, when: accountTo.accountNumber in lists.mules, then: { action: 2 } }`;
const byBoth = `{ reason: 20, name: both, on: operation, when: accountTo.accountNumber in lists.mules || model.cards.p > 0.9, then: { action: 2 } }`;

function policyOf(rules: readonly string[], share = '10%', more = ''): Policy {
  const yaml = `
lists:
  mules: { of: accountTo.accountNumber, items: ["666"] }
models:
  cards:
    on: operation
    artifact: models/cards.json
    sha256: "${sha256(text)}"
    inputs: { amount: order.amount }
    control: { share: ${share}, upTo: 200.00, currency: MXN }
${more}
rules:
${rules.map((rule) => `  - ${rule}\n`).join('')}`;
  const loaded = loadPolicy([
    { path: 'rules.yaml', text: yaml },
    { path: 'models/cards.json', text },
  ]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.policy;
}

interface Payment {
  readonly amount?: string;
  readonly currency?: string;
  readonly payee?: string;
}

/** Payments of 300 clients, and what was decided about them. */
function paid(policy: Policy, payment: Payment = {}) {
  const log = logOf(policy, payment);
  return { records: log.records, ...run(log.records) };
}

function logOf(policy: Policy, payment: Payment = {}, count = 2_000): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(policy);
  for (let at = 0; at < count; at++) {
    log.operation(`client ${at % 300}`, { amount: '150', currency: 'MXN', ...payment });
  }
  return log;
}

function firings(decisions: ReadonlyMap<number, Decision>, reason: number): readonly FiredRule[] {
  return [...decisions.values()].flatMap(({ fired }) => fired.filter((rule) => rule.reason === reason));
}

function shareLeftAlone(fired: readonly FiredRule[]): number {
  return fired.filter(({ suppressed }) => suppressed === 'control').length / fired.length;
}

describe('a control group', () => {
  it('is the stated share of events, within four standard deviations, and differs between models', () => {
    const facts = [parseDecimal('150'), 'MXN'];
    const isIn = (name: string, share: number, offset: number): boolean => {
      const control = { share, upTo: parseDecimal('200')!, currency: 'MXN', slots: { amount: 0, currency: 1 } };
      return isInControl({ name, control }, facts, { subject: `subject-${offset % 977}`, offset });
    };
    const offsets = Array.from({ length: 100_000 }, (_, at) => 5_000_000 + at);
    for (const share of [1, 100, 250, 1_000]) {
      const chosen = offsets.filter((offset) => isIn('cards', share, offset)).length;
      const expected = (100_000 * share) / 10_000;
      expect(Math.abs(chosen - expected)).toBeLessThan(4 * Math.sqrt(expected));
    }
    const both = offsets.filter((offset) => isIn('cards', 1_000, offset) && isIn('logins', 1_000, offset)).length;
    expect(Math.abs(both - 1_000)).toBeLessThan(4 * Math.sqrt(1_000));
    const larger = offsets.filter((offset) => isIn('cards', 100, offset)).every((at) => isIn('cards', 1_000, at));
    expect(larger).toBe(true);
  });

  it('is recorded as fired, with the actions that are not requested', () => {
    const { decisions, actions } = paid(policyOf([byModel]));
    const fired = firings(decisions, 700);
    expect(fired).toHaveLength(2_000);
    expect(shareLeftAlone(fired)).toBeGreaterThan(0.07);
    expect(shareLeftAlone(fired)).toBeLessThan(0.13);
    const alone = [...decisions.values()].filter(({ fired: [rule] }) => rule?.suppressed === 'control');
    expect(alone[0]?.fired[0]).toMatchObject({ mode: 'live', withheld: [2] });
    const acted = new Set(actions.map(({ offset }) => offset));
    expect(acted.size).toBe(2_000 - alone.length);
    expect(alone.some(({ offset }) => acted.has(offset))).toBe(false);
  });

  it('has no payment above the cap, and none in another currency', () => {
    const policy = policyOf([byModel]);
    expect(shareLeftAlone(firings(paid(policy, { amount: '200' }).decisions, 700))).toBeGreaterThan(0);
    expect(shareLeftAlone(firings(paid(policy, { amount: '200.01' }).decisions, 700))).toBe(0);
    expect(shareLeftAlone(firings(paid(policy, { currency: 'USD' }).decisions, 700))).toBe(0);
  });

  it('never passes a list or another part of a condition that fires by itself', () => {
    const policy = policyOf([byList, byBoth, byModel]);
    const listed = paid(policy, { payee: '666' }).decisions;
    expect(shareLeftAlone(firings(listed, 10))).toBe(0);
    expect(shareLeftAlone(firings(listed, 20))).toBe(0);
    expect(shareLeftAlone(firings(listed, 700))).toBeGreaterThan(0);
    const others = paid(policy).decisions;
    expect(shareLeftAlone(firings(others, 20))).toBe(shareLeftAlone(firings(others, 700)));
  });

  it('is decided as if the rules about the model were in shadow: no score, and the next rule of the group is asked', () => {
    const rules = [
      byModel.replace('then:', 'score: 50, group: first, priority: 1, then:'),
      '{ reason: 701, name: else, on: operation, when: order.amount > 1, then: { action: 6 }, group: first }',
      '{ reason: 702, name: sum, on: operation, when: event.score >= 50, then: { action: 1 }, group: last }',
    ];
    const groups = `
actions: { 6: Ask }
groups:
  first: { priority: 1, match: first }
  last: { priority: 2 }`;
    const log = logOf(policyOf(rules, '10%', groups), {}, 200);
    let explained: ReturnType<typeof explainLast> = [];
    const all: Decision[] = [];
    const state = newState({
      complete: true,
      onDecided: (now, decision) => {
        explained = explainLast(now, decision);
        all.push(decision);
        const isAlone = decision.fired[0]?.suppressed === 'control';
        expect(decision.fired.map(({ reason }) => reason)).toEqual(isAlone ? [700, 701] : [700, 702]);
        expect(decision.score).toBe(isAlone ? 0 : 50);
        expect(explained[1]?.isPassedOver).toBe(!isAlone);
      },
    });
    run(log.records, state);
    expect(all.some(({ fired }) => fired.length > 1 && fired[0]?.suppressed === 'control')).toBe(true);
    expect(all).toHaveLength(200);
  });

  it('starts no cooldown', () => {
    const { decisions } = paid(policyOf([byModel.replace('then:', 'cooldown: 24h per client, then:')]));
    const others = [...decisions.values()].filter(({ fired: [rule] }) => rule!.suppressed !== 'control');
    expect(others.length).toBeLessThan(decisions.size);
    const byClient = [...Map.groupBy(others, ({ subject }) => subject).values()];
    expect(byClient).toHaveLength(300);
    const isUsual = ([first, ...rest]: readonly Decision[]): boolean =>
      first!.fired[0]!.suppressed === undefined && rest.every(({ fired: [rule] }) => rule!.suppressed === 'cooldown');
    expect(byClient.every(isUsual)).toBe(true);
  });

  it('is the same with any batching and after a restart', () => {
    const policy = policyOf([byModel]);
    const { records, decisions } = paid(policy);
    const expected = [...decisions.values()];
    const batched = newState({ complete: true });
    expect(decisionsOf(batched, records, togetherMax)).toEqual(expected);
    const first = newState({ complete: true });
    const begun = decisionsOf(first, records.slice(0, 700), 7);
    const { globals } = checkpointOf(first);
    const again = restoreState(globals, policy, { complete: true });
    expect([...begun, ...decisionsOf(again, records.slice(700), 3)]).toEqual(expected);
  });

  it('has no event in the tests of a policy', () => {
    const given = `{ at: +0s, operation: { channelId: 1, account: { client: ana }, order: { amount: 150, currency: MXN } } }`;
    const tests = Array.from(
      { length: 60 },
      (_, at) => `  - { name: test ${at}, given: [${given}], expect: [{ reason: 700, action: 2 }] }`,
    );
    const reports = runPolicyTests(policyOf([byModel], '10%', `tests:\n${tests.join('\n')}`));
    expect(reports).toHaveLength(60);
    expect(reports.filter(({ passed }) => !passed)).toEqual([]);
  });
});

function decisionsOf(
  state: ReturnType<typeof newState>,
  records: readonly EngineRecord[],
  together: number,
): readonly Decision[] {
  const decisions: Decision[] = [];
  for (let at = 0; at < records.length;) {
    const { effects } = stepTogether(state, records.slice(at, at + together));
    for (const of of effects) decisions.push(...of.filter((effect) => effect.kind === 'decision'));
    at += effects.length;
  }
  return decisions;
}
