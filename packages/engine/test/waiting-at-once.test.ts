/**
 * Goal: however many waiting operations are decided at one record, they are decided in several steps, with the same
 * result as in one. Method: the same records are stepped by a state with the usual bound per step, and by one without
 * a bound.
 */
import { secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../src/effect.ts';
import { togetherMax } from '../src/limits.ts';
import type { EngineRecord } from '../src/record.ts';
import { type EngineState, newState } from '../src/state.ts';
import { step, stepTogether } from '../src/step.ts';
import { LogBuilder, policyOf } from './log-builder.ts';

const rules = `features:
  many: { count: true, by: client.id, over: 1h }
rules:
  - { reason: 1, name: many, on: [operation], when: many >= 3, then: { action: 2 }, cooldown: 1m per client }
`;
const waiting = 50;

function logWith(last: (log: LogBuilder) => void): readonly EngineRecord[] {
  const log = new LogBuilder();
  log.settings();
  log.policy(policyOf(rules));
  for (let at = 0; at < waiting; at++) log.operation(at % 3 === 0 ? 'bob' : 'ana', { session: 's1', amount: `${at}` });
  last(log);
  log.operation('ana', { session: 's1' });
  return log.records;
}

/** How many times the record was stepped, and its effects. */
function stepped(
  state: EngineState,
  record: EngineRecord,
): { readonly turns: number; readonly effects: readonly Effect[] } {
  for (let turns = 1; ; turns++) {
    const { effects, keys } = stepTogether(state, [record]);
    expect(keys).toEqual([]);
    if (effects.length > 0) return { turns, effects: effects[0]! };
  }
}

describe('waiting operations that are decided at one record', () => {
  it.each([
    ['a tick', waiting, (log: LogBuilder) => void log.wait(10 * secondMs).tick()],
    ['a login', 33, (log: LogBuilder) => void log.wait(secondMs).login('ana', { session: 's1' })],
    ['an event', waiting, (log: LogBuilder) => void log.wait(10 * secondMs).operation('eve')],
  ])('are decided in several steps if the record is %s', (_, decided, last) => {
    const records = logWith(last);
    const [state, whole] = [newState({ complete: true }), newState({ complete: true })];
    const taken: number[] = [];
    for (const record of records) {
      const { turns, effects } = stepped(state, record);
      whole.plan = { ...whole.plan, together: Infinity };
      const done = step(whole, record);
      expect(done).toEqual({ kind: 'done', effects });
      taken.push(turns);
    }
    expect(taken.slice(0, -1)).toEqual([...records.slice(0, -2).map(() => 1), Math.ceil(decided / togetherMax)]);
    expect(state.offset).toBe(records.length - 1);
  });
});
