/** What outcomes that the bank reports do to its client, and what later events know of them. */
import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import type { OutcomeReport } from '../../src/record.ts';
import { tokenFacts } from '../devices/device-makers.ts';
import { LogBuilder, policyOf, run, shownBy } from '../log-builder.ts';

const shown = [
  'client.stepUpsFailed',
  'client.stepUpPassedAgo',
  'client.lastStepUp',
  'client.lastOutcome',
  'client.lastOutcomeAgo',
  'session.stepUpPassed',
  'device.trusted',
  'client.blocked',
];

function asking(trusts: string): Policy {
  const when = shown.map((path) => `(has(${path}) || !has(${path}))`).join(' && ');
  return policyOf(`
actions: { 6: { name: Step-up, ${trusts} } }
rules:
  - { reason: 1, name: shows, on: [login, logout, operation], when: '${when}', then: { action: 3, message: m }, mode: shadow }
  - { reason: 2, name: asks, on: [operation], when: 'order.amount > 50', then: { action: 6, message: m } }
  - { reason: 3, name: blocks, on: [operation], when: 'order.amount > 500', then: { action: 1, message: m } }
`);
}

/** Ana's phone, and a payment in its session that asks for a step-up. */
class Asked {
  readonly log = new LogBuilder();
  readonly asked: number;
  #nonce = 0;

  constructor(trusts: string = 'trusts: { device: [passkey, token] }') {
    this.log.settings({ sessionGraceMs: 0 });
    this.log.policy(asking(trusts));
    this.login();
    this.asked = this.pay('100');
  }

  login(session = 's1', id = 'phone'): number {
    this.#nonce++;
    const facts = tokenFacts({ nonce: `n${this.#nonce}`, id, key: `key of ${id}` });
    return this.log.login('ana', { session, facts });
  }

  pay(amount = '1', session = 's1'): number {
    return this.log.operation('ana', { session, amount });
  }

  told(outcome: OutcomeReport['outcome'], more: Partial<OutcomeReport> = {}, of = this.asked): this {
    const action = { offset: of, reason: 2, position: 0 };
    this.log.report(of, { outcome, ...(outcome.startsWith('stepUp') ? { action } : {}), ...more });
    return this;
  }

  executed(): this {
    this.log.outcome('ana', { offset: this.asked, reason: 2, position: 0, action: 6 });
    return this;
  }

  /** The facts that the event at this offset sees. */
  seen(offset: number, ...paths: readonly string[]): readonly (string | undefined)[] {
    const facts = shownBy(run(this.log.records).decisions.get(offset));
    return paths.map((path) => facts[path]);
  }
}

describe('a step-up', () => {
  it.each([
    ['stepUpPassed', 'passkey', ['passed', '0', 'true', 'true']],
    ['stepUpPassed', 'sms', ['passed', '0', 'true', 'false']],
    ['stepUpPassed', undefined, ['passed', '0', 'true', 'false']],
    ['stepUpFailed', 'passkey', ['failed', '1', 'false', 'false']],
    ['stepUpAbandoned', undefined, ['abandoned', '1', 'false', 'false']],
  ] as const)('%s by %s is known to the next payment', (outcome, method, expected) => {
    const client = new Asked();
    const next = client.told(outcome, method === undefined ? {} : { method }).pay();
    const paths = ['client.lastStepUp', 'client.stepUpsFailed', 'session.stepUpPassed', 'device.trusted'];
    expect(client.seen(next, ...paths)).toEqual(expected);
    expect(client.seen(next, 'client.lastOutcome')).toEqual([outcome]);
  });

  it('trusts nothing by its execution in the new form, and still counts', () => {
    const client = new Asked().executed();
    const executed = client.pay();
    const passed = client.told('stepUpPassed', { method: 'token' }).pay();
    expect(client.seen(executed, 'device.trusted', 'client.lastStepUp')).toEqual(['false', 'none']);
    expect(client.seen(passed, 'device.trusted', 'client.lastStepUp')).toEqual(['true', 'passed']);
  });

  it('trusts by its execution in the old form, once, and its result still counts', () => {
    const client = new Asked('trusts: device').executed();
    const executed = client.pay();
    client.log.report(executed, { outcome: 'fraud', label: 'fraud' });
    const again = client.executed().pay();
    const failed = client.told('stepUpFailed').pay();
    expect(client.seen(executed, 'device.trusted')).toEqual(['true']);
    expect(client.seen(again, 'device.trusted')).toEqual(['false']);
    expect(client.seen(failed, 'client.lastStepUp', 'client.stepUpsFailed')).toEqual(['failed', '1']);
  });

  it('trusts nothing if the policy only says that it is one', () => {
    const client = new Asked('stepUp: true');
    const next = client.told('stepUpPassed', { method: 'passkey' }).pay();
    expect(client.seen(next, 'client.lastStepUp', 'device.trusted')).toEqual(['passed', 'false']);
  });

  it.each([
    ['is not named', { action: undefined }],
    ['is of another rule', { action: { offset: 3, reason: 9, position: 0 } }],
  ])('does not count if its action %s', (_, more) => {
    const client = new Asked();
    const next = client.told('stepUpPassed', { method: 'passkey', ...more } as Partial<OutcomeReport>).pay();
    expect(client.seen(next, 'client.lastStepUp', 'client.lastOutcome')).toEqual(['none', 'none']);
  });

  it('counts once', () => {
    const client = new Asked();
    const next = client.told('stepUpFailed').told('stepUpFailed').told('stepUpPassed', { method: 'passkey' }).pay();
    expect(client.seen(next, 'client.stepUpsFailed', 'client.lastStepUp')).toEqual(['1', 'failed']);
  });

  it.each([
    [15 * minuteMs, 'passed'],
    [15 * minuteMs + 1, 'none'],
  ])('counts up to 15 minutes after it was asked: %i ms', (ms, expected) => {
    const client = new Asked();
    client.log.wait(ms);
    const next = client.told('stepUpPassed').pay();
    expect(client.seen(next, 'client.lastStepUp')).toEqual([expected]);
  });

  it('concerns only the session and the device that were asked', () => {
    const client = new Asked();
    client.login('s2', 'thief');
    client.told('stepUpPassed', { method: 'passkey' });
    const [phone, thief] = [client.pay(), client.pay('1', 's2')];
    expect(client.seen(phone, 'session.stepUpPassed', 'device.trusted')).toEqual(['true', 'true']);
    expect(client.seen(thief, 'session.stepUpPassed', 'device.trusted')).toEqual(['false', 'false']);
  });

  it('is not passed in a session of the same name that was opened later', () => {
    const client = new Asked().told('stepUpPassed');
    client.log.logout('ana', { session: 's1' });
    client.login();
    expect(client.seen(client.pay(), 'session.stepUpPassed')).toEqual(['false']);
  });

  it('failed within 24 hours, since the last one that was passed', () => {
    const client = new Asked();
    client.told('stepUpFailed');
    client.log.wait(dayMs);
    client.login('s2');
    const outside = client.pay('1', 's2');
    for (const outcome of ['stepUpFailed', 'stepUpAbandoned'] as const)
      client.told(outcome, {}, client.pay('100', 's2'));
    const two = client.pay('1', 's2');
    client.told('stepUpPassed', {}, client.pay('100', 's2'));
    client.log.wait(hourMs / 2);
    client.login('s2');
    const passed = client.pay('1', 's2');
    expect(client.seen(outside, 'client.stepUpsFailed', 'client.lastStepUp')).toEqual(['0', 'failed']);
    expect(client.seen(two, 'client.stepUpsFailed')).toEqual(['2']);
    expect(client.seen(passed, 'client.stepUpsFailed', 'client.stepUpPassedAgo')).toEqual(['0', '30m']);
  });
});

describe('a reported outcome', () => {
  it('is the last one for 90 days', () => {
    const client = new Asked().told('cancelled').told('chargeback');
    client.log.wait(hourMs);
    const soon = client.pay();
    client.log.wait(90 * dayMs);
    const late = client.pay();
    expect(client.seen(client.asked, 'client.lastOutcome', 'client.lastOutcomeAgo')).toEqual(['none', undefined]);
    expect(client.seen(soon, 'client.lastOutcome', 'client.lastOutcomeAgo')).toEqual(['chargeback', '1h']);
    expect(client.seen(late, 'client.lastOutcome', 'client.lastOutcomeAgo')).toEqual(['none', undefined]);
  });

  it('ends a block only if it is unblocked', () => {
    const client = new Asked();
    const offset = client.pay('600');
    client.log.outcome('ana', { offset, reason: 3, position: 0, action: 1 });
    const [blocked, released, unblocked] = [
      client.pay(),
      client.told('released').pay(),
      client.told('unblocked').pay(),
    ];
    const seen = [blocked, released, unblocked].flatMap((one) => client.seen(one, 'client.blocked'));
    expect(seen).toEqual(['true', 'true', 'false']);
  });

  it('acts as its label, and not by its name', () => {
    const client = new Asked();
    const told = [
      client.told('legitimate').pay(),
      client.told('legitimate', { label: 'legitimate' }).pay(),
      client.told('chargeback', { label: 'fraud' }).pay(),
      client.told('legitimate', { label: 'legitimate' }).told('retracted', { label: 'none' }).pay(),
    ];
    expect(told.flatMap((one) => client.seen(one, 'device.trusted'))).toEqual(['false', 'true', 'false', 'false']);
  });

  it('says nothing about an event that can no longer be decrypted', () => {
    const client = new Asked();
    client.log.append({ kind: 'report', report: { outcome: 'fraud', label: 'fraud' }, event: undefined });
    expect(client.seen(client.pay(), 'client.lastOutcome')).toEqual(['none']);
  });

  it('takes a mark of fraud back', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    log.policy(
      policyOf(`
features: { share: { fraudShare: true, after: 1h, by: payee.id, over: 3d, on: operation } }
rules:
  - { reason: 1, name: shows, on: [operation], when: 'has(share) || !has(share)', then: { action: 3, message: m }, mode: shadow }
`),
    );
    const paid = log.operation('ana');
    log.wait(2 * hourMs).report(paid, { outcome: 'fraud', label: 'fraud' });
    const marked = log.operation('ana');
    log.report(paid, { outcome: 'retracted', label: 'none' });
    const after = log.operation('ana');
    const { decisions } = run(log.records);
    expect([marked, after].map((offset) => shownBy(decisions.get(offset))['share'])).toEqual(['1', '0']);
  });
});
