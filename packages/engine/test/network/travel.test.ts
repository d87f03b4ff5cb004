import { type Enrichment, hourMs, minuteMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import { familiarNetworksMax } from '../../src/limits.ts';
import { arcSine, kmBetween, sine } from '../../src/network/distance.ts';
import { LogBuilder, run, showing, shownBy } from '../log-builder.ts';

const mexicoCity = { 'ip.latitude': 19.43, 'ip.longitude': -99.13, 'ip.accuracyKm': 50, 'ip.country': 'MX' };
const madrid = { 'ip.latitude': 40.42, 'ip.longitude': -3.7, 'ip.accuracyKm': 50, 'ip.country': 'ES' };
/** Located by the centre of the country only. */
const unitedStates = { 'ip.latitude': 44.7, 'ip.longitude': -103.2, 'ip.accuracyKm': 4_460, 'ip.country': 'US' };

function travelled(from: Enrichment['facts'], to: Enrichment['facts'], ms: number): Readonly<Record<string, string>> {
  const log = new LogBuilder();
  log.settings();
  log.policy(showing('travel.km', 'travel.hours', 'travel.kmh', 'travel.impossible'));
  log.login('ana', { facts: from });
  const second = log.wait(ms).login('ana', { facts: to });
  return shownBy(run(log.records).decisions.get(second));
}

describe('travel between two logins', () => {
  it('is impossible if nothing travels so fast', () => {
    expect(travelled(mexicoCity, madrid, 2 * hourMs)).toEqual({
      'travel.km': '9063',
      'travel.hours': '2',
      'travel.kmh': '4481',
      'travel.impossible': 'true',
    });
  });

  it('is possible in an airliner', () => {
    expect(travelled(mexicoCity, madrid, 11 * hourMs)).toMatchObject({ 'travel.impossible': 'false' });
  });

  it('is as short as the uncertainty of both places allows', () => {
    expect(travelled(mexicoCity, unitedStates, minuteMs)).toMatchObject({
      'travel.km': '2835',
      'travel.kmh': '0',
      'travel.impossible': 'false',
    });
  });

  it.each([{ 'ip.anonymous': true }, { 'ip.hosting': true }])('ignores a login with %j', (flag) => {
    expect(travelled(mexicoCity, { ...madrid, ...flag }, minuteMs)).toEqual({});
    expect(travelled({ ...mexicoCity, ...flag }, madrid, minuteMs)).toEqual({});
  });

  it('counts the times of the events when a backend reports them together after an outage', () => {
    const log = new LogBuilder();
    log.settings();
    log.policy(showing('travel.hours', 'travel.impossible'));
    log.login('ana', { facts: mexicoCity, statedMs: -13 * hourMs });
    const second = log.login('ana', { facts: madrid, statedMs: -hourMs });
    const third = log.login('ana', { facts: mexicoCity, statedMs: -30 * minuteMs });
    const { decisions } = run(log.records);
    expect(shownBy(decisions.get(second))).toEqual({ 'travel.hours': '12', 'travel.impossible': 'false' });
    expect(shownBy(decisions.get(third))).toEqual({ 'travel.hours': '0.5', 'travel.impossible': 'true' });
  });

  it('is the same in both directions, and continues from the latest of the logins', () => {
    const log = new LogBuilder();
    log.settings();
    log.policy(showing('travel.hours', 'travel.impossible'));
    log.login('ana', { facts: madrid });
    const earlier = log.login('ana', { facts: mexicoCity, statedMs: -12 * hourMs });
    const after = log.wait(minuteMs).login('ana', { facts: madrid });
    const { decisions } = run(log.records);
    expect(shownBy(decisions.get(earlier))).toEqual({ 'travel.hours': '12', 'travel.impossible': 'false' });
    expect(shownBy(decisions.get(after))['travel.impossible']).toBe('false');
  });

  it.each([
    [
      'is missing to a login whose time is more than a day old: its arrival says nothing',
      -25 * hourMs,
      { 'event.timeStated': 'false' },
    ],
    ['is missing to a login whose time is far ahead', hourMs, { 'event.timeStated': 'false' }],
    [
      'counts the arrival of a login whose clock is a little ahead',
      minuteMs,
      { 'event.timeStated': 'true', 'travel.hours': '2' },
    ],
  ])('%s', (_what, statedMs, expected) => {
    const log = new LogBuilder();
    log.settings();
    log.policy(showing('event.timeStated', 'travel.hours'));
    log.login('ana', { facts: mexicoCity });
    const second = log.wait(2 * hourMs).login('ana', { facts: madrid, statedMs });
    const shown = shownBy(run(log.records).decisions.get(second));
    expect(shown).toEqual(expected);
  });

  it('is measured from the last known place', () => {
    const log = new LogBuilder();
    log.settings();
    log.policy(showing('travel.impossible'));
    log.login('ana', { facts: mexicoCity });
    log.wait(minuteMs).login('ana', { facts: { ...madrid, 'ip.anonymous': true } });
    const home = log.wait(minuteMs).login('ana', { facts: mexicoCity });
    expect(shownBy(run(log.records).decisions.get(home))).toEqual({ 'travel.impossible': 'false' });
  });
});

describe('the places of a client', () => {
  const policy = showing('ip.isNew', 'ip.networkIsNew', 'ip.countryIsNew');
  const at = (last: number, country = 'MX'): Readonly<Record<string, string>> => ({
    'ip.address': `189.203.${last >> 8}.${last & 255}`,
    'ip.network': `189.203.${last >> 8}.0/24`,
    'ip.country': country,
  });

  it('are new once, for each client', () => {
    const log = new LogBuilder();
    log.settings();
    log.policy(policy);
    const first = log.login('ana', { facts: at(1) });
    const second = log.login('ana', { facts: at(2) });
    const third = log.login('ana', { facts: at(2) });
    const abroad = log.login('ana', { facts: at(600, 'ES') });
    const ofBob = log.login('bob', { facts: at(2) });
    const { decisions, state } = run(log.records);
    const seen = [first, second, third, abroad, ofBob].map((offset) => Object.values(shownBy(decisions.get(offset))));
    expect(seen).toEqual([
      ['true', 'true', 'true'],
      ['true', 'false', 'false'],
      ['false', 'false', 'false'],
      ['true', 'true', 'true'],
      ['true', 'true', 'true'],
    ]);
    const { globals, entities } = checkpointOf(state);
    const restored = restoreState(globals, policy, { complete: true });
    supply(restored, entities);
    const next = log.login('ana', { facts: at(1) });
    expect(Object.values(shownBy(run(log.records.slice(next), restored).decisions.get(next)))).toEqual([
      'false',
      'false',
      'false',
    ]);
  });

  it('are forgotten beyond their bound, the least recently used first', () => {
    const log = new LogBuilder();
    log.settings();
    log.policy(policy);
    for (let network = 0; network <= familiarNetworksMax; network++) log.login('ana', { facts: at(network << 8) });
    const last = log.login('ana', { facts: at(familiarNetworksMax << 8) });
    const first = log.login('ana', { facts: at(0) });
    const { decisions } = run(log.records);
    expect(shownBy(decisions.get(last))).toMatchObject({ 'ip.networkIsNew': 'false' });
    expect(shownBy(decisions.get(first))).toMatchObject({ 'ip.networkIsNew': 'true' });
  });
});

describe('the distance', () => {
  it('equals that of the built-in functions', () => {
    const latitude = fc.double({ min: -90, max: 90, noNaN: true });
    const longitude = fc.double({ min: -180, max: 180, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(latitude, longitude), fc.tuple(latitude, longitude), ([a, b], [c, d]) => {
        const [phiA, phiB] = [(a * Math.PI) / 180, (c * Math.PI) / 180];
        const east = ((d - b) * Math.PI) / 180;
        const half = Math.sin((phiB - phiA) / 2) ** 2 + Math.cos(phiA) * Math.cos(phiB) * Math.sin(east / 2) ** 2;
        const km = 2 * 6_371 * Math.asin(Math.min(1, Math.sqrt(half)));
        expect(kmBetween({ latitude: a, longitude: b }, { latitude: c, longitude: d })).toBeCloseTo(km, 2);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('uses accurate sines', () => {
    for (let angle = -7; angle < 7; angle += 0.01) expect(sine(angle)).toBeCloseTo(Math.sin(angle), 10);
    for (let value = 0; value <= 1; value += 0.01) expect(arcSine(value)).toBeCloseTo(Math.asin(value), 9);
  });
});
