import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { type LogBuilder, policyOf, subjectOf } from '../log-builder.ts';

const policy = (version: 1 | 2): ReturnType<typeof policyOf> =>
  policyOf(`
features:
  sent24h: { sum: order.amount, by: account.client, over: 24h }
  sentAvg30d: { avg: order.amount, by: account.client, over: 30d }
  largest7d: { max: order.amount, by: account.client, over: 7d }
  payees1h: { distinct: payee.id, by: account.client, over: 1h }
  payeeFirst: { firstSeen: true, by: [account.client, payee.id] }
  payerCount24h: { distinct: account.client, by: payee.id, over: 24h }
  logins1h: { count: true, by: client.id, over: 1h, on: [login] }
  lastPaid: { lastSeen: true, by: account.client }
rules:
  - reason: 101
    name: a new payee, far above the habit
    on: [operation]
    when: payeeFirst == 0s && order.amount > ${version === 1 ? 3 : 2} * sentAvg30d
    then: [{ action: 2, message: "{{order.amount}} {{order.currency}} to {{payee.id}}" }, { action: 4, message: Is it you? }]
    mode: live
    cooldown: 15m per session
  - reason: 102
    name: many payees
    on: [operation]
    when: payees1h > 2 && lastPaid < 5m
    then: { action: 1, message: blocked }
    mode: live
    maxActions: 1 per day
  - reason: 103
    name: no session
    on: [operation]
    when: session.required && !session.matched
    then: { action: 3, message: "{{session.mismatch}}" }
    mode: live
  - reason: 104
    name: a mule
    on: [operation]
    when: payerCount24h > 2 || sent24h > 5000
    then: { action: 5, message: "{{payee.id}}" }
    mode: shadow
  - reason: 105
    name: a login while blocked, or many
    on: [login]
    when: client.blocked || logins1h > 2
    then: { action: 2, message: "{{client.id}}" }
    mode: live
  - reason: 106
    name: an e-mail of ours
    on: [operation]
    when: account.email.endsWith("@bank.example")
    then: { action: 3, message: ours }
    mode: live
`);

/** A day with every kind of event. Only ever append to it. */
export function bankDay(log: LogBuilder): void {
  log.login('ana', { session: 'before any policy' });
  log.settings({ channels: { '3': { idleMs: 5 * minuteMs, absoluteMs: hourMs, sessions: 'optional' } } });
  log.policy(policy(1), 1);
  habits(log);
  const taken = takeover(log);
  log.wait(2 * secondMs).outcome('ana', { offset: taken, reason: 101, position: 0, action: 2 });
  log.wait(secondMs).operation('ana', { session: 'a2', amount: '900' });
  log.wait(minuteMs).policy(policy(2), 2);
  burst(log);
  disorder(log);
  log.append({ kind: 'erase', subject: subjectOf('eva') });
  log.append({ kind: 'unreadable', event: 'login', subject: subjectOf('eva') });
  log.wait(hourMs).tick();
}

function habits(log: LogBuilder): void {
  for (const [user, session] of [
    ['ana', 'a1'],
    ['bob', 'b1'],
    ['eva', ''],
  ] as const) {
    log.wait(minuteMs).login(user, { session });
    log.wait(minuteMs).operation(user, { session, amount: '20.50', payee: '100' });
    log.wait(minuteMs).operation(user, { session, amount: '19.50', payee: '101', statedMs: -hourMs });
  }
  log.wait(minuteMs).operation('ana', { channelId: 3, amount: '5' });
  log.wait(minuteMs).logout('ana', { session: 'a1' });
}

function takeover(log: LogBuilder): number {
  log.wait(hourMs).login('ana', { session: 'a2', ip: '198.51.100.1', data: '' });
  return log.wait(30 * secondMs).operation('ana', { session: 'a2', amount: '800.000001', payee: '666' });
}

function burst(log: LogBuilder): void {
  log.login('bob', { session: 'b2' });
  for (const payee of ['1', '2', '3', '4']) {
    log.wait(10 * secondMs).operation('bob', { session: 'b2', amount: '9007199254.999999', payee });
  }
  const offset = log.records.length - 2;
  log.wait(secondMs).outcome('bob', { offset, reason: 102, position: 0, action: 1 });
  log.wait(minuteMs).login('bob', { session: 'b3' });
  log.append({ kind: 'unblock', subject: subjectOf('bob') });
  log.wait(minuteMs).login('bob', { session: 'b4' });
}

function disorder(log: LogBuilder): void {
  const reference = { session: 'e1', reference: 'r1', body: 'same' };
  log.wait(minuteMs).operation('eva', reference);
  log.wait(secondMs).operation('eva', reference);
  log.wait(secondMs).login('eva', { session: 'e1' });
  log.wait(secondMs).logout('eva', { session: 'e1' });
  log.wait(secondMs).operation('eva', { session: 'e1', statedMs: -3 * secondMs, amount: '1', currency: 'MXN' });
  log.wait(secondMs).operation('eva', { session: 'e1' });
  log.operation(undefined, { session: 'e1', amount: '77' });
  log.wait(secondMs).operation('ana', { session: 'b4' });
  log.wait(secondMs).operation('eva', { session: 'never', statedMs: -48 * hourMs });
  log.wait(minuteMs).tick();
  log.operation('eva', { session: 'waits when she is erased' });
}
