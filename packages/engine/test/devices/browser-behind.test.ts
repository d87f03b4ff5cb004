/** How many versions a browser is behind those that the other clients of the workspace use. */
import { dayMs, minuteMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import { BrowserVersions } from '../../src/devices/browser-versions.ts';
import { browserClientsMin, browserReachMs, browsersMax, browserVersionsMax } from '../../src/limits.ts';
import { LogBuilder, run, showing, shownBy, subjectOf } from '../log-builder.ts';
import { tokenFacts } from './device-makers.ts';

const policy = showing('device.browserBehind');

class Logins {
  readonly log = new LogBuilder();
  #nonce = 0;

  constructor() {
    this.log.settings();
    this.log.policy(policy);
  }

  login(user: string, version: number, { browser = 'Chrome', state = 'present' } = {}): number {
    this.#nonce++;
    const more = { 'device.browser': browser, 'device.browserVersion': version, 'device.state': state };
    return this.log.wait(minuteMs).login(user, { facts: tokenFacts({ nonce: `n${this.#nonce}`, more }) });
  }

  /** Logs in this many distinct clients with one version. */
  crowd(count: number, version: number, options: { browser?: string; state?: string } = {}): void {
    for (let at = 0; at < count; at++) this.login(`user ${at}`, version, options);
  }

  behind(offset: number): string | undefined {
    return shownBy(run(this.log.records).decisions.get(offset))['device.browserBehind'];
  }
}

describe('device.browserBehind', () => {
  it('counts from the newest version that ten clients use', () => {
    const logins = new Logins();
    logins.crowd(browserClientsMin - 1, 156);
    const before = logins.login('zoe', 150);
    logins.login('one more', 156);
    const [behind, same, ahead] = [150, 156, 158].map((version) => logins.login('zoe', version));
    const operation = logins.log.operation('zoe');
    expect([before, behind!, same!, ahead!, operation].map((offset) => logins.behind(offset))).toEqual([
      undefined,
      '6',
      '0',
      '0',
      '0',
    ]);
  });

  it('ignores a version of a single client, however often it logs in', () => {
    const logins = new Logins();
    logins.crowd(browserClientsMin, 156);
    for (let time = 0; time < 30; time++) logins.login('mallory', 9_999);
    for (let version = 200; version < 300; version++) logins.login('mallory', version);
    expect(logins.behind(logins.login('zoe', 155))).toBe('1');
  });

  it('ignores tokens that are not in state present', () => {
    const logins = new Logins();
    logins.crowd(browserClientsMin, 156);
    for (const state of ['stale', 'foreign']) logins.crowd(browserClientsMin, 999, { state });
    expect(logins.behind(logins.login('zoe', 155))).toBe('1');
    expect(logins.behind(logins.login('zoe', 155, { state: 'stale' }))).toBeUndefined();
  });

  it('keeps browsers apart', () => {
    const logins = new Logins();
    logins.crowd(browserClientsMin, 156);
    logins.crowd(browserClientsMin, 26, { browser: 'Safari' });
    expect(logins.behind(logins.login('zoe', 18, { browser: 'Safari' }))).toBe('8');
    expect(logins.behind(logins.login('zoe', 140, { browser: 'Firefox' }))).toBeUndefined();
  });

  it('is the same after a restart', () => {
    const logins = new Logins();
    logins.crowd(browserClientsMin, 156);
    logins.login('zoe', 12, { browser: 'Opera' });
    const { globals, entities } = checkpointOf(run(logins.log.records).state);
    const restored = restoreState(globals, policy, { complete: true });
    supply(restored, entities);
    expect(checkpointOf(restored).globals).toEqual(globals);
    const offset = logins.login('zoe', 150);
    expect(shownBy(run(logins.log.records.slice(offset), restored).decisions.get(offset))).toEqual({
      'device.browserBehind': '6',
    });
  });

  it('forgets a version that is no longer used', () => {
    const logins = new Logins();
    logins.crowd(browserClientsMin, 9_999);
    logins.log.wait(20 * dayMs);
    logins.crowd(browserClientsMin, 156);
    expect(logins.behind(logins.login('zoe', 155))).toBe('9844');
    logins.log.wait(10 * dayMs);
    expect(logins.behind(logins.login('zoe', 155))).toBe('1');
  });
});

describe('the counted versions', () => {
  const noted = (versions: BrowserVersions, version: number, user: string): void =>
    versions.note('Chrome', version, { subject: subjectOf(user), nowMs: 0 });

  it('are bounded, and those with many clients stay', () => {
    const versions = new BrowserVersions();
    for (let user = 0; user < browserClientsMin; user++) noted(versions, 156, `user ${user}`);
    for (let version = 500; version < 1_000; version++) noted(versions, version, 'mallory');
    for (let name = 0; name < 50; name++) versions.note(`browser ${name}`, 1, { subject: 's', nowMs: 1_000 });
    expect(versions.entries).toHaveLength(browsersMax);
    expect(versions.entries[0]![1].size).toBe(browserVersionsMax);
    expect(versions.behind('Chrome', 150, browserReachMs)).toBe(6);
    expect(versions.behind('Chrome', 150, browserReachMs + 1)).toBeUndefined();
  });

  it('no longer count a client that was erased', () => {
    const versions = new BrowserVersions();
    for (let user = 0; user < browserClientsMin; user++) noted(versions, 156, `user ${user}`);
    versions.forget(subjectOf('user 3'));
    expect(versions.behind('Chrome', 150, 0)).toBeUndefined();
    noted(versions, 156, 'user 11');
    expect(versions.behind('Chrome', 150, 0)).toBe(6);
  });
});
