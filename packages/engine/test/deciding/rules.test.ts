import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import type { FiredRule } from '../../src/effect.ts';
import { encodeDecision } from '../../src/encode-decision.ts';
import { LogBuilder, policyOf, run } from '../log-builder.ts';

interface RuleLines {
  readonly when?: string;
  readonly actions?: string;
  readonly mode?: string;
  readonly cooldown?: string;
  readonly maxActions?: string;
}

/** A live rule for every operation, with changes for a test case. */
function rule(reason: number, lines: RuleLines = {}): string {
  const { when = 'order.amount > 0', mode = 'live', cooldown, maxActions } = lines;
  const { actions = '{ action: 3, message: "{{order.amount}} {{order.currency}}" }' } = lines;
  return [
    `  - reason: ${reason}`,
    `    name: rule ${reason}`,
    '    on: [operation]',
    `    when: ${when}`,
    `    then: ${actions}`,
    `    mode: ${mode}`,
    ...(cooldown === undefined ? [] : [`    cooldown: ${cooldown}`]),
    ...(maxActions === undefined ? [] : [`    maxActions: ${maxActions}`]),
    '',
  ].join('\n');
}

function logWith(...rules: readonly string[]): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(policyOf(`rules:\n${rules.join('')}`));
  return log;
}

describe('rules', () => {
  it('all fire if they match, in the order of their reasons, with the facts that they read', () => {
    const log = logWith(
      rule(300),
      rule(100, { when: 'order.amount > 5 && order.currency == "EUR"' }),
      rule(200, { when: 'order.amount > 50' }),
    );
    const offset = log.operation('ana', { amount: '10.50' });
    const { fired, missing } = run(log.records).decisions.get(offset)!;
    expect(fired.map(({ reason, facts }) => [reason, facts])).toEqual([
      [100, { 'order.amount': '10.5', 'order.currency': 'EUR' }],
      [300, { 'order.amount': '10.5' }],
    ]);
    expect(missing).toEqual([]);
  });

  it('fire in the order of their reasons, whatever their order in the policy', () => {
    const policy = policyOf(`rules:\n${rule(100)}${rule(200)}`);
    const log = new LogBuilder();
    log.policy({ ...policy, rules: policy.rules.toReversed() });
    const offset = log.operation('ana', { session: 's1' });
    log.wait(minuteMs).tick();
    expect(
      run(log.records)
        .decisions.get(offset)!
        .fired.map(({ reason }) => reason),
    ).toEqual([100, 200]);
  });

  it('that meet a missing fact do not match, and report it', () => {
    const log = logWith(rule(100, { when: 'account.email == "a@b.example"' }), rule(200));
    const offset = log.operation('ana');
    const { fired, missing } = run(log.records).decisions.get(offset)!;
    expect(fired.map(({ reason }) => reason)).toEqual([200]);
    expect(missing).toEqual([100]);
  });

  it('in shadow fire without actions; those that are off are not evaluated', () => {
    const log = logWith(rule(100, { mode: 'shadow' }), rule(200, { mode: 'off' }), rule(300));
    log.operation('ana');
    const { decisions, actions } = run(log.records);
    expect([...decisions.values()][0]!.fired.map(({ reason, mode }) => [reason, mode])).toEqual([
      [100, 'shadow'],
      [300, 'live'],
    ]);
    expect(actions.map(({ reason }) => reason)).toEqual([300]);
  });

  it('are not evaluated for other kinds of event', () => {
    const log = logWith(rule(100));
    const login = log.login('ana');
    expect(run(log.records).decisions.get(login)!.fired).toEqual([]);
  });

  it('request all their actions, in order, with the message filled in', () => {
    const actions =
      '[{ action: 1, message: stop }, { action: 4, message: "{{order.amount}} {{order.currency}} {{account.email}}." }]';
    const log = logWith(rule(100, { actions }));
    log.login('ana', { session: 's1' });
    const offset = log.wait(secondMs).operation('ana', { session: 's1', amount: '10.50' });
    expect(run(log.records).actions).toEqual([
      expect.objectContaining({ offset, reason: 100, position: 0, action: 1, state: 'due', message: 'stop' }),
      {
        kind: 'action',
        offset,
        reason: 100,
        position: 1,
        action: 4,
        state: 'due',
        channelId: 1,
        session: 's1',
        client: 'ana',
        subject: 'subject of ana',
        message: '10.50 EUR .',
        format: 'text',
        atMs: log.nowMs,
      },
    ]);
  });
});

describe('actions', () => {
  it('of an event without a client are not addressable', () => {
    const log = logWith(rule(100, { cooldown: '15m per client', maxActions: '1 per hour' }));
    log.operation(undefined);
    log.operation(undefined);
    const { actions } = run(log.records);
    expect(actions.map(({ state, client, session }) => [state, client, session])).toEqual([
      ['notAddressable', undefined, ''],
      ['notAddressable', undefined, ''],
    ]);
  });

  it('are only observed until the workspace goes live', () => {
    const log = logWith(rule(100, { maxActions: '1 per hour' }));
    log.settings({ sessionGraceMs: 0, deliver: 'observe' });
    log.operation('ana');
    log.operation('ana');
    log.settings({ sessionGraceMs: 0, deliver: 'live' });
    log.operation('ana');
    expect(run(log.records).actions.map(({ state }) => state)).toEqual(['observed', 'observed', 'due']);
  });

  it('beyond maxActions are capped, until earlier ones leave the window', () => {
    const log = logWith(rule(100, { maxActions: '2 per hour' }), rule(200));
    for (const waitMs of [0, 10 * minuteMs, minuteMs, 49 * minuteMs - 1, 1, 9 * minuteMs, minuteMs]) {
      log.wait(waitMs).operation('ana');
    }
    const { actions } = run(log.records);
    const states = actions.filter(({ reason }) => reason === 100).map(({ state }) => state);
    expect(states).toEqual(['due', 'due', 'held', 'held', 'due', 'held', 'due']);
    expect(actions.filter(({ reason }) => reason === 200).every(({ state }) => state === 'due')).toBe(true);
  });

  it.each([
    ['1 per minute', '3 per day'],
    ['1 per minute', '6 per day'],
    ['1 per minute per client', '3 per day per client'],
    ['[2 per minute, 1 per minute per client]', '[6 per day, 3 per day per client]'],
  ])('count towards a cap that replaced another one: %s, then %s', (before, after) => {
    const log = logWith(rule(100, { maxActions: before }));
    for (let operation = 0; operation < 6; operation++) log.wait(minuteMs).operation('ana');
    log.policy(policyOf(`rules:\n${rule(100, { maxActions: after })}`), 2);
    for (let operation = 0; operation < 4; operation++) log.wait(minuteMs).operation('ana');
    const states = run(log.records).actions.map(({ state }) => state);
    expect(states).toEqual([...Array<string>(6).fill('due'), ...Array<string>(4).fill('held')]);
  });
});

describe('a cooldown', () => {
  const fireTimes = (per: string, events: (log: LogBuilder) => void, mode = 'live'): readonly string[] => {
    const log = logWith(rule(100, { cooldown: `15m per ${per}`, mode }));
    events(log);
    const { decisions, actions } = run(log.records);
    const fired = [...decisions.values()].flatMap((decision) => decision.fired);
    expect(actions).toHaveLength(
      mode === 'live' ? fired.filter(({ suppressed }) => suppressed === undefined).length : 0,
    );
    return fired.map(({ suppressed }) => suppressed ?? 'fires');
  };

  it.each(['live', 'shadow'])('per client suppresses actions within it, in mode %s', (mode) => {
    const seen = fireTimes(
      'client',
      (log) => {
        log.operation('ana', { session: 's1' });
        log.wait(15 * minuteMs - 1).operation('ana', { session: 's2' });
        log.operation('bob', { session: 's1' });
        log.wait(1).operation('ana', { session: 's2' });
      },
      mode,
    );
    expect(seen).toEqual(['fires', 'cooldown', 'fires', 'fires']);
  });

  it('per session does not affect other sessions', () => {
    const seen = fireTimes('session', (log) => {
      log.operation('ana', { session: 's1' });
      log.operation('ana', { session: 's2' });
      log.operation('ana', { session: 's1', channelId: 2 });
      log.wait(minuteMs).operation('ana', { session: 's1' });
    });
    expect(seen).toEqual(['fires', 'fires', 'fires', 'cooldown']);
  });

  it('is not extended by firings that it suppresses', () => {
    const seen = fireTimes('client', (log) => {
      for (let event = 0; event < 5; event++) log.wait(8 * minuteMs).operation('ana');
    });
    expect(seen).toEqual(['fires', 'cooldown', 'fires', 'cooldown', 'fires']);
  });

  it('of a rule in shadow suppresses nothing once the rule is live', () => {
    const log = logWith(rule(100, { cooldown: '1h per client', mode: 'shadow' }));
    log.operation('ana');
    log.policy(policyOf(`rules:\n${rule(100, { cooldown: '1h per client' })}`), 2);
    log.wait(minuteMs).operation('ana');
    log.wait(hourMs - 1).operation('ana');
    expect(run(log.records).actions).toHaveLength(1);
  });

  it('that began while the workspace observed suppresses nothing once it delivers', () => {
    const log = logWith(rule(100, { cooldown: '1h per client' }));
    log.settings({ sessionGraceMs: 0, deliver: 'observe' });
    log.operation('ana');
    log.wait(minuteMs).operation('ana');
    log.settings({ sessionGraceMs: 0 });
    log.wait(minuteMs).operation('ana');
    log.wait(minuteMs).operation('ana');
    const { actions, decisions } = run(log.records);
    expect(actions.map(({ state }) => state)).toEqual(['observed', 'due']);
    expect([...decisions.values()].map(({ fired }) => fired[0]?.suppressed)).toEqual([
      undefined,
      'cooldown',
      undefined,
      'cooldown',
    ]);
  });
});

describe('the summary of a rule', () => {
  const summarised = (reason: number, lines: RuleLines = {}): string =>
    `${rule(reason, lines)}    summary: { en: "{{order.amount}} {{order.currency}} to {{payee.id}}", es: "{{order.amount}}" }\n`;

  function firedOn(log: LogBuilder, offset: number): readonly FiredRule[] {
    return run(log.records).decisions.get(offset)!.fired;
  }

  it('is rendered with the values of the event on which it fires', () => {
    const log = logWith(summarised(100), rule(200));
    const offset = log.operation('ana', { amount: '1250.5' });
    const [first, second] = firedOn(log, offset);
    expect(first?.summary?.map(({ language, parts }) => [language, parts.map(({ text }) => text).join('')])).toEqual([
      ['en', '1,250.50 EUR to B1/100'],
      ['es', '1,250.50'],
    ]);
    expect(second).not.toHaveProperty('summary');
  });

  it('is not rendered in shadow or within a cooldown', () => {
    const log = logWith(summarised(100, { mode: 'shadow' }), summarised(200, { cooldown: '1h per client' }));
    log.operation('ana');
    const offset = log.operation('ana');
    const fired = firedOn(log, offset);
    expect(fired.map(({ mode, suppressed }) => [mode, suppressed])).toEqual([
      ['shadow', undefined],
      ['live', 'cooldown'],
    ]);
    for (const one of fired) expect(one).not.toHaveProperty('summary');
  });

  it('is not part of the bytes of the decision', () => {
    const bytes = [summarised(100), rule(100)].map((text) => {
      const log = logWith(text);
      const offset = log.operation('ana');
      return encodeDecision(run(log.records).decisions.get(offset)!, []);
    });
    expect(bytes[0]).toEqual(bytes[1]);
  });
});
