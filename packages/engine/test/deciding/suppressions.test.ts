import { hourMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import type { SuppressionOf } from '../../src/record.ts';
import { LogBuilder, policyOf, run, subjectOf } from '../log-builder.ts';

const policy = policyOf(`
groups: { verdict: { priority: 1, match: first } }
rules:
  - { reason: 1, name: one, on: [operation], when: order.amount > 0, then: { action: 2 }, group: verdict, score: 5, cooldown: 1h per client }
  - { reason: 2, name: two, on: [operation], when: order.amount > 0, then: { action: 2 }, group: verdict }
`);

function logWith(of: SuppressionOf, forMs = hourMs): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(policy);
  log.append({ kind: 'suppress', suppression: { reason: 1, of, untilMs: log.nowMs + forMs } });
  return log;
}

function firedOn(log: LogBuilder, offset: number): readonly (readonly [number, string | undefined])[] {
  return run(log.records)
    .decisions.get(offset)!
    .fired.map(({ reason, suppressed }) => [reason, suppressed]);
}

const ana: SuppressionOf = { kind: 'client', subject: subjectOf('ana') };

describe('a suppression', () => {
  it('of a client keeps the facts of the rule, which requests nothing, scores nothing and is no first match', () => {
    const log = logWith(ana);
    const offset = log.operation('ana');
    expect(firedOn(log, offset)).toEqual([
      [1, 'suppression'],
      [2, undefined],
    ]);
    const { actions, decisions } = run(log.records);
    expect(actions.map(({ reason }) => reason)).toEqual([2]);
    expect(decisions.get(offset)!.score).toBe(0);
    expect(decisions.get(offset)!.fired[0]!.facts).toEqual({ 'order.amount': '10' });
    expect(firedOn(log, log.operation('bob'))).toEqual([[1, undefined]]);
  });

  it('of a payee applies to every client', () => {
    const log = logWith({ kind: 'payee', payee: 'B1/100' });
    expect(firedOn(log, log.operation('ana'))[0]).toEqual([1, 'suppression']);
    expect(firedOn(log, log.operation(undefined))[0]).toEqual([1, 'suppression']);
    expect(firedOn(log, log.operation('ana', { payee: '101' }))).toEqual([[1, undefined]]);
  });

  it('ends by log time or when a person ends it, and starts no cooldown', () => {
    const log = logWith(ana);
    log.wait(hourMs - 1).operation('ana');
    expect(firedOn(log, log.wait(1).operation('ana'))).toEqual([[1, undefined]]);
    const ended = logWith(ana);
    ended.append({ kind: 'suppress', suppression: { reason: 1, of: ana, untilMs: undefined } });
    expect(firedOn(ended, ended.operation('ana'))).toEqual([[1, undefined]]);
  });

  it('is forgotten with its client', () => {
    const log = logWith(ana);
    log.append({ kind: 'erase', subject: subjectOf('ana') });
    expect(run(log.records).state.suppressions.size).toBe(0);
  });
});

describe('a capped action that was dropped', () => {
  it('is no longer awaited: an executed outcome changes nothing', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    log.policy(
      policyOf(
        'rules:\n  - { reason: 1, name: one, on: [operation], when: order.amount > 0, then: { action: 1 }, maxActions: 1 per day }',
      ),
    );
    log.operation('ana');
    const offset = log.operation('ana');
    const named = { offset, reason: 1, position: 0 };
    const held = { change: 'drop', actions: [named] } as const;
    const told = (): boolean => {
      log.outcome('ana', { ...named, action: 1 });
      const { state } = run(log.records);
      const client = state.store.client(subjectOf('ana'));
      return client?.isBlocked(log.nowMs) ?? false;
    };
    const before = log.records.length;
    expect(told()).toBe(true);
    log.records.length = before;
    log.append({ kind: 'held', subject: subjectOf('ana'), held });
    expect(told()).toBe(false);
  });
});
