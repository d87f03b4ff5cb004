/** A device token is valid once, for any client; restarts and the bounds of memory do not change this. */
import { minuteMs, secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState } from '../../src/store/checkpoint/checkpoint.ts';
import { TokenMemory } from '../../src/devices/token-memory.ts';
import { tokenReachMs, tokensMax } from '../../src/limits.ts';
import { newState } from '../../src/state.ts';
import { LogBuilder, policyOf, run, showing, shownBy } from '../log-builder.ts';

const token = {
  'device.state': 'present',
  'device.nonce': 'H0MZeHSxqiDp76F8TEYFwA',
  'device.id': 'HjPs_PKRSV2w0PlA3i1hlg',
  'device.key': 'key',
  'device.idFresh': false,
  'device.timezone': 'UTC',
};
const policy = showing('device.state', 'device.id', 'device.key', 'device.idFresh', 'device.timezone');
const first = {
  'device.state': 'present',
  'device.id': 'HjPs_PKRSV2w0PlA3i1hlg',
  'device.key': 'key',
  'device.idFresh': 'false',
  'device.timezone': 'UTC',
};
const again = { 'device.state': 'replayed', 'device.timezone': 'UTC' };

function begun(): LogBuilder {
  const log = new LogBuilder();
  log.settings();
  log.policy(policy);
  return log;
}

describe('a repeated token', () => {
  it.each(['ana', 'bob'])('counts as replayed in a login of %s, and names no device', (user) => {
    const log = begun();
    const one = log.login('ana', { facts: token });
    const two = log.wait(minuteMs).login(user, { facts: token });
    const { decisions } = run(log.records);
    expect(shownBy(decisions.get(one))).toEqual(first);
    expect(shownBy(decisions.get(two))).toEqual(again);
  });

  it('does not count as replayed in a retry of the same login', () => {
    const log = begun();
    log.login('ana', { facts: token, body: 'same' });
    const retry = log.wait(secondMs).login('ana', { facts: token, body: 'same' });
    expect(run(log.records).decisions.get(retry)).toMatchObject({ outcome: 'repeat' });
  });

  it('is a different one if its nonce differs', () => {
    const log = begun();
    log.login('ana', { facts: token });
    const other = log.login('ana', { facts: { ...token, 'device.nonce': 'AAECAwQFBgcICQoLDA0ODw' } });
    expect(shownBy(run(log.records).decisions.get(other))).toEqual(first);
  });

  it.each(['stale', 'foreign'])('stays %s if it was before', (state) => {
    const log = begun();
    log.login('ana', { facts: { 'device.state': state, 'device.nonce': 'n' } });
    const two = log.login('bob', { facts: { 'device.state': state, 'device.nonce': 'n' } });
    expect(shownBy(run(log.records).decisions.get(two))).toEqual({ 'device.state': state });
  });

  it('counts as replayed after a restart too', () => {
    const log = begun();
    log.login('ana', { facts: token });
    const { globals } = checkpointOf(run(log.records).state);
    const restored = restoreState(globals, policy, { complete: true });
    expect(checkpointOf(restored).globals).toEqual(globals);
    const two = log.wait(minuteMs).login('bob', { facts: token });
    expect(shownBy(run(log.records.slice(two), restored).decisions.get(two))).toEqual(again);
  });
});

it('a feature recognises a device that is new for its client', () => {
  const log = new LogBuilder();
  log.settings();
  log.policy(
    policyOf(`
features:
  clientDeviceFirstSeen: { firstSeen: true, by: [client.id, device.id] }
actions:
  6: Step-up
rules:
  - { reason: 7, name: a new device, on: [login], when: clientDeviceFirstSeen == 0s, then: { action: 6, message: m } }
`),
  );
  const nonce = (name: string): object => ({ 'device.nonce': name });
  const offsets = [
    log.login('ana', { facts: { ...token, ...nonce('a') } }),
    log.wait(minuteMs).login('ana', { facts: { ...token, ...nonce('b') } }),
    log.login('bob', { facts: { ...token, ...nonce('c') } }),
    log.login('ana', { facts: { ...token, ...nonce('d'), 'device.id': 'another' } }),
    log.login('ana', { facts: { 'device.state': 'absent' } }),
  ];
  const { decisions } = run(log.records);
  expect(offsets.map((offset) => decisions.get(offset)!.fired.length)).toEqual([1, 0, 1, 1, 0]);
});

it('a channel without device tokens has no device facts', () => {
  const log = new LogBuilder();
  const sessions = { idleMs: 1, absoluteMs: 1, sessions: 'optional' } as const;
  log.settings({ channels: { 1: { ...sessions, device: 'none' }, 2: sessions } });
  log.policy(showing('device.reported'));
  const without = log.login('ana', { data: '' });
  const logout = log.logout('ana');
  const other = log.login('ana', { channelId: 2, data: '' });
  const { decisions } = run(log.records);
  expect([without, logout, other].map((offset) => shownBy(decisions.get(offset)))).toEqual([
    {},
    {},
    { 'device.reported': 'false' },
  ]);
});

describe('the memory of tokens', () => {
  it('covers the validity of a token, and forgets older ones', () => {
    const memory = new TokenMemory();
    for (let at = 0; at < 10; at++) memory.note(`n${at}`, at * 10 * minuteMs);
    const nowMs = 90 * minuteMs;
    const known = Array.from({ length: 10 }, (_, at) => memory.has(`n${at}`, nowMs));
    expect(known).toEqual(Array.from({ length: 10 }, (_, at) => nowMs - at * 10 * minuteMs < tokenReachMs));
    expect(memory.halves.before.size + memory.halves.present.size).toBeLessThan(10);
  });

  it('stays within its bound, and always contains the newest half of it', () => {
    const memory = new TokenMemory();
    for (let at = 0; at < 3 * tokensMax; at++) memory.note(`n${at}`, at);
    expect(memory.halves.before.size + memory.halves.present.size).toBeLessThanOrEqual(tokensMax);
    const nowMs = 3 * tokensMax;
    expect(memory.has(`n${nowMs - tokensMax / 2}`, nowMs)).toBe(true);
    expect(memory.has('n0', nowMs)).toBe(false);
  });

  it('does not change the snapshot of a log without tokens', () => {
    const { globals } = checkpointOf(newState({ complete: true }));
    const state = newState({ complete: true });
    state.tokens.note('n', 1);
    expect(checkpointOf(state).globals.length).toBeGreaterThan(globals.length);
    expect(checkpointOf(restoreState(globals, undefined, { complete: true })).globals).toEqual(globals);
  });
});
