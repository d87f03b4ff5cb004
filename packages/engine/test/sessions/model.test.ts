/**
 * Goal: the engine's sessions equal those of a naive model that records everything. Method: random histories of two
 * clients with two sessions each, on two channels, with steps on every side of grace, idle and absolute expiry; every
 * operation's result is compared with the model's.
 */
import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { LogBuilder, run } from '../log-builder.ts';
import { pick, prng, type Random } from '../prng.ts';
import { type BookAnswer, SessionBook } from './session-book.ts';

const settings = { graceMs: 5 * secondMs, idleMs: 10 * minuteMs, absoluteMs: hourMs };
const steps = [0, 1, secondMs, 4_999, 5_000, 9_000, 3 * minuteMs, 10 * minuteMs - 1, 10 * minuteMs, 40 * minuteMs];

interface Asked {
  readonly offset: number;
  readonly key: string;
  readonly arrivedMs: number;
  readonly statedMs: number;
}

/** Writes a history, and returns its operations. */
function write(log: LogBuilder, random: Random): readonly Asked[] {
  const asked: Asked[] = [];
  for (let event = 0; event < 60; event++) {
    log.wait(pick(random, steps));
    const user = pick(random, ['ana', 'bob']);
    const session = pick(random, ['s1', 's2', '']);
    const channelId = 1 + random(2);
    const kind = random(6);
    if (kind < 2) log.login(user, { session, channelId });
    else if (kind === 2) log.logout(user, { session, channelId });
    else {
      const statedMs = -pick(random, [0, 1, secondMs, 6_000]);
      const offset = log.operation(user, { session, channelId, statedMs });
      asked.push({
        offset,
        key: `${user} ${channelId} ${session}`,
        arrivedMs: log.nowMs,
        statedMs: log.nowMs + statedMs,
      });
    }
  }
  log.wait(minuteMs).tick();
  return asked;
}

/** Result and time of every operation, by the model. */
function byBook(log: LogBuilder, asked: readonly Asked[]): ReadonlyMap<number, readonly [BookAnswer, number]> {
  const book = new SessionBook(settings);
  const answers = new Map<number, readonly [BookAnswer, number]>();
  let waiting: readonly Asked[] = [];
  const answer = (operation: Asked, nowMs: number): void => {
    const found = book.ask(operation.key, nowMs, operation.statedMs);
    if (found === 'matched') book.write(operation.key, { atMs: nowMs, kind: 'activity' });
    answers.set(operation.offset, [found, nowMs]);
  };
  for (const record of log.records) {
    const nowMs = record.logTimeMs;
    for (const late of waiting.filter(({ arrivedMs }) => arrivedMs + settings.graceMs <= nowMs)) {
      answer(late, late.arrivedMs + settings.graceMs);
    }
    waiting = waiting.filter(({ offset }) => !answers.has(offset));
    if (record.kind !== 'event') continue;
    const { event } = record;
    if (event.kind === 'operation') {
      const operation = asked.find(({ offset }) => offset === record.offset)!;
      if (book.ask(operation.key, nowMs, operation.statedMs) === 'matched') answer(operation, nowMs);
      else waiting = [...waiting, operation];
      continue;
    }
    const key = `${event.user} ${event.channelId} ${event.session ?? ''}`;
    book.write(key, { atMs: nowMs, kind: event.kind });
    if (event.kind !== 'login') continue;
    for (const operation of waiting.filter((one) => one.key === key)) answer(operation, nowMs);
    waiting = waiting.filter(({ offset }) => !answers.has(offset));
  }
  return answers;
}

it('every operation is matched as in the model, at the same time', () => {
  for (let seed = 1; seed <= 400; seed++) {
    const log = new LogBuilder();
    const { graceMs: sessionGraceMs, ...expiry } = settings;
    log.settings({ sessionGraceMs, sessionDefaults: { ...expiry, sessions: 'required' } });
    const asked = write(log, prng(seed));
    const expected = byBook(log, asked);
    const { decisions } = run(log.records);
    for (const { offset } of asked) {
      const { atMs, session } = decisions.get(offset)!;
      const answer = session?.matched === true ? 'matched' : session?.mismatch;
      const told = answer === 'noLogin' || answer === 'otherChannel' || answer === 'otherClient' ? 'none' : answer;
      expect({ seed, offset, answer: [told, atMs] }).toEqual({ seed, offset, answer: expected.get(offset) });
    }
  }
});
