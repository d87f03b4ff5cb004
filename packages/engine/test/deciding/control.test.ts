import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { checkpointOf } from '../../src/store/checkpoint/checkpoint.ts';
import { newState } from '../../src/state.ts';
import { nextDueMs } from '../../src/step.ts';
import { graceMs, LogBuilder, policyOf, run, showing, shownBy, subjectOf } from '../log-builder.ts';

/** Rule 100 requests action 2 and then 1 on every operation of more than 100. */
const acting = policyOf(`
rules:
  - reason: 100
    name: a large amount
    on: [operation]
    when: order.amount > 100
    then: [{ action: 2, message: close }, { action: 1, message: block }]
    mode: live
  - reason: 200
    name: what is seen
    on: [login, logout, operation]
    when: (has(client.blocked) || true) && (has(client.blockedFor) || true) && (has(session.closedBy) || true)
    then: { action: 3, message: seen }
    mode: shadow
`);

function seenAt(log: LogBuilder, offset: number): Readonly<Record<string, string>> {
  return run(log.records)
    .decisions.get(offset)!
    .fired.find(({ reason }) => reason === 200)!.facts;
}

function actingLog(): { readonly log: LogBuilder; readonly offset: number } {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(acting);
  log.login('ana', { session: 's1' });
  return { log, offset: log.wait(secondMs).operation('ana', { session: 's1', amount: '200' }) };
}

describe('a change of the time zone', () => {
  it('affects rules from the next event on', () => {
    const log = new LogBuilder();
    log.policy(showing('workspace.timezone'));
    const before = log.login('ana');
    log.settings({ timezone: 'Asia/Tokyo' });
    const after = log.login('ana');
    const { decisions } = run(log.records);
    expect(shownBy(decisions.get(before))).toEqual({ 'workspace.timezone': 'UTC' });
    expect(shownBy(decisions.get(after))).toEqual({ 'workspace.timezone': 'Asia/Tokyo' });
  });
});

describe('an executed action 2', () => {
  it('closes the session that it was decided for', () => {
    const { log, offset } = actingLog();
    log.wait(secondMs).outcome('ana', { offset, reason: 100, position: 0, action: 2 });
    const after = log.wait(secondMs).operation('ana', { session: 's1' });
    expect(run(log.records).decisions.get(after)!.session).toEqual({ matched: false, mismatch: 'closed' });
    expect(seenAt(log, after)['session.closedBy']).toBe('action');
  });

  it('does not close a session that was opened after the decision', () => {
    const { log, offset } = actingLog();
    log.wait(secondMs).logout('ana', { session: 's1' });
    log.wait(secondMs).login('ana', { session: 's1' });
    log.outcome('ana', { offset, reason: 100, position: 0, action: 2 });
    const after = log.operation('ana', { session: 's1' });
    expect(run(log.records).decisions.get(after)!.session?.matched).toBe(true);
  });

  it('closes a session that was only refreshed since', () => {
    const { log, offset } = actingLog();
    log.wait(secondMs).login('ana', { session: 's1' });
    log.outcome('ana', { offset, reason: 100, position: 0, action: 2 });
    const after = log.operation('ana', { session: 's1' });
    expect(run(log.records).decisions.get(after)!.session?.mismatch).toBe('closed');
  });

  it.each(['notExecuted', 'failed', 'expired'] as const)('does not close its session after outcome %s', (result) => {
    const { log, offset } = actingLog();
    log.outcome('ana', { offset, reason: 100, position: 0, action: 2, result });
    const after = log.operation('ana', { session: 's1' });
    expect(run(log.records).decisions.get(after)!.session?.matched).toBe(true);
  });

  it.each([
    ['that expired first, and was executed later', ['expired', 'executed']],
    ['that failed first, and was executed later', ['failed', 'executed']],
    ['that was not executed first, and was later', ['notExecuted', 'executed']],
    ['that was executed, and whose earlier expiry is reported late', ['executed', 'expired']],
  ] as const)('%s closes its session', (_, results) => {
    const { log, offset } = actingLog();
    for (const result of results) {
      log.wait(secondMs).outcome('ana', { offset, reason: 100, position: 0, action: 2, result });
    }
    const after = log.operation('ana', { session: 's1' });
    expect(run(log.records).decisions.get(after)!.session?.mismatch).toBe('closed');
  });

  it('changes nothing when it is reported again, even after the session was reopened', () => {
    const { log, offset } = actingLog();
    const executed = { offset, reason: 100, position: 0, action: 2 };
    log.outcome('ana', executed);
    log.wait(secondMs).login('ana', { session: 's1' });
    log.outcome('ana', executed);
    const after = log.operation('ana', { session: 's1' });
    expect(run(log.records).decisions.get(after)!.session?.matched).toBe(true);
  });
});

describe('an executed action 1', () => {
  const blocked = (): { readonly log: LogBuilder; readonly executed: Parameters<LogBuilder['outcome']>[1] } => {
    const { log, offset } = actingLog();
    const executed = { offset, reason: 100, position: 1, action: 1 };
    log.wait(secondMs).outcome('ana', executed);
    return { log, executed };
  };

  it('blocks the client, and records since when', () => {
    const { log } = blocked();
    const after = log.wait(minuteMs).login('ana', { session: 's2' });
    expect(seenAt(log, after)).toMatchObject({ 'client.blocked': 'true', 'client.blockedFor': '1m' });
  });

  it('blocks the client until the block expires', () => {
    const { log } = blocked();
    const before = log.wait(dayMs - 1).login('ana', { session: 's2' });
    const after = log.wait(1).login('ana', { session: 's3' });
    expect([seenAt(log, before)['client.blocked'], seenAt(log, after)['client.blocked']]).toEqual(['true', 'false']);
  });

  it('blocks the client until it is unblocked, whatever is reported again', () => {
    const { log, executed } = blocked();
    log.append({ kind: 'unblock', subject: subjectOf('ana') });
    log.outcome('ana', executed);
    const after = log.wait(minuteMs).login('ana', { session: 's2' });
    expect(seenAt(log, after)).toEqual({ 'client.blocked': 'false', 'session.closedBy': 'none' });
  });

  it('extends the block if another one is executed meanwhile', () => {
    const { log } = blocked();
    const offset = log.wait(hourMs).operation('ana', { session: 's1', amount: '300' });
    log.outcome('ana', { offset, reason: 100, position: 1, action: 1 });
    const late = log.wait(dayMs - 1).login('ana', { session: 's2' });
    expect(seenAt(log, late)).toMatchObject({ 'client.blocked': 'true', 'client.blockedFor': '1d59m59s999ms' });
  });
});

describe('an erasure', () => {
  it('removes everything about the client: its next event is its first', () => {
    const log = new LogBuilder();
    log.settings();
    log.policy(
      policyOf(`
features:
  count: { count: true, by: client.id, over: 1d }
rules:
  - reason: 1
    name: shows
    on: [login]
    when: (has(client.known) || true) && (has(client.logins) || true) && count > 0
    then: { action: 3, message: shown }
    mode: shadow
`),
    );
    log.login('ana', { session: 's1' });
    log.login('ana', { session: 's2' });
    log.append({ kind: 'erase', subject: subjectOf('ana') });
    const after = log.login('ana', { session: 's1' });
    const { decisions, state } = run(log.records);
    expect(shownBy(decisions.get(after))).toEqual({ 'client.known': 'false', 'client.logins': '1', count: '1' });
    expect(checkpointOf(state).erased).toEqual([subjectOf('ana')]);
  });

  it('decides waiting operations as unreadable', () => {
    const log = new LogBuilder();
    log.settings();
    const ana = log.operation('ana', { session: 's1' });
    const bob = log.operation('bob', { session: 's2' });
    log.wait(secondMs).append({ kind: 'erase', subject: subjectOf('ana') });
    log.wait(graceMs).tick();
    const { decisions } = run(log.records);
    expect(decisions.get(ana)).toMatchObject({
      outcome: 'unreadable',
      event: 'operation',
      atMs: decisions.get(bob)!.atMs - 4_000,
    });
    expect(decisions.get(bob)).toMatchObject({ outcome: 'decided' });
  });

  it('removes the client from entities with other names', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    log.login('ana', { session: 's1' });
    log.append({ kind: 'erase', subject: subjectOf('ana') });
    const offset = log.operation('bob', { session: 's1' });
    const { decisions, state } = run(log.records);
    expect(decisions.get(offset)!.session?.mismatch).toBe('noLogin');
    const bytes = checkpointOf(state).entities.map((entity) => [entity.key, entity.bytes === undefined]);
    expect(bytes).toEqual([
      [`c/${subjectOf('bob')}`, false],
      ['s/s1', true],
    ]);
  });
});

describe('records that are not events', () => {
  it('decide an event that cannot be read', () => {
    const log = new LogBuilder();
    const offset = log.append({ kind: 'unreadable', event: 'logout', subject: subjectOf('ana') });
    expect(run(log.records).decisions.get(offset)).toMatchObject({
      outcome: 'unreadable',
      event: 'logout',
      subject: subjectOf('ana'),
      fired: [],
    });
  });

  it('fire due timers before they take effect', () => {
    const log = new LogBuilder();
    log.settings();
    const offset = log.operation('ana', { session: 's1' });
    log.wait(graceMs).policy(showing('client.id'));
    expect(run(log.records).decisions.get(offset)).toMatchObject({ policyVersion: 0, fired: [] });
  });

  it('have a next timer that is known in advance', () => {
    const log = new LogBuilder();
    const state = newState({ complete: true });
    log.settings();
    expect(nextDueMs(run(log.records, state).state)).toBeUndefined();
    const later = new LogBuilder();
    later.settings();
    later.operation('ana');
    later.wait(secondMs).operation('bob');
    expect(nextDueMs(run(later.records).state)).toBe(later.nowMs - secondMs + graceMs);
    later.wait(graceMs - secondMs).tick();
    expect(nextDueMs(run(later.records).state)).toBe(later.nowMs + secondMs);
  });

  it('before any policy leave events to be decided without rules', () => {
    const log = new LogBuilder();
    const offset = log.login('ana');
    expect(run(log.records).decisions.get(offset)).toMatchObject({ policyVersion: 0, outcome: 'decided', fired: [] });
  });
});

describe('a new policy', () => {
  const counting = (name: string, over: string): ReturnType<typeof policyOf> =>
    policyOf(`
features:
  ${name}: { count: true, by: client.id, over: ${over} }
rules:
  - reason: 1
    name: shows
    on: [login]
    when: ${name} > 0
    then: { action: 3, message: shown }
    mode: shadow
`);

  it('continues features that it shares with the previous one, under any name, and begins others empty', () => {
    const log = new LogBuilder();
    log.settings();
    log.policy(counting('logins', '1d'), 1);
    log.login('ana');
    log.policy(counting('loginsOfADay', '1d'), 2);
    const renamed = log.login('ana');
    log.policy(counting('loginsOfADay', '2d'), 3);
    const other = log.login('ana');
    log.policy(counting('logins', '1d'), 4);
    const again = log.login('ana');
    const { decisions } = run(log.records);
    expect(shownBy(decisions.get(renamed))).toEqual({ loginsOfADay: '2' });
    expect(shownBy(decisions.get(other))).toEqual({ loginsOfADay: '1' });
    expect(shownBy(decisions.get(again))).toEqual({ logins: '1' });
  });
});
