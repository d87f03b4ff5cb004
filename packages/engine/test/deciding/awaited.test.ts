/**
 * Operations that came before their login, with little in memory: the entities that they need may depend on the login.
 */
import { minuteMs, secondMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import type { Effect } from '../../src/effect.ts';
import { LogBuilder, policyOf, run, shownBy } from '../log-builder.ts';
import { HostTwin } from '../simulation/host-twin.ts';

const facts = {
  'device.state': 'present',
  'device.id': 'd1',
  'device.key': 'k1',
  'ip.country': 'MX',
  'ip.isNew': true,
};

function early(feature: string): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: minuteMs });
  log.policy(
    policyOf(`
features:
  seen: ${feature}
rules:
  - { reason: 1, name: shows, on: [operation], when: 'has(seen) || true', then: { action: 3, message: m }, mode: shadow }
`),
  );
  log.login('ana', { session: 's0', facts });
  log.operation('ana', { session: 's0' });
  log.wait(secondMs);
  for (const payee of ['100', '200', '100']) log.operation('ana', { session: 's1', payee });
  log.login('ana', { session: 's1', facts });
  log.wait(2 * minuteMs).tick();
  return log;
}

function shown(effects: readonly Effect[]): readonly unknown[] {
  return effects.flatMap((effect) => (effect.kind === 'decision' ? [[effect.offset, shownBy(effect)]] : []));
}

it.each([
  '{ count: true, by: [device.id, payee.id], over: 1d, on: operation }',
  '{ distinct: account.client, by: device.id, over: 7d, on: operation }',
  '{ count: true, by: ip.country, over: 1d, on: operation }',
  '{ count: true, by: [device.trusted, payee.id], over: 1d, on: operation }',
  '{ count: true, by: [device.isNew, payee.id], over: 1d, on: operation }',
  '{ count: true, by: session.ip, over: 1d, on: operation }',
])('early operations are decided as with everything in memory: %s', (feature) => {
  const { records } = early(feature);
  const { effects } = run(records);
  const host = new HostTwin({ complete: false });
  const told = records.flatMap((record) => {
    host.forgetAll();
    return host.step(record);
  });
  expect(shown(told)).toEqual(shown(effects));
  expect(shown(effects)).toHaveLength(6);
});
