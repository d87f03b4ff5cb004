import { expect, it } from 'vitest';
import { checkpointOf, restoreState } from '../src/store/checkpoint/checkpoint.ts';
import { forgetErased } from '../src/forget-erased.ts';
import type { EngineState } from '../src/state.ts';
import { graceMs, LogBuilder, run } from './log-builder.ts';

const ana = 'subject of ana';

function stored(log: LogBuilder): EngineState {
  return restoreState(checkpointOf(run(log.records).state).globals, undefined, { complete: true });
}

it('forgetErased removes the waiting operations of an erased client from a stored state, and no others', () => {
  const log = new LogBuilder();
  log.settings();
  log.operation('ana', { session: 's1' });
  log.operation('bob', { session: 's2' });
  log.operation('ana', { session: 's3' });
  const state = stored(log);
  forgetErased(state, [ana, 'subject of eva']);

  const before = log.records.length;
  log.wait(graceMs).append({ kind: 'tick' });
  const { effects } = run(log.records.slice(before), state);
  expect(effects.flatMap((effect) => (effect.kind === 'decision' ? [effect.offset] : []))).toEqual([2]);
});

it('forgetErased removes list items that name an erased client from a stored state', () => {
  const log = new LogBuilder();
  log.settings();
  const put = [{ item: 'ana', subject: ana }, { item: 'bob', subject: 'subject of bob' }, { item: 'eva' }];
  log.append({ kind: 'list', change: { list: 'watched', put, remove: [] } });
  const state = stored(log);
  forgetErased(state, [ana]);
  expect([...state.lists.of('watched').items.keys()]).toEqual(['bob', 'eva']);
});
