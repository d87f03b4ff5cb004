import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { LogBuilder, run, showing, shownBy } from '../log-builder.ts';

type Shown = Readonly<Record<string, string>>;

/** The facts that the last event of a history sees. */
function seenLast(paths: readonly string[], history: (log: LogBuilder) => number): Shown {
  const log = new LogBuilder();
  log.settings();
  log.policy(showing(...paths));
  const offset = history(log);
  log.wait(minuteMs).tick();
  return shownBy(run(log.records).decisions.get(offset));
}

const session = [
  'session.active',
  'session.age',
  'session.idle',
  'session.logins',
  'session.operations',
  'session.ip',
  'session.ipChanged',
  'session.closedBy',
  'session.closedFor',
];

const nothingRemembered = {
  'session.active': 'false',
  'session.logins': '0',
  'session.operations': '0',
  'session.ipChanged': 'false',
  'session.closedBy': 'none',
};

describe('facts of the session', () => {
  it.each<[string, (log: LogBuilder) => number, Shown]>([
    [
      'on the login that opens it',
      (log) => log.login('ana', { session: 's1', ip: '192.0.2.1' }),
      {
        'session.active': 'false',
        'session.age': '0s',
        'session.idle': '0s',
        'session.logins': '1',
        'session.operations': '0',
        'session.ip': '192.0.2.1',
        'session.ipChanged': 'false',
        'session.closedBy': 'none',
      },
    ],
    [
      'on a login from another address into it',
      (log) => {
        log.login('ana', { session: 's1', ip: '192.0.2.1' });
        log.wait(minuteMs).operation('ana', { session: 's1' });
        return log.wait(minuteMs).login('ana', { session: 's1', ip: '192.0.2.2' });
      },
      {
        'session.active': 'true',
        'session.age': '2m',
        'session.idle': '1m',
        'session.logins': '2',
        'session.operations': '1',
        'session.ip': '192.0.2.1',
        'session.ipChanged': 'true',
        'session.closedBy': 'none',
      },
    ],
    [
      'on the second operation in it',
      (log) => {
        log.login('ana', { session: 's1', ip: '192.0.2.1' });
        log.wait(minuteMs).operation('ana', { session: 's1' });
        return log.wait(secondMs).operation('ana', { session: 's1' });
      },
      {
        'session.active': 'true',
        'session.age': '1m1s',
        'session.idle': '1s',
        'session.logins': '1',
        'session.operations': '2',
        'session.ip': '192.0.2.1',
        'session.ipChanged': 'false',
        'session.closedBy': 'none',
      },
    ],
    [
      'on an operation after its logout',
      (log) => {
        log.login('ana', { session: 's1', ip: '192.0.2.1' });
        log.wait(minuteMs).logout('ana', { session: 's1' });
        return log.wait(secondMs).operation('ana', { session: 's1' });
      },
      {
        'session.active': 'false',
        'session.age': '1m1s',
        'session.idle': '1s',
        'session.logins': '1',
        'session.operations': '0',
        'session.ip': '192.0.2.1',
        'session.ipChanged': 'false',
        'session.closedBy': 'logout',
        'session.closedFor': '1s',
      },
    ],
    [
      'on an operation after idle expiry',
      (log) => {
        log.login('ana', { session: 's1', ip: '192.0.2.1' });
        return log.wait(hourMs).operation('ana', { session: 's1' });
      },
      {
        'session.active': 'false',
        'session.age': '1h',
        'session.idle': '1h',
        'session.logins': '1',
        'session.operations': '0',
        'session.ip': '192.0.2.1',
        'session.ipChanged': 'false',
        'session.closedBy': 'idle',
        'session.closedFor': '30m',
      },
    ],
    [
      'on a login that reopens it, about how it ended before',
      (log) => {
        log.login('ana', { session: 's1', ip: '192.0.2.1' });
        log.wait(minuteMs).logout('ana', { session: 's1' });
        return log.wait(minuteMs).login('ana', { session: 's1', ip: '192.0.2.2' });
      },
      {
        'session.active': 'false',
        'session.age': '0s',
        'session.idle': '0s',
        'session.logins': '1',
        'session.operations': '0',
        'session.ip': '192.0.2.2',
        'session.ipChanged': 'false',
        'session.closedBy': 'logout',
        'session.closedFor': '1m',
      },
    ],
    [
      'on a logout from another address',
      (log) => {
        log.login('ana', { session: 's1', ip: '192.0.2.1' });
        return log.wait(minuteMs).logout('ana', { session: 's1', ip: '192.0.2.2' });
      },
      {
        'session.active': 'true',
        'session.age': '1m',
        'session.idle': '1m',
        'session.logins': '1',
        'session.operations': '0',
        'session.ip': '192.0.2.1',
        'session.ipChanged': 'true',
        'session.closedBy': 'none',
      },
    ],
    [
      'on an operation older than the login that it waited for: durations are never negative',
      (log) => {
        const operation = log.operation('ana', { session: 's1' });
        log.wait(3 * secondMs).login('ana', { session: 's1', ip: '192.0.2.1' });
        return operation;
      },
      {
        'session.active': 'true',
        'session.age': '0s',
        'session.idle': '0s',
        'session.logins': '1',
        'session.operations': '1',
        'session.ip': '192.0.2.1',
        'session.ipChanged': 'false',
        'session.closedBy': 'none',
      },
    ],
    ['where none is remembered', (log) => log.logout('ana', { session: 's1' }), nothingRemembered],
  ])('%s', (_, history, expected) => {
    expect(seenLast(session, history)).toEqual(expected);
  });
});

describe('the age of a session', () => {
  const paths = ['session.age', 'session.openedAt'];

  it.each([
    ['of an operation that was made before its login', { statedMs: -hourMs }, undefined],
    ['of an operation whose time is more than a day old', { statedMs: -25 * hourMs }, undefined],
    ['of an operation by a clock that is 2 minutes behind', { statedMs: -2 * minuteMs }, '0s'],
    ['of an operation by a clock that is 2 minutes ahead', { statedMs: 2 * minuteMs }, '10s'],
  ])('%s', (_, options, age) => {
    const shown = seenLast(paths, (log) => {
      log.login('ana', { session: 's1' });
      return log.wait(10 * secondMs).operation('ana', { session: 's1', ...options });
    });
    expect(shown['session.age']).toBe(age);
  });

  it('runs from the own time of a login that was reported late', () => {
    const shown = seenLast(paths, (log) => {
      log.login('ana', { session: 's1', statedMs: -3 * hourMs });
      return log.wait(10 * secondMs).operation('ana', { session: 's1', statedMs: -2 * hourMs });
    });
    expect(shown).toEqual({ 'session.age': '1h10s', 'session.openedAt': '2025-10-09T05:53:20Z' });
  });
});

describe('the subnet of a session', () => {
  const paths = ['ip.subnet', 'session.subnet', 'session.subnetChanged', 'session.ipChanged'];
  const seen = (first: string, ...then: readonly string[]): Shown =>
    seenLast(paths, (log) => {
      log.login('ana', { session: 's1', ip: first });
      for (const ip of then) log.wait(minuteMs).login('ana', { session: 's1', ip });
      return log.wait(minuteMs).operation('ana', { session: 's1' });
    });

  it('is the same for all addresses of one /64', () => {
    expect(seen('2001:db8:1:2::7', '2001:db8:1:2:abcd::9')).toEqual({
      'ip.subnet': '2001:db8:1:2::/64',
      'session.subnet': '2001:db8:1:2::/64',
      'session.subnetChanged': 'false',
      'session.ipChanged': 'true',
    });
  });

  it('has changed once a login came from another one, even if the next comes from the first again', () => {
    expect(seen('203.0.113.7', '203.0.113.8', '203.0.113.7')).toEqual({
      'ip.subnet': '203.0.113.7/32',
      'session.subnet': '203.0.113.7/32',
      'session.subnetChanged': 'true',
      'session.ipChanged': 'true',
    });
  });

  it('is missing where publicIp is no address', () => {
    expect(seen('unknown', '203.0.113.7')).toEqual({
      'ip.subnet': '203.0.113.7/32',
      'session.subnetChanged': 'false',
      'session.ipChanged': 'true',
    });
  });

  it('and its address are compared in canonical form with a session of an earlier version', () => {
    expect(seen('::ffff:203.0.113.7', '203.0.113.7')['session.ipChanged']).toBe('false');
  });
});

const client = [
  'client.id',
  'client.known',
  'client.firstSeen',
  'client.lastSeen',
  'client.logins',
  'client.operations',
  'client.sessionsOpen',
];

describe('facts of the client', () => {
  it.each<[string, (log: LogBuilder) => number, Shown]>([
    [
      'on the first event',
      (log) => log.login('ana', { session: 's1' }),
      {
        'client.id': 'ana',
        'client.known': 'false',
        'client.firstSeen': '0s',
        'client.logins': '1',
        'client.operations': '0',
        'client.sessionsOpen': '1',
      },
    ],
    [
      'on later events',
      (log) => {
        log.login('ana', { session: 's1' });
        log.wait(minuteMs).login('ana', { session: 's2', channelId: 2 });
        return log.wait(secondMs).operation('ana', { session: 's1' });
      },
      {
        'client.id': 'ana',
        'client.known': 'true',
        'client.firstSeen': '1m1s',
        'client.lastSeen': '1s',
        'client.logins': '2',
        'client.operations': '1',
        'client.sessionsOpen': '2',
      },
    ],
    [
      'on the logout of one of two sessions',
      (log) => {
        log.login('ana', { session: 's1' });
        log.wait(minuteMs).login('ana', { session: 's2' });
        return log.logout('ana', { session: 's1' });
      },
      {
        'client.id': 'ana',
        'client.known': 'true',
        'client.firstSeen': '1m',
        'client.lastSeen': '0s',
        'client.logins': '2',
        'client.operations': '0',
        'client.sessionsOpen': '1',
      },
    ],
    ['where the event names none', (log) => log.operation(undefined), {}],
  ])('%s', (_, history, expected) => {
    expect(seenLast(client, history)).toEqual(expected);
  });
});

const event = [
  'event.kind',
  'event.timeStated',
  'event.at',
  'event.loggedAt',
  'payee.id',
  'device.reported',
  'order.amount',
  'timestamp',
];

describe('facts of the event', () => {
  it.each<[string, number, readonly [string, string]]>([
    ['a day before its arrival', -24 * hourMs, ['2025-10-08T08:53:20Z', 'true']],
    ['more than a day before', -24 * hourMs - 1, ['2025-10-09T08:53:20Z', 'false']],
    ['five minutes after its arrival', 5 * minuteMs, ['2025-10-09T08:53:20Z', 'true']],
    ['more than five minutes after', 5 * minuteMs + 1, ['2025-10-09T08:53:20Z', 'false']],
  ])('of an operation dated %s', (_, statedMs, [atText, stated]) => {
    const shown = seenLast(event, (log) => log.operation(undefined, { statedMs, amount: '10.10', payee: '7' }));
    expect(shown).toMatchObject({
      'event.kind': 'operation',
      'event.at': atText,
      'event.loggedAt': '2025-10-09T08:53:20Z',
      'event.timeStated': stated,
      'payee.id': 'B1/7',
      'order.amount': '10.1',
    });
  });

  it('of a login, which has no time of its own', () => {
    const shown = seenLast(event, (log) => log.login('ana', { data: '' }));
    expect(shown).toEqual({
      'event.kind': 'login',
      'event.at': '2025-10-09T08:53:20Z',
      'event.loggedAt': '2025-10-09T08:53:20Z',
      'event.timeStated': 'false',
      'device.reported': 'false',
    });
  });
});

describe('whether the time of an event is known', () => {
  const paths = ['event.timeKnown', 'event.hour', 'event.weekday'];
  /** The history begins on Thursday, 2025-10-09, at 08:53:20 UTC. */
  const known = { 'event.timeKnown': 'true', 'event.hour': '8', 'event.weekday': '4' };

  it.each([
    ['a plausible time', 0, known],
    ['a clock that is a little ahead', minuteMs, known],
    ['more than a day ago', -25 * hourMs, { 'event.timeKnown': 'false' }],
    ['far ahead', hourMs, { 'event.timeKnown': 'false' }],
  ])('%s', (_, statedMs, expected) => {
    expect(seenLast(paths, (log) => log.operation('ana', { statedMs }))).toEqual(expected);
    expect(seenLast(paths, (log) => log.login('ana', { statedMs }))).toEqual(expected);
  });

  it.each([
    ['2025-10-09', known],
    ['20251009', known],
    ['2025-10-08', { 'event.timeKnown': 'false' }],
  ])('the day alone: %s', (day, expected) => {
    expect(seenLast(paths, (log) => log.operation('ana', { day }))).toEqual(expected);
  });

  it('a login that states no time is sent as it happens', () => {
    expect(seenLast(paths, (log) => log.login('ana'))).toEqual(known);
  });
});
