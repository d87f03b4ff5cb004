/** The session names of an erased client, more than are remembered per client. */
import { secondMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import type { Effect } from '../../src/effect.ts';
import { endedSessionsMax } from '../../src/limits.ts';
import { LogBuilder, subjectOf } from '../log-builder.ts';
import { HostTwin } from '../simulation/host-twin.ts';

const log = new LogBuilder();
log.settings({ sessionGraceMs: 0 });
for (let at = 0; at < endedSessionsMax + 4; at++) {
  log.wait(secondMs).login('ana', { session: `s${at}` });
  log.wait(secondMs).logout('ana', { session: `s${at}` });
}
const erased = log.append({ kind: 'erase', subject: subjectOf('ana') });
const asked = log.wait(secondMs).operation('bob', { session: 's0' });

function mismatch(effects: readonly Effect[]): readonly unknown[] {
  return effects.flatMap((effect) => (effect.kind === 'decision' ? [effect.session?.mismatch] : []));
}

it.each([
  ['a process that continues', []],
  ['a process that restarts before the erasure', [erased]],
  ['a process that restarts after it', [asked]],
])('session names of an erased client have no client for %s', (_, beginsAnew) => {
  const host = new HostTwin();
  const decided = log.records.map((record) => {
    if ((beginsAnew as readonly number[]).includes(record.offset)) {
      host.capture();
      host.store();
      host.crash();
    }
    return host.step(record);
  });
  expect(mismatch(decided[asked]!)).toEqual(['noLogin']);
});

it('session names of an erased client have no client if evicted before the erasure, which is not stored', () => {
  const host = new HostTwin();
  for (const record of log.records.slice(0, erased)) host.step(record);
  host.forgetAll();
  host.step(log.records[erased]!);
  expect(mismatch(host.step(log.records[asked]!))).toEqual(['noLogin']);
});
