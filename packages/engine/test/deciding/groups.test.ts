import { dayMs, hourMs } from '@ringfence/contract';
import { shareWhole } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import { isInShare } from '../../src/deciding/share.ts';
import { LogBuilder, policyOf, run } from '../log-builder.ts';

function logWith(policy: string): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(policyOf(policy));
  return log;
}

function rule(reason: number, fields: string): string {
  return `  - { reason: ${reason}, name: rule ${reason}, on: [operation], then: { action: 2 }, ${fields} }\n`;
}

function firedOn(log: LogBuilder, offset: number): readonly (readonly [number, string])[] {
  return run(log.records)
    .decisions.get(offset)!
    .fired.map(({ reason, mode }) => [reason, mode]);
}

const groups = 'groups: { late: { priority: 20 }, early: { priority: 10, match: first } }\n';

describe('groups', () => {
  it('are evaluated by priority, after rules without a group; rules within a group by priority, then by reason', () => {
    const log = logWith(
      `${groups}rules:\n${[
        rule(1, 'when: order.amount > 0, group: late'),
        rule(2, 'when: order.amount > 0, group: late, priority: 5'),
        rule(3, 'when: order.amount > 0'),
        rule(4, 'when: order.amount > 0, group: early'),
      ].join('')}`,
    );
    expect(firedOn(log, log.operation('ana')).map(([reason]) => reason)).toEqual([3, 4, 2, 1]);
  });

  it('with match first stop at the first rule that fires live; one in shadow does not stop them', () => {
    const log = logWith(
      `${groups}rules:\n${[
        rule(1, 'when: order.amount > 100, group: early'),
        rule(2, 'when: order.amount > 0, group: early, mode: shadow'),
        rule(3, 'when: order.amount > 0, group: early'),
        rule(4, 'when: order.amount > 0, group: early'),
        rule(5, 'when: order.amount > 0, group: late'),
      ].join('')}`,
    );
    expect(firedOn(log, log.operation('ana'))).toEqual([
      [2, 'shadow'],
      [3, 'live'],
      [5, 'live'],
    ]);
  });

  it('stop at a first match even within its cooldown', () => {
    const log = logWith(
      `${groups}rules:\n${[
        rule(1, 'when: order.amount > 0, group: early, cooldown: 1h per client'),
        rule(2, 'when: order.amount > 0, group: early'),
      ].join('')}`,
    );
    log.operation('ana');
    expect(firedOn(log, log.operation('ana'))).toEqual([[1, 'live']]);
  });
});

describe('scores', () => {
  const scored = `${groups}rules:\n${[
    rule(1, 'when: order.amount > 10, score: 30'),
    rule(2, 'when: order.amount > 20, score: 40'),
    rule(3, 'when: order.amount > 0, score: 100, mode: shadow'),
    rule(4, 'when: event.score >= 70, group: early, score: 5'),
    rule(5, 'when: event.score == 75, group: late'),
  ].join('')}`;

  it('of rules that fire live add up, and later groups can read them', () => {
    const log = logWith(scored);
    const offset = log.operation('ana', { amount: '21' });
    const { fired, score } = run(log.records).decisions.get(offset)!;
    expect(fired.map((one) => [one.reason, one.score])).toEqual([
      [1, 30],
      [2, 40],
      [3, undefined],
      [4, 5],
      [5, undefined],
    ]);
    expect(score).toBe(75);
    expect(fired[4]!.facts).toEqual({ 'event.score': '75' });
  });

  it('start at 0 for each event', () => {
    const log = logWith(scored);
    log.operation('ana', { amount: '21' });
    const offset = log.operation('ana', { amount: '11' });
    expect(run(log.records).decisions.get(offset)!.score).toBe(30);
  });
});

describe('a share of clients', () => {
  const clients = Array.from({ length: 2_000 }, (_, client) => `client ${client}`);

  it('is about as large as specified, and has other clients for another rule', () => {
    const inShare = (reason: number, share: number): readonly string[] =>
      clients.filter((client) => isInShare({ reason, share }, client));
    expect(inShare(1, 1_000).length).toBeGreaterThan(160);
    expect(inShare(1, 1_000).length).toBeLessThan(240);
    expect(inShare(2, 1_000)).not.toEqual(inShare(1, 1_000));
    expect(inShare(1, shareWhole)).toEqual(clients);
  });

  it('keeps its clients when it grows', () => {
    const kept = clients.filter((client) => isInShare({ reason: 1, share: 500 }, client));
    expect(kept.every((client) => isInShare({ reason: 1, share: 600 }, client))).toBe(true);
  });

  it('gets actions; for all others, and without a client, the rule is in shadow', () => {
    const log = logWith(`rules:\n${rule(1, 'when: order.amount > 0, share: 50%, score: 7')}`);
    for (let client = 0; client < 40; client++) log.operation(`client ${client}`);
    log.operation(undefined);
    const { decisions, actions } = run(log.records);
    const modes = [...decisions.values()].map(({ fired }) => fired[0]!.mode);
    expect(modes).toHaveLength(41);
    expect(modes.at(-1)).toBe('shadow');
    expect(modes.filter((mode) => mode === 'live')).toHaveLength(actions.length);
    expect(actions.length).toBeGreaterThan(8);
    expect(actions.length).toBeLessThan(32);
    expect([...decisions.values()].filter(({ score }) => score === 7)).toHaveLength(actions.length);
  });
});

describe('a cap per client', () => {
  const capped = `rules:\n${rule(1, 'when: order.amount > 0, maxActions: [4 per hour, 2 per day per client]')}`;

  it('caps what exceeds it, and does not limit other clients within the cap of the rule', () => {
    const log = logWith(capped);
    for (const client of ['ana', 'ana', 'ana', 'bob', 'cleo', 'dan']) log.operation(client);
    const states = (from: LogBuilder): readonly string[] => run(from.records).actions.map(({ state }) => state);
    expect(states(log)).toEqual(['due', 'due', 'held', 'due', 'due', 'held']);
    log.wait(dayMs - 1).operation('ana');
    log.wait(1).operation('ana');
    expect(states(log).slice(-2)).toEqual(['held', 'due']);
  });

  it('survives a checkpoint', () => {
    const log = logWith(capped);
    log.operation('ana');
    log.operation('ana');
    const { state } = run(log.records);
    const { globals, entities } = checkpointOf(state);
    const restored = restoreState(globals, state.policy, { complete: false });
    log.wait(hourMs).operation('ana');
    const again = log.records.at(-1)!;
    supply(restored, entities);
    expect(run([again], restored).actions.map((action) => action.state)).toEqual(['held']);
  });
});
