import { dayMs, minuteMs, secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { clientStatus, storedClientStatus } from '../../src/clients/client-status.ts';
import type { EngineState } from '../../src/state.ts';
import { newState } from '../../src/state.ts';
import { step } from '../../src/step.ts';
import { checkpointOf } from '../../src/store/checkpoint/checkpoint.ts';
import { clientKey } from '../../src/store/entities/entity-key.ts';
import { LogBuilder, policyOf, subjectOf } from '../log-builder.ts';

const blocking = policyOf(`
rules:
  - reason: 100
    name: a large amount
    on: [operation]
    when: order.amount > 100
    then: { action: 1, message: block }
    mode: live
`);

function stepped(log: LogBuilder): EngineState {
  const state = newState({ complete: true });
  for (const record of log.records) step(state, record);
  return state;
}

/** Ana has two sessions and was blocked a second ago. */
function blockedLog(): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0, blockMs: dayMs });
  log.policy(blocking);
  log.login('ana', { session: 's1' });
  log.login('ana', { session: 's2', channelId: 2 });
  const offset = log.operation('ana', { session: 's1', amount: '200' });
  log.wait(secondMs).outcome('ana', { offset, reason: 100, position: 0, action: 1 });
  return log;
}

describe('the status of a client', () => {
  it('has its block and its active sessions, as of the given time', () => {
    const log = blockedLog();
    const state = stepped(log);
    const ana = subjectOf('ana');
    expect(clientStatus(state, ana, log.nowMs)).toEqual({
      blockedUntilMs: log.nowMs + dayMs,
      activeSessions: [
        { channelId: 1, id: 's1' },
        { channelId: 2, id: 's2' },
      ],
    });
    expect(clientStatus(state, ana, log.nowMs + 40 * minuteMs)).toMatchObject({ activeSessions: [] });
    expect(clientStatus(state, ana, log.nowMs + dayMs)).toMatchObject({ blockedUntilMs: undefined });
    expect(clientStatus(state, subjectOf('eva'), log.nowMs)).toEqual({ blockedUntilMs: undefined, activeSessions: [] });
  });

  it('is the same from the stored state of a client that is not in memory, which stays so', () => {
    const log = blockedLog();
    const state = stepped(log);
    const ana = subjectOf('ana');
    const key = clientKey(ana);
    const { bytes } = checkpointOf(state).entities.find((entity) => entity.key === key)!;
    expect(storedClientStatus(bytes, ana, log.nowMs)).toEqual(clientStatus(state, ana, log.nowMs));
    expect(storedClientStatus(undefined, ana, log.nowMs)).toEqual({ blockedUntilMs: undefined, activeSessions: [] });
    const empty = newState({ complete: false });
    expect(clientStatus(empty, ana, log.nowMs)).toBeUndefined();
    expect(empty.store.size).toBe(0);
  });
});
