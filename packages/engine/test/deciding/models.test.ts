import { dayMs } from '@ringfence/contract';
import { calibratedProbability, type ModelArtifact, Ensemble, sha256, writeArtifact } from '@ringfence/models';
import { explainKept, loadPolicy, mostRaising, type Policy } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { explainModels } from '../../src/deciding/explain-last.ts';
import { newState } from '../../src/state.ts';
import { LogBuilder, run, shownBy } from '../log-builder.ts';

const stump = (input: number, threshold: number, [low, high]: readonly [number, number]) => ({
  input: [input, -1, -1],
  value: [threshold, low, high],
  left: [1, 0, 0],
  right: [2, 0, 0],
  missingLeft: [0, 0, 0],
  cover: [4, 3, 1],
});
const artifact: ModelArtifact = {
  format: 'ringfence-model/1',
  inputs: [
    { name: 'amount', kind: 'number' },
    { name: 'overAverage', kind: 'number' },
  ],
  precision: 'double',
  comparison: '<=',
  base: -3.3,
  trees: [stump(0, 100, [-0.7, 1.1]), stump(1, 2, [-0.1, 4.7])],
  calibration: { lowSlope: 1.2, highSlope: 0.9, shift: -0.3 },
  scores: { margins: [-4.1, 2.5], shares: [0, 0.999] },
};
const text = writeArtifact(artifact);

/** The features that the model reads are read by nothing else. */
function policyOf(rules: string, where = 'true'): Policy {
  const yaml = `
features:
  average: { avg: order.amount, by: client.id, over: 30d, excluding: this }
models:
  cards:
    on: operation
    where: ${where}
    artifact: models/cards.json
    sha256: "${sha256(text)}"
    inputs: { amount: order.amount, overAverage: double(order.amount) / double(average) }
rules:
${rules}`;
  const loaded = loadPolicy([
    { path: 'rules.yaml', text: yaml },
    { path: 'models/cards.json', text },
  ]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.policy;
}

const shows = `  - { reason: 1, name: shows, on: operation, when: 'has(model.cards.p) && model.cards.score >= 0 && model.cards.missing >= 0', then: { action: 2 } }
`;

function begun(policy: Policy): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(policy);
  return log;
}

describe('a model in a policy', () => {
  const log = begun(policyOf(shows));
  const first = log.operation('ana', { amount: '100' });
  log.wait(dayMs);
  const second = log.operation('ana', { amount: '250.50' });
  const { decisions } = run(log.records);

  it('is evaluated with the facts and features of the event, and recorded to its last digit', () => {
    const margin = new Ensemble(artifact).margin(Float64Array.of(250.5, 2.505));
    expect(shownBy(decisions.get(second))).toEqual({
      'model.cards.p': String(calibratedProbability(artifact, margin)),
      'model.cards.score': '999',
      'model.cards.missing': '0',
      'model.cards.inputs.amount': '250.5',
      'model.cards.inputs.overAverage': '2.505',
    });
  });

  it('follows the learned branch of a missing input, and counts it', () => {
    const margin = new Ensemble(artifact).margin(Float64Array.of(100, NaN));
    expect(shownBy(decisions.get(first))).toEqual({
      'model.cards.p': String(calibratedProbability(artifact, margin)),
      'model.cards.score': String(Math.round(((margin + 4.1) / 6.6) * 999 * 1_000) / 1_000),
      'model.cards.missing': '1',
      'model.cards.inputs.amount': '100',
    });
  });

  it('is explained by what each input adds to the log-odds', () => {
    let explained: ReturnType<typeof explainModels> = [];
    const state = newState({
      complete: true,
      onDecided: (now, decision) => (explained = explainModels(now, decision)),
    });
    run(log.records, state);
    const [model] = explained;
    expect(model).toMatchObject({ name: 'cards', inputs: [{ name: 'amount', value: 250.5 }, { name: 'overAverage' }] });
    const sum = model!.inputs.reduce((total, { contribution }) => total + contribution, model!.expected);
    expect(sum).toBeCloseTo(model!.margin, 9);
    expect(model!.margin).toBe(new Ensemble(artifact).margin(Float64Array.of(250.5, 2.505)));
    expect(model!.p).toBe(calibratedProbability(artifact, model!.margin));
    expect(model!.p).not.toBeCloseTo(calibratedProbability({}, model!.margin), 3);
  });

  it('is explained from the record as from the event', () => {
    let explained: ReturnType<typeof explainModels> = [];
    run(
      log.records,
      newState({
        complete: true,
        onDecided: (now, decision) => (explained = explainModels(now, decision, 'MXN')),
      }),
    );
    const { fired } = decisions.get(second)!;
    expect(explainKept(policyOf(shows), fired, 'MXN')).toEqual(explained);
    const [kept] = explained;
    expect(kept?.reasons).toEqual({
      en: ['Amount, compared with your average of 30 days', 'Amount'],
      es: ['El monto, en comparación con su promedio en 30 días', 'El monto'],
    });
    expect(mostRaising(kept!, 1).map(({ words }) => words.en)).toEqual([
      "amount is 2.5 times this client's average of 30 days",
    ]);
  });

  it('is not explained by another model than the recorded one', () => {
    const { fired } = decisions.get(second)!;
    const other = fired.map((rule) => ({ ...rule, facts: { ...rule.facts, 'model.cards.p': '0.5' } }));
    expect(explainKept(policyOf(shows), other)).toEqual([]);
    expect(explainKept(policyOf(shows), [{ facts: { 'order.amount': '5' } }])).toEqual([]);
  });

  it('has no result, and never 0, where its filter does not hold', () => {
    const missing = `  - { reason: 1, name: low, on: operation, when: model.cards.p < 0.9, then: { action: 2 } }
  - { reason: 2, name: none, on: operation, when: '!has(model.cards.p)', then: { action: 2 } }
`;
    const filtered = begun(policyOf(missing, 'order.currency == "EUR"'));
    const offset = filtered.operation('ana', { amount: '100', currency: 'MXN' });
    const decision = run(filtered.records).decisions.get(offset);
    expect(decision?.fired.map(({ reason }) => reason)).toEqual([2]);
    expect(decision?.missing).toEqual([1]);
  });

  it('has no result on an event of another kind', () => {
    const any = `  - { reason: 1, name: any, on: [login, operation], when: 'model.cards.p >= 0.0', then: { action: 2 } }
`;
    const logins = begun(policyOf(any));
    const offset = logins.login('ana');
    expect(run(logins.records).decisions.get(offset)).toMatchObject({ fired: [], missing: [1] });
  });
});
