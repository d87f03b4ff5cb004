import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { EventRecord } from '../../src/record.ts';
import { tokenFacts, traitsOf } from '../devices/device-makers.ts';
import { type LogBuilder, policyOf, subjectOf } from '../log-builder.ts';

const policy = (limit: number): ReturnType<typeof policyOf> =>
  policyOf(`
actions: { 6: { name: Step-up authentication, trusts: device } }
lists: { mules: { of: payee.id, live: true } }
features:
  deviceClients: { distinct: client.id, by: device.id, over: 7d }
  payeeFraud: { fraudShare: true, after: 1h, by: payee.id, over: 30d, on: operation }
rules:
  - reason: 201
    name: steps up where nobody trusts the device
    on: [operation]
    when: order.amount > ${limit} && device.trusted == false
    then: { action: 6, message: "{{device.id}}" }
    mode: live
  - reason: 202
    name: a device of several clients
    on: [login]
    when: deviceClients > 1
    then: [{ action: 2, message: "{{deviceClients}}" }, { action: 1, message: blocked }]
    mode: live
    maxActions: 1 per hour
  - reason: 203
    name: a mule
    on: [operation]
    when: payee.id in lists.mules || payeeFraud > 0.4
    then: { action: 5, message: "{{payee.id}} {{payeeFraud}}" }
    mode: live
    cooldown: 30m per client
  - reason: 204
    name: what is known of the device
    on: [login, operation]
    when: has(device.trusted) || has(device.match) || has(device.changed)
    then: { action: 3, message: seen }
    mode: shadow
`);

/** A day of devices, step-ups, capped actions, lists, labels and suppressions. Only ever append to it. */
export function deviceDay(log: LogBuilder): void {
  log.settings();
  log.policy(policy(50), 1);
  const phone = (nonce: string, changed: Readonly<Record<string, string>> = {}) =>
    tokenFacts({ nonce, id: 'phone', key: 'k1', components: traitsOf('phone', changed) });
  log.login('ana', { session: 'a1', facts: phone('n1') });
  log.login('ana', { session: 'a2', facts: tokenFacts({ nonce: 'n2', id: 'thief', key: 'k2' }) });
  // The step-up is for the phone, while the other device and another client continue.
  const asked = log.operation('ana', { session: 'a1', amount: '100' });
  log.operation('ana', { session: 'a2', amount: '10' });
  log.login('bob', { session: 'b1', facts: tokenFacts({ nonce: 'n3', id: 'thief', key: 'k2' }) });
  log.outcome('ana', { offset: asked, reason: 201, position: 0, action: 6, result: 'expired' });
  log.wait(secondMs).outcome('ana', { offset: asked, reason: 201, position: 0, action: 6 });
  log.operation('ana', { session: 'a1', amount: '120' });
  log.operation('ana', { session: 'a2', amount: '120' });
  const capped = log.login('cleo', { session: 'c1', facts: tokenFacts({ nonce: 'n4', id: 'thief', key: 'k2' }) });
  const dropped = log.login('dora', { session: 'd1', facts: tokenFacts({ nonce: 'n5', id: 'thief', key: 'k2' }) });
  const held = (user: string, offset: number, change: 'release' | 'drop') =>
    log.append({
      kind: 'held',
      subject: subjectOf(user),
      held: { change, actions: [0, 1].map((position) => ({ offset, reason: 202, position })) },
    });
  held('cleo', capped, 'release');
  held('dora', dropped, 'drop');
  log.outcome('cleo', { offset: capped, reason: 202, position: 0, action: 2 });
  log.outcome('cleo', { offset: capped, reason: 202, position: 1, action: 1 });
  log.wait(minuteMs).operation('cleo', { session: 'c1' });
  log.operation('dora', { session: 'd1' });
  log.append({ kind: 'list', change: { list: 'mules', put: [{ item: 'B1/666' }], remove: [] } });
  log.operation('bob', { session: 'b1', payee: '666' });
  log.wait(minuteMs).operation('bob', { session: 'b1', payee: '666' });
  log.append({
    kind: 'suppress',
    suppression: { reason: 203, of: { kind: 'payee', payee: 'B1/666' }, untilMs: undefined },
  });
  labels(log);
  log.wait(hourMs).policy(policy(20), 2);
  log.login('ana', { session: 'a1', facts: phone('n6', { userAgent: 'newer' }) });
  log.login('ana', { session: 'a3', facts: phone('n6') });
  log.wait(minuteMs).operation('ana', { session: 'a1', amount: '30' });
  log.append({ kind: 'erase', subject: subjectOf('cleo') });
  log.wait(dayMs).tick();
}

function labels(log: LogBuilder): void {
  log.login('eva', { session: 'e1' });
  const paid = ['7', '7', '8'].map((payee) => log.wait(minuteMs).operation('eva', { session: 'e1', payee }));
  for (const [place, label] of (['fraud', 'fraud', 'legitimate'] as const).entries()) {
    log.append({ kind: 'label', label, event: log.records[paid[place]!] as EventRecord });
  }
  log.wait(2 * hourMs).login('eva', { session: 'e1' });
  log.operation('eva', { session: 'e1', payee: '7' });
}
