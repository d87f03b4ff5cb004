import { expect, it } from 'vitest';
import { checkpointOf, restoreState } from '../../src/checkpoint/checkpoint.ts';
import { forgetWaiting } from '../../src/waiting/forget-waiting.ts';
import { graceMs, LogBuilder, run } from '../log-builder.ts';

it('takes what waits of a client out of a stored state, and of nobody else', () => {
  const log = new LogBuilder();
  log.settings();
  log.operation('ana', { session: 's1' });
  log.operation('bob', { session: 's2' });
  log.operation('ana', { session: 's3' });
  const stored = checkpointOf(run(log.records).state);
  const state = restoreState(stored.globals, undefined, { complete: true });
  expect(forgetWaiting(state, ['subject of ana', 'subject of eva'])).toBe(2);
  expect(forgetWaiting(state, ['subject of ana'])).toBe(0);

  const before = log.records.length;
  log.wait(graceMs).append({ kind: 'tick' });
  const { effects } = run(log.records.slice(before), state);
  expect(effects.flatMap((effect) => (effect.kind === 'decision' ? [effect.offset] : []))).toEqual([2]);
});
