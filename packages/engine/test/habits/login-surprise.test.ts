import { dayMs, hourMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EverybodysLogins } from '../../src/habits/everybodys-logins.ts';
import { LoginHabits } from '../../src/habits/login-habits.ts';
import { loginSurprise } from '../../src/habits/login-surprise.ts';
import { shownLogin, type ShownLogin } from '../../src/habits/shown-login.ts';
import { everybodysCells, everybodysLoginsMax, habitLoginsMax } from '../../src/limits.ts';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import { clientVersion } from '../../src/store/checkpoint/client-codec.ts';
import { LogBuilder, policyOf, run, showing, shownBy, subjectOf } from '../log-builder.ts';
import { tokenFacts } from '../devices/device-makers.ts';

const parts = ['Place', 'Software', 'Hour'].map((part) => `client.loginSurprise${part}`);
const paths = ['client.loginSurprise', ...parts];
const policy = showing(...paths);

interface LoginFrom {
  readonly country?: string;
  readonly asn?: number;
  readonly address?: string;
  readonly os?: string;
  readonly browser?: string;
  readonly state?: string;
}

/** A bank whose clients log in once a day at noon, from one network each, with an Android phone. */
class Bank {
  readonly log = new LogBuilder();
  #nonce = 0;

  constructor(of = policy) {
    this.log.settings();
    this.log.policy(of);
    this.log.wait(dayMs - (this.log.nowMs % dayMs) + 12 * hourMs);
  }

  login(user: string, from: LoginFrom = {}, nonce = `n${this.#nonce++}`): number {
    const { country = 'MX', asn = 1, address = '203.0.113.7', os = 'Android', browser = 'Chrome', state } = from;
    const place = { 'ip.country': country, 'ip.asn': asn, 'ip.address': address };
    const software = { 'device.os': os, 'device.browser': browser, 'device.userAgent': `${browser}/1` };
    const token = state === undefined ? tokenFacts({ nonce, more: software }) : { 'device.state': state };
    return this.log.login(user, { facts: { ...place, ...token } });
  }

  /** Every client logs in on each of these days. */
  days(count: number, clients = 10): void {
    for (let day = 0; day < count; day++) {
      this.log.wait(dayMs);
      for (let at = 0; at < clients; at++) this.login(`client ${at}`, { asn: 1 + (at % 2) });
    }
  }

  bits(offset: number): Readonly<Record<string, number>> {
    const shown = shownBy(run(this.log.records).decisions.get(offset));
    return Object.fromEntries(Object.entries(shown).map(([path, text]) => [path, Number(text)]));
  }
}

function shown(chain: readonly number[], hour = 12): ShownLogin {
  return { place: chain, software: undefined, hour };
}

describe('client.loginSurprise', () => {
  it('is below 0 for a usual login, and the sum of its parts', () => {
    const bank = new Bank();
    bank.days(20);
    const usual = bank.bits(bank.log.wait(dayMs) && bank.login('client 0'));
    expect(usual['client.loginSurprise']).toBeLessThan(0);
    const sum = parts.reduce((total, path) => total + usual[path]!, 0);
    expect(usual['client.loginSurprise']).toBeCloseTo(sum, 1);
  });

  it('grows with each thing that the client never shows', () => {
    const bank = new Bank();
    bank.days(20);
    bank.log.wait(dayMs);
    const bitsOf = (from: LoginFrom): number => bank.bits(bank.login('client 0', from))['client.loginSurprise']!;
    const logins: readonly LoginFrom[] = [
      {},
      { asn: 1, address: '203.0.113.99' },
      { asn: 77, address: '198.51.100.1' },
      { asn: 78, address: '198.51.100.2', os: 'Windows' },
      { country: 'NG', asn: 79, address: '198.51.100.3', os: 'Linux' },
    ];
    const bits = logins.map(bitsOf);
    expect(bits).toEqual(bits.toSorted((a, b) => a - b));
    expect(bits.at(-1)! - bits[0]!).toBeGreaterThan(10);
  });

  it('equals the formula by hand', () => {
    const [own, everybody] = [new LoginHabits(), new EverybodysLogins()];
    const home = shown([2, 3, 4]);
    for (let login = 0; login < 8; login++) own.note(home);
    for (let login = 0; login < 92; login++) everybody.note(shown([2, 30 + (login % 4), 40 + login], 9));
    for (let login = 0; login < 8; login++) everybody.note(home);
    const share = (count: number, of: number): number => (count + 0.5) / (of + 1);
    const bits = (ownCount: number, ofOwn: number, all: number): number =>
      Math.log2(Math.sqrt(all) / ((ownCount + 0.5 * all) / (ofOwn + 0.5)));
    // The country is the client's; the network is not, so the address within it is compared with everybody's only.
    const place = bits(8, 8, share(100, 100)) + bits(0, 8, share(23, 100)) + 0.25 * bits(0, 0, share(1, 23));
    const hour = 0.5 * bits(0, 8, share(92, 100));
    const found = loginSurprise(shown([2, 30, 40], 9), own, everybody)!;
    expect(found.place).toBeCloseTo(place, 1);
    expect(found.hour).toBeCloseTo(hour, 1);
    expect(found.software).toBeUndefined();
    expect(found.total).toBeCloseTo(place + hour, 1);
  });

  it('takes an hour earlier or later for the same, also at midnight', () => {
    const [own, everybody] = [new LoginHabits(), new EverybodysLogins()];
    for (let login = 0; login < 9; login++) for (const counts of [own, everybody]) counts.note(shown([1], 23));
    const hours = [22, 23, 0].map((hour) => loginSurprise(shown([1], hour), own, everybody)!.hour);
    expect(new Set(hours).size).toBe(1);
    expect(loginSurprise(shown([1], 1), own, everybody)!.hour).toBeGreaterThan(hours[0]!);
  });

  it('is missing on the first login of a client, and a part of which nothing is known', () => {
    const bank = new Bank();
    const first = bank.login('ana');
    const noToken = bank.log.wait(hourMs).login('ana', { facts: { 'ip.address': '203.0.113.7' } });
    const noAddress = bank.log.wait(hourMs).login('ana');
    expect(bank.bits(first)).toEqual({});
    expect(Object.keys(bank.bits(noToken)).toSorted()).toEqual([paths[0], paths[3], paths[1]]);
    expect(Object.keys(bank.bits(noAddress)).toSorted()).toEqual([paths[0], paths[3]]);
  });

  it('finds a login without valid device data surprising for a client who always has some', () => {
    const bank = new Bank();
    bank.days(20);
    const software = (offset: number): number => bank.bits(offset)['client.loginSurpriseSoftware']!;
    bank.log.wait(dayMs);
    expect(software(bank.login('client 0', { state: 'absent' }))).toBeGreaterThan(3);
    const replayed = bank.login('client 1', {}, 'again');
    expect(software(replayed)).toBeLessThan(0);
    expect(software(bank.login('client 2', {}, 'again'))).toBeGreaterThan(3);
  });

  it('takes the addresses of one IPv6 line, and of one operator, for the same', () => {
    const shownFrom = (facts: Record<string, string | number>): ShownLogin['place'] =>
      shownLogin(facts, 0, false).place;
    const line = (address: string): ShownLogin['place'] => shownFrom({ 'ip.address': address, 'ip.asn': 5 });
    expect(line('2001:db8:1:2::1')).toEqual(line('2001:db8:1:2:ffff::9'));
    expect(line('2001:db8:1:3::1')).not.toEqual(line('2001:db8:1:2::1'));
    expect(shownFrom({ 'ip.address': '1.2.3.4', 'ip.asn': 5, 'ip.network': 'a' })).toEqual(
      shownFrom({ 'ip.address': '1.2.3.4', 'ip.asn': 5, 'ip.network': 'b' }),
    );
  });

  it('reaches a payment by a feature', () => {
    const reading = policyOf(`
features:
  surprise1h: { max: client.loginSurprise, by: client.id, over: 1h, on: [login] }
rules:
  - { reason: 1, name: a payment after a surprising login, on: [operation], when: surprise1h > 5.0, then: { action: 3, message: "{{surprise1h}}" } }
`);
    const bank = new Bank(reading);
    bank.days(20);
    bank.log.wait(dayMs);
    const usual = bank.login('client 0') && bank.log.operation('client 0');
    bank.login('client 1', { country: 'NG', asn: 9, address: '198.51.100.3', os: 'Linux' });
    const odd = bank.log.operation('client 1');
    const { decisions } = run(bank.log.records);
    expect([usual, odd].map((offset) => decisions.get(offset)!.fired.length)).toEqual([0, 1]);
  });
});

describe('the habits', () => {
  it('are kept only while a policy reads them', () => {
    const bank = new Bank(showing('ip.isNew'));
    bank.days(3);
    const { state } = run(bank.log.records);
    expect(state.everybody.cells).toHaveLength(0);
    expect(state.store.client(subjectOf('client 0'))!.habits).toBeUndefined();
  });

  it('are the same after a restart, and an older form without them can be read', () => {
    const bank = new Bank();
    bank.days(20);
    const { globals, entities } = checkpointOf(run(bank.log.records).state);
    expect(entities.find(({ key }) => key.includes(subjectOf('client 0')))!.bytes![0]).toBe(clientVersion);
    const restored = restoreState(globals, policy, { complete: true });
    supply(restored, entities);
    expect(checkpointOf(restored).globals).toEqual(globals);
    bank.log.wait(dayMs);
    const offset = bank.login('client 0', { country: 'NG', asn: 9 });
    const after = shownBy(run(bank.log.records.slice(offset), restored).decisions.get(offset));
    expect(Object.keys(after)).toHaveLength(paths.length);
    expect(after).toEqual(shownBy(run(bank.log.records).decisions.get(offset)));
  });

  it('begin with an older state: nothing is known until the next login', () => {
    const bank = new Bank(showing('ip.isNew'));
    bank.days(3);
    const { globals, entities } = checkpointOf(run(bank.log.records).state);
    const restored = restoreState(globals, showing('ip.isNew'), { complete: true });
    supply(restored, entities);
    const from = bank.log.policy(policy, 2);
    const [first, second] = [
      bank.log.wait(dayMs) && bank.login('client 0'),
      bank.log.wait(dayMs) && bank.login('client 0'),
    ];
    const { decisions } = run(bank.log.records.slice(from), restored);
    expect(shownBy(decisions.get(first))).toEqual({});
    expect(Object.keys(shownBy(decisions.get(second)))).toHaveLength(paths.length);
  });

  it('are erased with their client', () => {
    const bank = new Bank();
    bank.days(3);
    bank.log.append({ kind: 'erase', subject: subjectOf('client 0') });
    expect(bank.bits(bank.login('client 0'))).toEqual({});
  });

  it('of a client are bounded, whatever it shows, and follow what is usual now', () => {
    const habits = new LoginHabits();
    for (let login = 0; login < 1_000; login++) {
      habits.note({ place: [2, 3 + login, 10_000 + login], software: [5, 20_000 + login, 6], hour: login % 24 });
      expect(habits.logins).toBeLessThan(habitLoginsMax);
      expect(habits.size).toBeLessThan(6 * habitLoginsMax);
    }
    for (let login = 0; login < 2 * habitLoginsMax; login++) habits.note(shown([7], 3));
    expect(habits.countOf(7)).toBeGreaterThan(habitLoginsMax / 2 - 1);
    expect(habits.countOf(5)).toBeLessThan(habits.countOf(7) / 2);
  });

  it('of everybody are counted in a fixed memory: never too low, and rarely too high', () => {
    const values = 4_000;
    fc.assert(
      fc.property(fc.array(fc.nat(values), { minLength: 1, maxLength: 2_000 }), (logins) => {
        const everybody = new EverybodysLogins();
        const exact = new Map<number, number>();
        for (const value of logins) {
          const hash = Math.imul(value + 1, 0x9e37_79b1);
          everybody.note({ place: [hash], software: undefined, hour: undefined });
          exact.set(hash, (exact.get(hash) ?? 0) + 1);
        }
        const errors = [...exact].map(([hash, count]) => everybody.countOf(hash) - count);
        expect(Math.min(...errors)).toBeGreaterThanOrEqual(0);
        expect(errors.filter((error) => error > 0).length).toBeLessThanOrEqual(1 + errors.length / 20);
        expect(everybody.cells).toHaveLength(2 * everybodysCells);
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it('of everybody are halved, so that they follow what is usual now', () => {
    const everybody = new EverybodysLogins();
    for (let login = 0; login < everybodysLoginsMax; login++)
      everybody.note({ place: [5], software: undefined, hour: 1 });
    expect([everybody.logins, everybody.countOf(5), everybody.hours[1]]).toEqual(
      Array.from({ length: 3 }, () => everybodysLoginsMax / 2),
    );
  });
});
