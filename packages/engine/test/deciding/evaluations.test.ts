import { dayMs } from '@ringfence/contract';
import { type ModelArtifact, sha256, writeArtifact } from '@ringfence/models';
import { loadPolicy } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { togetherMax } from '../../src/limits.ts';
import type { EngineRecord } from '../../src/record.ts';
import { newState } from '../../src/state.ts';
import { stepTogether } from '../../src/step.ts';
import { LogBuilder } from '../log-builder.ts';

const artifact: ModelArtifact = {
  format: 'ringfence-model/1',
  inputs: [{ name: 'amount', kind: 'number' }],
  precision: 'double',
  comparison: '<=',
  base: 0,
  trees: [
    {
      input: [0, -1, -1],
      value: [100, -1, 1],
      left: [1, 0, 0],
      right: [2, 0, 0],
      missingLeft: [1, 0, 0],
      cover: [2, 1, 1],
    },
  ],
};
const text = writeArtifact(artifact);
const loaded = loadPolicy([
  { path: 'models/cards.json', text },
  {
    path: 'rules.yaml',
    text: `
models:
  cards:
    on: operation
    where: order.currency == "EUR"
    artifact: models/cards.json
    sha256: "${sha256(text)}"
    inputs: { amount: order.amount }
rules:
  - { reason: 1, name: r, on: operation, when: model.cards.p > 0.5, then: { action: 4, message: x } }
`,
  },
]);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));

/** Operations of several days; some wait for their login, some repeat, some are in another currency. */
function history(): readonly EngineRecord[] {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 5_000 });
  log.policy(loaded.ok ? loaded.policy : expect.fail());
  for (let at = 0; at < 60; at++) {
    const options = { amount: String(50 + at * 2), currency: at % 5 === 0 ? 'MXN' : 'EUR', session: `s${at}` };
    if (at % 3 === 0) log.login(`client ${at}`, { session: `s${at}` });
    log.operation(`client ${at}`, { ...options, body: `body ${at}`, reference: `r${at}` });
    if (at % 7 === 0) log.operation(`client ${at}`, { ...options, body: `body ${at}`, reference: `r${at}` });
    if (at % 4 === 1) log.wait(1_000).login(`client ${at}`, { session: `s${at}` });
    log.wait(dayMs / 10);
    log.tick();
  }
  return log.records;
}

interface Seen {
  readonly inputs: readonly number[];
  readonly margin: number;
  readonly logTimeMs: number;
}

function evaluationsOf(records: readonly EngineRecord[], together: number) {
  const seen: Seen[] = [];
  const state = newState({
    complete: true,
    onEvaluated: ({ inputs, margin }, logTimeMs) => seen.push({ inputs: [...inputs], margin, logTimeMs }),
  });
  const effects = [];
  for (let at = 0; at < records.length;) {
    const stepped = stepTogether(state, records.slice(at, at + together));
    effects.push(...stepped.effects.flat());
    at += stepped.effects.length;
  }
  return { seen, effects };
}

describe('what a model reads and says', () => {
  const records = history();
  const { seen, effects } = evaluationsOf(records, 1);

  it('is reported once for each event that it is evaluated for, with the log time of the decision', () => {
    const decided = effects.filter((effect) => effect.kind === 'decision');
    const evaluated = decided.filter(
      ({ event, outcome, offset }) =>
        event === 'operation' && outcome === 'decided' && JSON.stringify(records[offset]).includes('EUR'),
    );
    expect(evaluated.length).toBe(48);
    expect(seen.map(({ logTimeMs }) => logTimeMs)).toEqual(evaluated.map(({ atMs }) => atMs));
    expect(seen.every(({ inputs: [amount], margin }) => margin === (amount! <= 100 ? -1 : 1))).toBe(true);
  });

  it('is the same in any batching, and changes no decision', () => {
    const batched = evaluationsOf(records, togetherMax);
    expect(batched.seen).toEqual(seen);
    expect(batched.effects).toEqual(effects);
  });
});
