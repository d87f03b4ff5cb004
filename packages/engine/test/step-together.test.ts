import { describe, expect, it } from 'vitest';
import { togetherMax } from '../src/limits.ts';
import { newState } from '../src/state.ts';
import { step, stepTogether } from '../src/step.ts';
import { liveSettings, LogBuilder, policyOf } from './log-builder.ts';

/** Rules with the maximum allowed evaluation cost per operation, none of which fires. */
function logWith(rules: number): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  const lines = Array.from(
    { length: rules },
    (_, at) =>
      `  - { reason: ${at + 1}, name: r${at}, then: { action: 2 }, when: 'order.currency.matches("[ab]*a[ab]{130}[cd](${at})?")' }\n`,
  );
  log.policy(policyOf(`rules:\n${lines.join('')}`));
  return log;
}

describe('stepTogether', () => {
  it.each([
    [1, togetherMax],
    [5, 3],
    [18, 1],
  ])('with %i costly rules steps at most %i records', (rules, together) => {
    const log = logWith(rules);
    const state = newState({ complete: true });
    for (const record of log.records) step(state, record);
    const from = log.records.length;
    for (let at = 0; at < togetherMax; at++) log.operation('ana', { amount: `${at}` });
    const { effects, keys } = stepTogether(state, log.records.slice(from));
    expect(effects).toHaveLength(together);
    expect(keys).toEqual([]);
    expect(state.offset).toBe(from + together - 1);
    expect(effects.flat().filter(({ kind }) => kind === 'decision')).toHaveLength(together);
  });

  it('names the record at which it throws, also behind pending events', () => {
    const log = new LogBuilder();
    const history = { fromOffset: 0, sinceMs: 0, segments: [], settings: liveSettings };
    const policy = policyOf('features:\n  sent: { count: true, by: client.id, over: 1d }\nrules: []\n');
    log.settings({ sessionGraceMs: 0 });
    log.operation('ana');
    log.append({ kind: 'policy', version: 1, policy, history });
    const state = newState({ complete: true });
    expect(() => stepTogether(state, log.records)).toThrow('backfilled state');
    expect(state.steppingOffset).toBe(2);
  });
});
