/** Features that count what the bank reports about events. */
import { dayMs, hourMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/effect.ts';
import { tokenFacts } from '../devices/device-makers.ts';
import { LogBuilder, policyOf, run, shownBy } from '../log-builder.ts';
import { HostTwin } from '../simulation/host-twin.ts';

const policy = policyOf(`
features:
  chargebacks: { count: true, by: payee.id, over: 90d, on: [outcome], where: 'outcome.kind == "chargeback"' }
  losses: { sum: outcome.loss, by: account.client, over: 30d, on: [outcome] }
  kinds: { distinct: outcome.kind, by: client.id, over: 30d }
  deviceFrauds: { count: true, by: device.id, over: 30d, where: 'outcome.kind == "fraud"' }
  large: { count: true, by: client.id, over: 30d, on: [outcome], where: 'order.amount > 50' }
rules:
  - reason: 1
    name: shows
    on: [operation]
    when: '(has(chargebacks) || !has(chargebacks)) && (has(losses) || !has(losses)) && has(kinds) && (has(deviceFrauds) || !has(deviceFrauds)) && has(large)'
    then: { action: 3, message: m }
    mode: shadow
`);

function begun(): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(policy);
  return log;
}

function seen(log: LogBuilder, offset: number): Readonly<Record<string, string>> {
  return shownBy(run(log.records).decisions.get(offset));
}

describe('a feature over outcomes', () => {
  it('counts them at the time of the report, by facts of the event', () => {
    const log = begun();
    const paid = log.operation('ana', { payee: '7', amount: '100' });
    const other = log.operation('bob', { payee: '8', amount: '10' });
    const before = log.operation('ana', { payee: '7' });
    log.wait(60 * dayMs).report(paid, { outcome: 'chargeback', code: '4837', stage: 'opened' });
    log.report(other, { outcome: 'refund' });
    const [ana, bob] = [log.operation('eva', { payee: '7' }), log.operation('bob', { payee: '8' })];
    log.wait(89 * dayMs);
    const late = log.operation('eva', { payee: '7' });
    log.wait(dayMs);
    const after = log.operation('eva', { payee: '7' });
    const counts = [before, ana, bob, late, after].map((offset) => seen(log, offset)['chargebacks']);
    expect(counts).toEqual(['0', '1', '0', '1', '0']);
    expect(seen(log, bob)).toMatchObject({ kinds: '1', large: '0' });
  });

  it('sums losses in the currency of the payment that reads them', () => {
    const log = begun();
    const paid = log.operation('ana', { currency: 'EUR', amount: '100' });
    log.report(paid, { outcome: 'fraud', loss: '80.50' });
    log.report(paid, { outcome: 'fraud', loss: '10', currency: 'USD' });
    log.report(paid, { outcome: 'retracted', label: 'none' });
    const sums = ['EUR', 'USD', 'GTQ'].map((currency) => log.operation('ana', { currency }));
    expect(sums.map((offset) => seen(log, offset)['losses'])).toEqual(['80.5', '10', '0']);
    expect(seen(log, sums[0]!)).toMatchObject({ kinds: '2', large: '3' });
  });

  it('finds the device of the session that the event came from', () => {
    const log = begun();
    const facts = { ...tokenFacts({ nonce: 'n1', id: 'phone', key: 'k' }) };
    log.login('ana', { session: 's1', facts });
    const paid = log.operation('ana', { session: 's1' });
    log.report(paid, { outcome: 'fraud' });
    expect(seen(log, log.operation('ana', { session: 's1' }))['deviceFrauds']).toBe('1');
  });

  it('is the same with nothing in memory', () => {
    const log = begun();
    for (let turn = 0; turn < 20; turn++) {
      const user = `user ${turn % 3}`;
      const paid = log.wait(hourMs).operation(user, { payee: String(turn % 4), amount: String(turn * 5) });
      log.report(paid, { outcome: turn % 2 === 0 ? 'chargeback' : 'fraud', loss: String(turn) });
    }
    const host = new HostTwin({ complete: false });
    const told = log.records.flatMap((record) => {
      host.forgetAll();
      return host.step(record);
    });
    const shown = (effects: readonly Effect[]): readonly unknown[] =>
      effects.flatMap((effect) => (effect.kind === 'decision' ? [shownBy(effect)] : []));
    expect(shown(told)).toEqual(shown(run(log.records).effects));
  });
});
