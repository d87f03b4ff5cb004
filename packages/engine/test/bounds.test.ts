/** The bounds of limits.ts: nothing grows beyond them, and the newest items are kept. */
import { dayMs, type EpochMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { ClientEntity } from '../src/clients/client-entity.ts';
import { EncodedBody } from '../src/clients/encoded-body.ts';
import { type Applied, RepeatMemory, repeatsOf } from '../src/clients/repeat-memory.ts';
import { ActionTimes } from '../src/deciding/action-times.ts';
import {
  actionTimesMax,
  awaitedActionsMax,
  cooldownsMax,
  endedSessionsMax,
  repeatBodiesMax,
  repeatReachMs,
  repeatsPerBodyMax,
  sessionsMax,
  waitingMax,
} from '../src/limits.ts';
import { DirectoryEntity } from '../src/sessions/directory-entity.ts';
import { graceMs, LogBuilder, run, subjectOf } from './log-builder.ts';

function clientAfter(history: (log: LogBuilder) => void): ClientEntity {
  const log = new LogBuilder();
  log.settings();
  history(log);
  return run(log.records).state.store.client(subjectOf('ana'))!;
}

describe('sessions of a client', () => {
  it('are remembered up to a bound, the most recently used ones', () => {
    const { sessions } = clientAfter((log) => {
      for (let login = 0; login < sessionsMax + 3; login++) log.wait(1).login('ana', { session: `s${login}` });
    });
    expect(sessions.all.map(({ id }) => id)).toEqual(
      Array.from({ length: sessionsMax }, (_, index) => `s${index + 3}`),
    );
  });

  it('that have ended have a lower bound, and those that ended last are kept', () => {
    const { sessions } = clientAfter((log) => {
      for (let login = 0; login < endedSessionsMax + 4; login++) {
        log.wait(minuteMs).login('ana', { session: `s${login}` });
        log.wait(minuteMs).logout('ana', { session: `s${login}` });
      }
      log.wait(minuteMs).login('ana', { session: 'open' });
    });
    const kept = Array.from({ length: endedSessionsMax }, (_, index) => `s${index + 4}`);
    expect(sessions.all.map(({ id }) => id)).toEqual([...kept, 'open']);
  });
});

describe('waiting operations', () => {
  it('beyond the bound are decided immediately', () => {
    const log = new LogBuilder();
    log.settings();
    for (let operation = 0; operation <= waitingMax; operation++) log.operation('ana', { session: 's1' });
    const { effects } = run(log.records);
    expect(effects.filter(({ kind }) => kind === 'waiting')).toHaveLength(waitingMax);
    expect(effects.at(-1)).toMatchObject({ kind: 'decision', session: { matched: false, mismatch: 'noLogin' } });
  });

  it('are decided by the time they are due, then in order of arrival', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: minuteMs });
    const slow = log.operation('ana', { session: 's1' });
    log.wait(secondMs).settings({ sessionGraceMs: graceMs });
    const quick = [log.operation('bob', { session: 's2' }), log.operation('ana', { session: 's3' })];
    log.wait(hourMs).tick();
    expect([...run(log.records).decisions.keys()]).toEqual([...quick, slow]);
  });
});

describe('repeats', () => {
  const find = (memory: RepeatMemory, body: string, nowMs: number): Applied | undefined =>
    memory.find(new EncodedBody().set(body), nowMs);
  const note = (memory: RepeatMemory, body: string, nowMs: number): void =>
    memory.note(new EncodedBody().set(body), { offset: nowMs, logTimeMs: nowMs as EpochMs }, find(memory, body, nowMs));
  const count = (memory: RepeatMemory, nowMs: number): number => repeatsOf(find(memory, 'body', nowMs), nowMs);

  it('are recognised for a bounded number of bodies', () => {
    const memory = new RepeatMemory();
    for (let body = 0; body <= repeatBodiesMax; body++) note(memory, `body ${body}`, body);
    expect(memory.size).toBe(repeatBodiesMax);
    expect(find(memory, 'body 0', repeatBodiesMax)).toBeUndefined();
    expect(find(memory, 'body 1', repeatBodiesMax)).toMatchObject({ offset: 1 });
  });

  it('are counted up to a bound', () => {
    const memory = new RepeatMemory();
    for (let time = 0; time < 2 * repeatsPerBodyMax; time++) note(memory, 'body', time);
    expect(count(memory, 2 * repeatsPerBodyMax)).toBe(repeatsPerBodyMax + 1);
  });

  it('are forgotten after a day', () => {
    const memory = new RepeatMemory();
    note(memory, 'body', 0);
    note(memory, 'body', hourMs);
    expect(count(memory, repeatReachMs - 1)).toBe(2);
    expect(count(memory, repeatReachMs)).toBe(1);
    expect(count(memory, repeatReachMs + hourMs)).toBe(0);
    note(memory, 'other', repeatReachMs + hourMs);
    expect(memory.size).toBe(1);
    expect(find(memory, 'other', repeatReachMs + hourMs)).toBeDefined();
  });
});

describe('the memory of a client', () => {
  it('has a bound for actions whose outcome is awaited, and keeps the newest', () => {
    const client = new ClientEntity('ana');
    for (let offset = 0; offset <= awaitedActionsMax; offset++) {
      client.await({
        offset,
        reason: 1,
        position: 0,
        action: 1,
        atMs: 0,
        session: undefined,
        device: undefined,
        methods: undefined,
      });
    }
    expect(client.awaited).toHaveLength(awaitedActionsMax);
    expect(client.awaited[0]!.offset).toBe(1);
  });

  it('has a bound for cooldowns, and drops expired ones first', () => {
    const client = new ClientEntity('ana');
    client.cool('over', 5, 0);
    for (let rule = 0; rule <= cooldownsMax; rule++) client.cool(`rule ${rule}`, 1_000, 10);
    expect(client.cooldowns.size).toBe(cooldownsMax);
    expect(['over', 'rule 0', 'rule 1'].map((key) => client.isCooling(key, 20))).toEqual([false, false, true]);
  });
});

describe('the client of a session name', () => {
  it('is the last one, for the maximum life of its session', () => {
    const directory = new DirectoryEntity('s1');
    directory.holder = { subject: 'ana', untilMs: 100 };
    expect(directory.isOfAnother('bob', 99)).toBe(true);
    expect(directory.isOfAnother('ana', 99)).toBe(false);
    expect(directory.isOfAnother('bob', 100)).toBe(false);
  });
});

describe('times of actions', () => {
  it('are remembered as far as the cap counts', () => {
    const times = new ActionTimes();
    const bound = { count: actionTimesMax * 2, perMs: hourMs };
    for (let action = 0; action < actionTimesMax * 3; action++) times.note(action, bound, 1);
    expect(times.timesMs.length).toBeLessThanOrEqual(2 * actionTimesMax);
    expect(times.hasRoom(bound, actionTimesMax * 3)).toBe(false);
    expect(times.hasRoom(bound, actionTimesMax * 3 + hourMs)).toBe(true);
  });

  it('are remembered for a day, up to a number, for a cap that replaces this one', () => {
    const times = new ActionTimes();
    for (let action = 0; action < 1_000; action++) times.note(action * minuteMs, { count: 1 }, 100);
    expect(times.timesMs.length).toBeLessThanOrEqual(200);
    expect(times.hasRoom({ count: 100, perMs: dayMs }, 1_000 * minuteMs)).toBe(false);
    times.note(10 * dayMs, { count: 1 }, 100);
    expect(times.timesMs).toEqual([10 * dayMs]);
  });
});
