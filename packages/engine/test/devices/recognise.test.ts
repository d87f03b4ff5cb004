/** Which device of its client a login came from, the resulting facts, and what operations know of it. */
import { dayMs, minuteMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import { components } from '../../src/devices/components.ts';
import { log2 } from '../../src/devices/log2.ts';
import { TraitStatistics } from '../../src/devices/trait-statistics.ts';
import { knownDevicesMax, traitValuesMax } from '../../src/limits.ts';
import { LogBuilder, policyOf, run, showing, shownBy } from '../log-builder.ts';
import { type Shown, tokenFacts, traitsOf } from './device-makers.ts';

const policy = showing(
  'device.id',
  'device.match',
  'device.isNew',
  'device.changed',
  'device.keyChanged',
  'device.knownFor',
);

class Logins {
  readonly log = new LogBuilder();
  #nonce = 0;

  constructor() {
    this.log.settings();
    this.log.policy(policy);
  }

  login(user: string, shown: Omit<Shown, 'nonce'>): number {
    this.#nonce++;
    return this.log.wait(minuteMs).login(user, { facts: tokenFacts({ nonce: `n${this.#nonce}`, ...shown }) });
  }

  shown(offset: number): Readonly<Record<string, string>> {
    return shownBy(run(this.log.records).decisions.get(offset));
  }
}

const laptop = traitsOf('laptop');

describe('a device', () => {
  it('is new at first, and the same by its id and key from then on', () => {
    const logins = new Logins();
    const first = logins.login('ana', { id: 'A', key: 'k', fresh: true, components: laptop });
    const second = logins.login('ana', { id: 'A', key: 'k', components: traitsOf('quite another') });
    expect(logins.shown(first)).toMatchObject({ 'device.id': 'A', 'device.match': 'new', 'device.isNew': 'true' });
    expect(logins.shown(second)).toMatchObject({
      'device.id': 'A',
      'device.match': 'exact',
      'device.isNew': 'false',
      'device.knownFor': '1m',
    });
  });

  it.each([
    ['storage cleared', {}],
    ['another language', { languages: 'x', locale: 'x' }],
    ['an updated browser', { userAgent: 'x', features: 'x', cssFeatures: 'x', canvas: 'x' }],
    ['another screen and zoom', { screen: 'x', pixelRatio: 'x' }],
    ['all of this', { languages: 'x', locale: 'x', userAgent: 'x', features: 'x', screen: 'x', pixelRatio: 'x' }],
  ])('is recognised without its id: %s', (_, changed) => {
    const logins = new Logins();
    logins.login('ana', { id: 'A', fresh: true, components: laptop });
    const again = logins.login('ana', { id: 'B', fresh: true, components: traitsOf('laptop', changed) });
    const next = logins.login('ana', { id: 'B', components: laptop });
    const names = components.map(({ name }) => name).filter((name) => name in changed);
    expect(logins.shown(again)).toMatchObject({
      'device.id': 'A',
      'device.match': 'similar',
      ...(names.length === 0 ? {} : { 'device.changed': names.join(',') }),
    });
    // From now on it has its new id, and is the same device.
    expect(logins.shown(next)).toMatchObject({ 'device.id': 'A', 'device.match': 'exact' });
  });

  it('with other hardware is another device', () => {
    const logins = new Logins();
    logins.login('ana', { id: 'A', fresh: true, components: laptop });
    const hardware = { webgl: 'x', webglLimits: 'x', canvas: 'x', screen: 'x', hardwareConcurrency: 'x', fonts: 'x' };
    const other = logins.login('ana', {
      id: 'B',
      fresh: true,
      components: traitsOf('laptop', { ...hardware, pixelRatio: 'x', deviceMemoryGib: 'x', textMetrics: 'x' }),
    });
    expect(logins.shown(other)).toMatchObject({ 'device.id': 'B', 'device.match': 'new' });
  });

  it('of one person is never that of another, however similar they are', () => {
    const logins = new Logins();
    logins.login('ana', { id: 'A', fresh: true, components: laptop });
    const ofBob = logins.login('bob', { id: 'B', fresh: true, components: laptop });
    expect(logins.shown(ofBob)).toMatchObject({ 'device.id': 'B', 'device.match': 'new' });
  });

  it('that keeps no id is recognised by its traits', () => {
    const logins = new Logins();
    const first = logins.login('ana', { components: laptop });
    const second = logins.login('ana', { components: laptop });
    expect(logins.shown(first)).toMatchObject({ 'device.match': 'new' });
    expect(logins.shown(second)).toMatchObject({
      'device.match': 'similar',
      'device.id': logins.shown(first)['device.id'],
    });
  });

  it('is not recognised by a few common traits', () => {
    const logins = new Logins();
    const few = laptop.split(' ').slice(0, 3).join(' ');
    logins.login('ana', { id: 'A', fresh: true, components: few });
    expect(logins.shown(logins.login('ana', { components: few }))).toMatchObject({ 'device.match': 'new' });
  });
});

describe('a copied id', () => {
  it('comes with another key: another device, which is reported each time', () => {
    const logins = new Logins();
    logins.login('ana', { id: 'A', key: 'own key', fresh: true, components: laptop });
    const thief = { id: 'A', key: 'other key', components: traitsOf('the thief') };
    const first = logins.login('ana', thief);
    const second = logins.login('ana', thief);
    const own = logins.login('ana', { id: 'A', key: 'own key', components: laptop });
    expect(logins.shown(first)).toMatchObject({
      'device.id': 'A~other ke',
      'device.match': 'new',
      'device.keyChanged': 'true',
    });
    expect(logins.shown(second)).toMatchObject({ 'device.match': 'exact', 'device.keyChanged': 'true' });
    expect(logins.shown(own)).toMatchObject({ 'device.id': 'A', 'device.match': 'exact' });
  });

  it('comes without any key', () => {
    const logins = new Logins();
    logins.login('ana', { id: 'A', key: 'own key', fresh: true, components: laptop });
    const alone = logins.login('ana', { unprovedId: 'A', components: traitsOf('the thief') });
    const unknown = logins.login('ana', { unprovedId: 'C', components: traitsOf('the thief') });
    expect(logins.shown(alone)).toMatchObject({ 'device.match': 'new', 'device.keyChanged': 'true' });
    expect(logins.shown(unknown)).toMatchObject({ 'device.keyChanged': 'false' });
  });

  it('is ruled out if the browser lost its key: the traits identify the device', () => {
    const logins = new Logins();
    logins.login('ana', { id: 'A', key: 'lost', fresh: true, components: laptop });
    // The id was found in the other store, so the token does not call it fresh.
    const found = logins.login('ana', { id: 'A', key: 'made anew', components: laptop });
    const next = logins.login('ana', { id: 'A', key: 'made anew', components: laptop });
    expect(logins.shown(found)).toMatchObject({
      'device.id': 'A',
      'device.match': 'similar',
      'device.keyChanged': 'true',
    });
    expect(logins.shown(next)).toMatchObject({ 'device.match': 'exact', 'device.keyChanged': 'false' });
  });
});

describe('operations', () => {
  it('have the device and the place of the login of their session', () => {
    const log = new LogBuilder();
    log.settings();
    log.policy(showing('device.id', 'device.isNew', 'device.os', 'ip.country', 'ip.asn', 'device.trusted'));
    const facts = tokenFacts({
      nonce: 'n',
      id: 'A',
      components: laptop,
      more: { 'device.os': 'Linux', 'ip.country': 'MX', 'ip.asn': 8151 },
    });
    log.login('ana', { session: 's', facts });
    const inside = log.operation('ana', { session: 's' });
    log.login('ana', { session: 't' });
    const other = log.operation('ana', { session: 't' });
    const { decisions } = run(log.records);
    expect(shownBy(decisions.get(inside))).toEqual({
      'device.id': 'A',
      'device.isNew': 'true',
      'device.os': 'Linux',
      'device.trusted': 'false',
      'ip.country': 'MX',
      'ip.asn': '8151',
    });
    expect(shownBy(decisions.get(other))).toEqual({});
  });

  it('have them after a restart as well, and the device is still known', () => {
    const logins = new Logins();
    const at = logins.login('ana', { id: 'A', fresh: true, components: laptop });
    const before = run(logins.log.records).state;
    const { globals, entities } = checkpointOf(before);
    const restored = restoreState(globals, policy, { complete: true });
    supply(restored, entities);
    expect(checkpointOf(restored).globals).toEqual(globals);
    const operation = logins.log.operation('ana');
    const again = logins.login('ana', { components: laptop });
    const straight = run(logins.log.records);
    const resumed = run(logins.log.records.slice(at + 1), restored);
    for (const offset of [operation, again]) {
      expect(shownBy(resumed.decisions.get(offset))).toEqual(shownBy(straight.decisions.get(offset)));
    }
    expect(shownBy(resumed.decisions.get(again))).toMatchObject({ 'device.match': 'similar', 'device.id': 'A' });
    expect(checkpointOf(resumed.state).globals).toEqual(checkpointOf(straight.state).globals);
  });
});

describe('a device with an executed step-up', () => {
  const stepUp = policyOf(`
actions: { 6: { name: Step-up authentication, trusts: device }, 7: Call the client }
rules:
  - { reason: 1, name: new device, on: [login], when: device.isNew, then: [{ action: 6 }, { action: 7 }] }
  - reason: 2
    name: shows
    on: [login, operation]
    when: has(device.trusted) || !has(device.trusted)
    then: { action: 3, message: m }
    mode: shadow
`);
  const trusted = (log: LogBuilder, offset: number): unknown =>
    run(log.records)
      .decisions.get(offset)!
      .fired.find(({ reason }) => reason === 2)?.facts['device.trusted'];

  it.each([
    [0, 'executed', 'true'],
    [0, 'notExecuted', 'false'],
    [1, 'executed', 'false'],
  ] as const)('action %i %s: trusted is %s', (position, result, is) => {
    const log = new LogBuilder();
    log.settings();
    log.policy(stepUp);
    const facts = (nonce: string): ReturnType<typeof tokenFacts> =>
      tokenFacts({ nonce, id: 'A', key: 'k', components: laptop });
    const first = log.login('ana', { facts: facts('a') });
    const before = log.operation('ana');
    log.outcome('ana', { offset: first, reason: 1, position, action: 6 + position, result });
    const after = log.operation('ana');
    const next = log.login('ana', { facts: facts('b') });
    const other = log.login('ana', { facts: tokenFacts({ nonce: 'c', id: 'B', fresh: true, components: laptop }) });
    const again = log.login('ana', { facts: tokenFacts({ nonce: 'd', id: 'B', components: laptop }) });
    expect([first, before].map((offset) => trusted(log, offset))).toEqual(['false', 'false']);
    expect([after, next].map((offset) => trusted(log, offset))).toEqual([is, is]);
    // Only similar, and with another id from then on: not trusted.
    expect([other, again].map((offset) => trusted(log, offset))).toEqual(['false', 'false']);
  });
});

describe('a step-up', () => {
  const asked = policyOf(`
actions: { 6: { name: Step-up authentication, trusts: device } }
rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > 1000, then: { action: 6 } }
  - reason: 2
    name: shows
    on: [login]
    when: has(device.trusted)
    then: { action: 3, message: m }
    mode: shadow
`);

  it.each(['immediately', 'after a restart'])('makes the device that it was meant for trusted, %s', (when) => {
    const log = new LogBuilder();
    log.settings();
    log.policy(asked);
    const login = (id: string, session: string): number =>
      log.wait(minuteMs).login('ana', {
        session,
        facts: tokenFacts({ nonce: `${id}${session}`, id, key: id, components: traitsOf(id) }),
      });
    login('A', 's');
    const operation = log.operation('ana', { session: 's', amount: '5000' });
    login('B', 's');
    const before = log.records.length;
    log.outcome('ana', { offset: operation, reason: 1, position: 0, action: 6, result: 'executed' });
    const [first, second] = [login('A', 't'), login('B', 'u')];
    const { globals, entities } = checkpointOf(run(log.records.slice(0, before)).state);
    const restored = restoreState(globals, asked, { complete: true });
    supply(restored, entities);
    const { decisions } = when === 'at once' ? run(log.records) : run(log.records.slice(before), restored);
    expect([first, second].map((offset) => shownBy(decisions.get(offset))['device.trusted'])).toEqual([
      'true',
      'false',
    ]);
  });
});

describe('bounds and learning', () => {
  it('bound the devices of a client, and drop the least recently used', () => {
    const logins = new Logins();
    for (let at = 0; at <= knownDevicesMax; at++) logins.login('ana', { id: `D${at}`, components: traitsOf(`d${at}`) });
    const last = logins.login('ana', { id: `D${knownDevicesMax}` });
    const first = logins.login('ana', { id: 'D0' });
    expect(logins.shown(last)).toMatchObject({ 'device.match': 'exact' });
    expect(logins.shown(first)).toMatchObject({ 'device.match': 'new' });
  });

  it('remove the devices of an erased client', () => {
    const logins = new Logins();
    logins.login('ana', { id: 'A', components: laptop });
    logins.log.append({ kind: 'erase', subject: 'subject of ana' });
    expect(logins.shown(logins.login('ana', { id: 'A', components: laptop }))).toMatchObject({ 'device.match': 'new' });
  });

  it('weigh widely shared values less, and stable traits more', () => {
    const statistics = new TraitStatistics();
    const traits = components.map((_, place) => place + 1);
    const before = [statistics.sharedOf(0, 1), statistics.keptOf(0)] as const;
    for (let at = 0; at < 1_000; at++) {
      statistics.noteDevice(traits);
      statistics.noteAgain(traits, traits);
    }
    expect(statistics.sharedOf(0, 1)).toBeGreaterThan(before[0]);
    expect(statistics.sharedOf(0, 2)).toBeLessThan(before[0]);
    expect(statistics.keptOf(0)).toBeGreaterThan(before[1]);
  });

  it('bound the counted values of a trait', () => {
    const statistics = new TraitStatistics();
    for (let at = 1; at < 5 * traitValuesMax; at++) statistics.noteDevice(components.map(() => at));
    for (const { values } of statistics.counts) expect(values.size).toBeLessThanOrEqual(traitValuesMax);
  });

  it('use accurate logarithms', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (value) => {
        expect(log2(value)).toBeCloseTo(Math.log2(value), 8);
      }),
      { seed: 1 },
    );
  });
});

it('a day later a device has been known for a day', () => {
  const logins = new Logins();
  logins.login('ana', { id: 'A' });
  logins.log.wait(dayMs - minuteMs);
  expect(logins.shown(logins.login('ana', { id: 'A' }))).toMatchObject({ 'device.knownFor': '1d' });
});
