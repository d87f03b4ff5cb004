import { dayMs, hourMs, secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import { keysOf, step } from '../../src/step.ts';
import { LogBuilder, run, showing, shownBy } from '../log-builder.ts';

interface Case {
  readonly name: string;
  /** Writes a log and returns the offsets of the first event and of the possible repeat. */
  readonly history: (log: LogBuilder) => readonly [first: number, second: number];
  /** Whether it is a retry; if not, how many repeats the second event sees. */
  readonly expected: 'retry' | number;
}

const operation = { session: 's1', body: 'same' };
const referenced = { ...operation, reference: 'r1' };

const cases: readonly Case[] = [
  {
    name: 'the same Idempotency-Key',
    history: (log) => {
      const first = log.operation('ana', { session: 's1' });
      return [first, log.operation('ana', { session: 's1', retryOf: first })];
    },
    expected: 'retry',
  },
  {
    name: 'the same Idempotency-Key as a byte-equal operation sent under another key',
    history: (log) => {
      const first = log.operation('ana', referenced);
      const second = log.operation('ana', referenced);
      return [first, log.operation('ana', { ...referenced, retryOf: second })];
    },
    expected: 'retry',
  },
  {
    name: 'the same Idempotency-Key as the earlier of two applied operations',
    history: (log) => {
      const first = log.operation('ana', operation);
      log.operation('ana', operation);
      return [first, log.operation('ana', { ...operation, retryOf: first })];
    },
    expected: 'retry',
  },
  {
    name: 'the same Idempotency-Key as a byte-equal login sent under another key',
    history: (log) => {
      const first = log.login('ana', { body: 'same' });
      const second = log.wait(secondMs).login('ana', { body: 'same' });
      return [first, log.wait(hourMs).login('ana', { body: 'same', retryOf: second })];
    },
    expected: 'retry',
  },
  {
    name: 'a byte-equal operation with a reference',
    history: (log) => [log.operation('ana', referenced), log.wait(hourMs).operation('ana', referenced)],
    expected: 'retry',
  },
  {
    name: 'a byte-equal operation with a reference, after other events of the client',
    history: (log) => {
      const first = log.operation('ana', referenced);
      log.operation('ana', { session: 's1' });
      log.login('ana', { session: 's2' });
      return [first, log.operation('ana', referenced)];
    },
    expected: 'retry',
  },
  {
    name: 'a byte-equal operation with a reference, 1 ms before 24 h are over',
    history: (log) => [log.operation('ana', referenced), log.wait(dayMs - 1).operation('ana', referenced)],
    expected: 'retry',
  },
  {
    name: 'a byte-equal operation with a reference, after 24 h',
    history: (log) => [log.operation('ana', referenced), log.wait(dayMs).operation('ana', referenced)],
    expected: 0,
  },
  {
    name: 'a byte-equal operation without a reference',
    history: (log) => [log.operation('ana', operation), log.wait(secondMs).operation('ana', operation)],
    expected: 1,
  },
  {
    name: 'a third byte-equal operation without a reference',
    history: (log) => {
      log.operation('ana', operation);
      const first = log.wait(secondMs).operation('ana', operation);
      return [first, log.wait(secondMs).operation('ana', operation)];
    },
    expected: 2,
  },
  {
    name: "another client's byte-equal operation",
    history: (log) => [log.operation('ana', referenced), log.operation('bob', referenced)],
    expected: 0,
  },
  {
    name: 'a byte-equal operation that names no client',
    history: (log) => [log.operation(undefined, referenced), log.wait(secondMs).operation(undefined, referenced)],
    expected: 'retry',
  },
  {
    name: 'a byte-equal login within 10 s',
    history: (log) => [log.login('ana', { body: 'same' }), log.wait(10 * secondMs).login('ana', { body: 'same' })],
    expected: 'retry',
  },
  {
    name: 'a byte-equal login after 10 s',
    history: (log) => [log.login('ana', { body: 'same' }), log.wait(10 * secondMs + 1).login('ana', { body: 'same' })],
    expected: 1,
  },
  {
    name: 'a byte-equal login after another event of the client',
    history: (log) => {
      const first = log.login('ana', { body: 'same' });
      log.operation('ana');
      return [first, log.login('ana', { body: 'same' })];
    },
    expected: 1,
  },
  {
    name: "a byte-equal login after another client's event",
    history: (log) => {
      const first = log.login('ana', { body: 'same' });
      log.login('bob');
      return [first, log.login('ana', { body: 'same' })];
    },
    expected: 'retry',
  },
  {
    name: 'a logout with the same body as the login before it',
    history: (log) => [log.login('ana', { body: 'same' }), log.logout('ana', { body: 'same' })],
    expected: 0,
  },
  {
    name: 'a byte-equal logout within 10 s',
    history: (log) => [log.logout('ana', { body: 'same' }), log.logout('ana', { body: 'same' })],
    expected: 'retry',
  },
];

describe('a repeat', () => {
  it.each(cases)('$name: $expected', ({ history, expected }) => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    log.policy(showing('event.repeats'));
    const [first, second] = history(log);
    const decision = run(log.records).decisions.get(second)!;
    const isRetry = expected === 'retry';
    expect(decision).toMatchObject({
      outcome: isRetry ? 'repeat' : 'decided',
      repeatOf: isRetry ? first : undefined,
      fired: isRetry ? [] : [{ reason: 1 }],
    });
    expect(shownBy(decision)).toEqual(isRetry ? {} : { 'event.repeats': String(expected) });
  });

  it('by its key waits until its client is known, because the original may itself repeat another event', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    const first = log.operation('ana', referenced);
    const second = log.operation('ana', referenced);
    log.operation('ana', { ...referenced, retryOf: second });
    const { state } = run(log.records.slice(0, -1));
    const { globals, entities } = checkpointOf(state);
    const cold = restoreState(globals, undefined, { complete: false });
    const retry = log.records.at(-1)!;
    const asked = step(cold, retry);
    expect(asked).toEqual({ kind: 'need', keys: keysOf(cold, retry) });
    supply(cold, entities);
    expect(step(cold, retry)).toMatchObject({ kind: 'done', effects: [{ outcome: 'repeat', repeatOf: first }] });
  });

  it('that is a retry changes nothing: the rest is decided as without it', () => {
    const facts = ['client.logins', 'client.operations', 'client.lastSeen', 'session.operations', 'event.repeats'];
    const lastOf = (retries: number): unknown => {
      const log = new LogBuilder();
      log.settings();
      log.policy(showing(...facts));
      log.login('ana', { session: 's1', body: 'login' });
      for (let retry = 0; retry < retries; retry++) log.wait(secondMs).login('ana', { session: 's1', body: 'login' });
      log.wait((8 - retries) * secondMs).operation('ana', referenced);
      for (let retry = 0; retry < retries; retry++) log.wait(secondMs).operation('ana', referenced);
      const last = log.wait((8 - retries) * secondMs).operation('ana', operation);
      return shownBy(run(log.records).decisions.get(last));
    };
    expect(lastOf(3)).toEqual(lastOf(0));
  });

  it('of an operation that waits for its login is recognised while it waits', () => {
    const log = new LogBuilder();
    log.settings();
    const first = log.operation('ana', referenced);
    const second = log.wait(secondMs).operation('ana', referenced);
    log.wait(secondMs).login('ana', { session: 's1' });
    const { effects } = run(log.records);
    const told = effects.map((effect) =>
      effect.kind === 'decision' ? [effect.offset, effect.outcome] : [effect.kind],
    );
    expect(told).toEqual([['waiting'], [second, 'repeat'], [second + 1, 'decided'], [first, 'decided']]);
  });
});
