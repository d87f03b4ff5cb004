import { describe, expect, it } from 'vitest';
import { parseAssignments } from '../../src/cli/assignments.ts';
import { check } from '../../src/platform/shapes/check.ts';
import { mergePatch } from '../../src/tenancy/workspaces/merge-patch.ts';
import { channelsShape, settingsShape } from '../../src/tenancy/workspaces/settings-shape.ts';
import type { Channel } from '../../src/tenancy/workspaces/workspace.ts';

const app: Channel = { id: 1, name: 'App', idleMinutes: 30, absoluteHours: 12, sessions: 'required' };
const withApp = { channels: new Map([[app.id, app]]) };

/** The settings that would be stored after applying the arguments to `present`. */
function settingsOf(args: readonly string[], present: unknown = {}): unknown {
  const checked = check(
    settingsShape,
    mergePatch(present, parseAssignments(args, { channels: new Map(), settings: present }, '/').settings),
  );
  return checked.ok ? checked.value : checked.mistakes.map(({ message }) => message);
}

function channelsOf(args: readonly string[]): unknown {
  const checked = check(channelsShape, parseAssignments(args, withApp, '/').channels);
  return checked.ok ? checked.value : checked.mistakes.map(({ message }) => message);
}

describe('assignments (name=value)', () => {
  it('convert the value to the type of the setting', () => {
    const args = [
      'blockHours=48',
      'timezone=Asia/Tokyo',
      'webhook.url=https://a.example/?a=b',
      'webhook.retryNotExecuted=true',
    ];
    expect(settingsOf(args)).toMatchObject({
      blockHours: 48,
      timezone: 'Asia/Tokyo',
      webhook: { url: 'https://a.example/?a=b', retryNotExecuted: true },
    });
  });

  it('accept a comma-separated list', () => {
    expect(settingsOf(['deviceOrigins=https://bank.example, android:com.bank.app'])).toMatchObject({
      deviceOrigins: ['https://bank.example', 'android:com.bank.app'],
    });
    expect(settingsOf(['deviceOrigins='], { deviceOrigins: ['https://bank.example'] })).not.toHaveProperty(
      'deviceOrigins',
    );
  });

  it('set a member of a mapping and keep the other members', () => {
    const present = {
      webhook: { url: 'https://a.example/', expiryMinutes: { 1: 5 } },
      rateLimit: { perSecond: 1, burst: 2 },
    };
    expect(settingsOf(['webhook.expiryMinutes.2=10', 'rateLimit.burst=9'], present)).toMatchObject({
      webhook: { url: 'https://a.example/', expiryMinutes: { 1: 5, 2: 10 } },
      rateLimit: { perSecond: 1, burst: 9 },
    });
  });

  it('restore the default if the value is empty', () => {
    expect(
      settingsOf(['blockHours=', 'webhook='], { blockHours: 1, webhook: { url: 'https://a.example/' } }),
    ).toMatchObject({ blockHours: 24 });
    expect(settingsOf(['webhook='], { webhook: { url: 'https://a.example/' } })).not.toHaveProperty('webhook');
  });

  it('turn lagMax on and off', () => {
    expect(settingsOf(['lagMax=30'])).toMatchObject({ lagMax: 30 });
    expect(settingsOf(['lagMax='], { lagMax: 30 })).not.toHaveProperty('lagMax');
    expect(settingsOf(['lagMax=4'])).toEqual([expect.stringContaining('a whole number of seconds from 5 to 3600')]);
  });

  it('remove a mapping together with its last member', () => {
    const present = { rateLimit: { perSecond: 1, burst: 2 }, webhook: { url: 'https://a.example/' } };
    const cleared = settingsOf(['rateLimit.perSecond=', 'rateLimit.burst='], present);
    expect(cleared).toMatchObject({ webhook: { url: 'https://a.example/' } });
    expect(cleared).not.toHaveProperty('rateLimit');
    expect(settingsOf(['rateLimit.perSecond=', 'rateLimit.burst='])).not.toHaveProperty('rateLimit');
    expect(settingsOf(['rateLimit.burst='], present)).toEqual([expect.stringContaining('rateLimit.burst is missing')]);
  });

  it('report an invalid value together with the input', () => {
    expect(settingsOf(['blockHours=never'])).toEqual([
      'blockHours: expected a whole number of hours from 1 to 8760, found "never"',
    ]);
    expect(settingsOf(['webhook.ulr=x'])).toContain('webhook.ulr is not known; did you mean "url"?');
  });

  it.each(['timezone', '=x', 'channel=x', 'channel.one=x', 'channel.1.a.b=x'])(
    'refuse the invalid assignment %s',
    (arg) => {
      expect(() => parseAssignments([arg], { channels: new Map() }, '/')).toThrow('expected ');
    },
  );
});

describe('channels', () => {
  it('are added, changed and removed individually', () => {
    expect(channelsOf(['channel.2=Web', 'channel.2.sessions=optional', 'channel.1.idleMinutes=5'])).toEqual([
      { ...app, idleMinutes: 5 },
      { id: 2, name: 'Web', idleMinutes: 30, absoluteHours: 12, sessions: 'optional' },
    ]);
    expect(channelsOf(['channel.1='])).toEqual([]);
  });

  it('stay unchanged if no argument names a channel', () => {
    expect(parseAssignments(['blockHours=1'], withApp, '/').channels).toBeUndefined();
  });
});
