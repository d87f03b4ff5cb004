import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import type { SessionMismatch } from '../../src/effect.ts';
import { graceMs, LogBuilder, run, showing } from '../log-builder.ts';

interface Case {
  readonly name: string;
  /** Writes a log and returns the offset of the operation under test. */
  readonly history: (log: LogBuilder) => number;
  readonly expected: 'matched' | SessionMismatch;
  /** How long after its arrival the operation is decided; by default immediately. */
  readonly afterMs?: number;
}

const cases: readonly Case[] = [
  {
    name: 'in its session',
    history: (log) => (log.login('ana', { session: 's1' }), log.wait(secondMs).operation('ana', { session: 's1' })),
    expected: 'matched',
  },
  {
    name: 'without a session, after a login without one',
    history: (log) => (log.login('ana'), log.wait(secondMs).operation('ana')),
    expected: 'matched',
  },
  {
    name: 'without a session, after a login with one',
    history: (log) => (log.login('ana', { session: 's1' }), log.operation('ana')),
    expected: 'noLogin',
    afterMs: graceMs,
  },
  {
    name: 'with a session, after a login without one',
    history: (log) => (log.login('ana'), log.operation('ana', { session: 's1' })),
    expected: 'noLogin',
    afterMs: graceMs,
  },
  {
    name: 'with no login at all',
    history: (log) => log.operation('ana', { session: 's1' }),
    expected: 'noLogin',
    afterMs: graceMs,
  },
  {
    name: 'in the session of another client',
    history: (log) => (log.login('bob', { session: 's1' }), log.operation('ana', { session: 's1' })),
    expected: 'otherClient',
    afterMs: graceMs,
  },
  {
    name: 'in the session of another client who has logged out',
    history: (log) => {
      log.login('bob', { session: 's1' });
      log.wait(minuteMs).logout('bob', { session: 's1' });
      return log.wait(minuteMs).operation('ana', { session: 's1' });
    },
    expected: 'otherClient',
    afterMs: graceMs,
  },
  {
    name: 'in a session name that another client used longer ago than the maximum session life',
    history: (log) => {
      log.login('bob', { session: 's1' });
      return log.wait(12 * hourMs - graceMs).operation('ana', { session: 's1' });
    },
    expected: 'noLogin',
    afterMs: graceMs,
  },
  {
    name: 'without a session, while another client has an unnamed one',
    history: (log) => (log.login('bob'), log.operation('ana')),
    expected: 'noLogin',
    afterMs: graceMs,
  },
  {
    name: 'in its session, on another channel',
    history: (log) => (log.login('ana', { session: 's1' }), log.operation('ana', { session: 's1', channelId: 2 })),
    expected: 'otherChannel',
    afterMs: graceMs,
  },
  {
    name: 'without a session, on another channel than its unnamed one',
    history: (log) => (log.login('ana'), log.operation('ana', { channelId: 2 })),
    expected: 'otherChannel',
    afterMs: graceMs,
  },
  {
    name: 'without a session, on another channel than its ended unnamed one',
    history: (log) => {
      log.login('ana');
      log.wait(minuteMs).logout('ana');
      return log.wait(minuteMs).operation('ana', { channelId: 2 });
    },
    expected: 'noLogin',
    afterMs: graceMs,
  },
  {
    name: 'after the logout',
    history: (log) => {
      log.login('ana', { session: 's1' });
      log.wait(minuteMs).logout('ana', { session: 's1' });
      return log.wait(secondMs).operation('ana', { session: 's1' });
    },
    expected: 'closed',
    afterMs: graceMs,
  },
  {
    name: 'after the logout, dated before it, within the grace',
    history: (log) => {
      log.login('ana', { session: 's1' });
      log.wait(minuteMs).logout('ana', { session: 's1' });
      return log.wait(graceMs - 1).operation('ana', { session: 's1', statedMs: -graceMs });
    },
    expected: 'matched',
  },
  {
    name: 'after the logout, dated at the same millisecond, within the grace',
    history: (log) => {
      log.login('ana', { session: 's1' });
      log.wait(minuteMs).logout('ana', { session: 's1' });
      return log.wait(secondMs).operation('ana', { session: 's1', statedMs: -secondMs });
    },
    expected: 'matched',
  },
  {
    name: 'after the logout, dated before it, when the grace is over',
    history: (log) => {
      log.login('ana', { session: 's1' });
      log.wait(minuteMs).logout('ana', { session: 's1' });
      return log.wait(graceMs).operation('ana', { session: 's1', statedMs: -graceMs });
    },
    expected: 'closed',
    afterMs: graceMs,
  },
  {
    name: 'after the logout of the unnamed session',
    history: (log) => {
      log.login('ana');
      log.wait(minuteMs).logout('ana', { session: '' });
      return log.wait(secondMs).operation('ana');
    },
    expected: 'closed',
    afterMs: graceMs,
  },
  {
    name: 'a moment before idle expiry',
    history: (log) => (
      log.login('ana', { session: 's1' }),
      log.wait(30 * minuteMs - 1).operation('ana', { session: 's1' })
    ),
    expected: 'matched',
  },
  {
    name: 'at idle expiry',
    history: (log) => (
      log.login('ana', { session: 's1' }),
      log.wait(30 * minuteMs).operation('ana', { session: 's1' })
    ),
    expected: 'expired',
    afterMs: graceMs,
  },
  {
    name: 'in a session that another operation kept from idle expiry',
    history: (log) => {
      log.login('ana', { session: 's1' });
      log.wait(29 * minuteMs).operation('ana', { session: 's1' });
      return log.wait(29 * minuteMs).operation('ana', { session: 's1' });
    },
    expected: 'matched',
  },
  {
    name: 'at absolute expiry, however busy the session was',
    history: (log) => {
      log.login('ana', { session: 's1' });
      for (let half = 0; half < 47; half++) log.wait(15 * minuteMs).operation('ana', { session: 's1' });
      return log.wait(15 * minuteMs).operation('ana', { session: 's1' });
    },
    expected: 'expired',
    afterMs: graceMs,
  },
  {
    name: 'after the first absolute expiry, in a session that a login refreshed',
    history: (log) => {
      log.login('ana', { session: 's1' });
      for (let half = 0; half < 46; half++) log.wait(15 * minuteMs).operation('ana', { session: 's1' });
      log.wait(10 * minuteMs).login('ana', { session: 's1' });
      log.wait(10 * minuteMs).operation('ana', { session: 's1' });
      return log.wait(15 * minuteMs).operation('ana', { session: 's1' });
    },
    expected: 'matched',
  },
  {
    name: 'in a session that was closed and opened again',
    history: (log) => {
      log.login('ana', { session: 's1' });
      log.wait(minuteMs).logout('ana', { session: 's1' });
      log.wait(minuteMs).login('ana', { session: 's1' });
      return log.wait(minuteMs).operation('ana', { session: 's1' });
    },
    expected: 'matched',
  },
  {
    name: 'in the first of two concurrent sessions',
    history: (log) => {
      log.login('ana', { session: 's1' });
      log.wait(minuteMs).login('ana', { session: 's2' });
      return log.wait(minuteMs).operation('ana', { session: 's1' });
    },
    expected: 'matched',
  },
  {
    name: 'before its login, within the grace',
    history: (log) => {
      const operation = log.operation('ana', { session: 's1' });
      log.wait(graceMs - 1).login('ana', { session: 's1' });
      return operation;
    },
    expected: 'matched',
    afterMs: graceMs - 1,
  },
  {
    name: 'before its login, when the grace is over',
    history: (log) => {
      const operation = log.operation('ana', { session: 's1' });
      log.wait(graceMs).login('ana', { session: 's1' });
      return operation;
    },
    expected: 'noLogin',
    afterMs: graceMs,
  },
  {
    name: "before another client's login into that session",
    history: (log) => {
      const operation = log.operation('ana', { session: 's1' });
      log.wait(secondMs).login('bob', { session: 's1' });
      return operation;
    },
    expected: 'otherClient',
    afterMs: graceMs,
  },
  {
    name: 'without a client',
    history: (log) => log.operation(undefined, { session: 's1' }),
    expected: 'noLogin',
  },
  {
    name: "without a client, in a client's session",
    history: (log) => (log.login('bob', { session: 's1' }), log.operation(undefined, { session: 's1' })),
    expected: 'otherClient',
  },
];

describe('an operation', () => {
  it.each(cases)('$name: $expected', ({ history, expected, afterMs = 0 }) => {
    const log = new LogBuilder();
    log.settings();
    log.policy(showing('session.matched', 'session.mismatch'));
    const offset = history(log);
    const arrivedMs = log.records[offset]!.logTimeMs;
    log.wait(hourMs).tick();
    const { decisions, effects } = run(log.records);
    const decision = decisions.get(offset)!;
    const matched = expected === 'matched';
    expect(decision.session).toEqual({ matched, mismatch: matched ? undefined : expected });
    expect(decision.fired[0]?.facts).toEqual({
      'session.matched': String(matched),
      'session.mismatch': matched ? 'none' : expected,
    });
    expect(decision.atMs - arrivedMs).toBe(afterMs);
    const waits = effects.filter((effect) => effect.kind === 'waiting' && effect.offset === offset);
    expect(waits).toEqual(afterMs === 0 ? [] : [{ kind: 'waiting', offset, untilMs: arrivedMs + graceMs }]);
  });

  it('is decided immediately if the grace is 0', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    const operation = log.operation('ana', { session: 's1' });
    log.login('ana', { session: 's1' });
    const { decisions } = run(log.records);
    expect(decisions.get(operation)?.session).toEqual({ matched: false, mismatch: 'noLogin' });
  });

  it.each([
    ['without a session is decided at once', undefined, 0],
    ['that names a session waits for it', 's1', graceMs],
  ])('on a channel without sessions, %s', (_, session, afterMs) => {
    const log = new LogBuilder();
    const channel = { idleMs: hourMs, absoluteMs: hourMs, sessions: 'optional' as const };
    log.settings({ channels: { '1': channel } });
    log.policy(showing('session.required'));
    const operation = log.operation('ana', session === undefined ? {} : { session });
    log.wait(hourMs).tick();
    const decision = run(log.records).decisions.get(operation)!;
    expect(decision.atMs - log.records[operation]!.logTimeMs).toBe(afterMs);
    expect(decision.session?.matched).toBe(false);
    expect(decision.fired[0]?.facts).toEqual({ 'session.required': 'false' });
  });

  it('follows the expiry of its own channel', () => {
    const log = new LogBuilder();
    const short = { idleMs: minuteMs, absoluteMs: hourMs, sessions: 'required' as const };
    log.settings({ sessionGraceMs: 0, channels: { '2': short } });
    log.login('ana', { session: 's1', channelId: 2 });
    log.login('ana', { session: 's2' });
    log.wait(2 * minuteMs);
    const inShort = log.operation('ana', { session: 's1', channelId: 2 });
    const inLong = log.operation('ana', { session: 's2' });
    const { decisions } = run(log.records);
    expect(decisions.get(inShort)?.session?.mismatch).toBe('expired');
    expect(decisions.get(inLong)?.session?.matched).toBe(true);
  });

  it('is not matched to an expired session after settings become longer', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    log.login('ana', { session: 's1' });
    log.wait(hourMs).settings({
      sessionGraceMs: 0,
      sessionDefaults: { idleMs: 5 * hourMs, absoluteMs: 12 * hourMs, sessions: 'required' },
    });
    const operation = log.operation('ana', { session: 's1' });
    expect(run(log.records).decisions.get(operation)?.session?.mismatch).toBe('expired');
  });
});
