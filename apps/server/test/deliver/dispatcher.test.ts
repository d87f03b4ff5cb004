import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { type Completed, type Completion, verify } from '@ringfence/delivery';
import { sandboxReasons } from '@ringfence/engine';
import { MemoryOutbox } from '@ringfence/delivery/memory';
import { describe, expect, it } from 'vitest';
import { sealTranscript, openTranscript } from '../../src/deliver/attempt-transcript.ts';
import { answer, code0, code1, down, hang, makeHarness } from './support/dispatcher-harness.ts';
import { sealedAction, startMs, subjectKey } from './support/test-actions.ts';
import { settled } from './support/virtual-clock.ts';
import { testWorkspace } from './support/workspace-fixture.ts';

const workspace = testWorkspace();
const other = testWorkspace({ id: 'bbbbbbbb', webhook: { url: 'https://other.example/hook' } });
const idOf = (offset: number): string => sealedAction(workspace, { offset }).id;

describe('an action', () => {
  it('is sent immediately when it is inserted, and its outcome is appended to the log', async () => {
    const { start, outbox, sent, outcomes, clock, attempted } = await makeHarness([workspace]);
    start();
    await clock.advance(100);
    await outbox.insert([sealedAction(workspace, { offset: 41, action: 2 })]);
    await settled();
    expect(sent).toMatchObject([{ atMs: startMs + 100, id: idOf(41) }]);
    expect((await outbox.find(workspace.id, idOf(41)))?.state).toBe('executed');
    expect(await outcomes(workspace.id)).toEqual([
      { offset: 41, reason: 101, position: 0, action: 2, result: 'executed' },
    ]);
    expect(await outbox.claimOutcomes(startMs + hourMs)).toEqual([]);
    expect(attempted).toEqual(['executed']);
  });

  it('of the sandbox fails once as a time-out would, in development only', async () => {
    const production = testWorkspace({ id: 'prodprod', environment: 'production' });
    const { start, outbox, sent, clock, attempted } = await makeHarness([workspace, production]);
    start();
    const reason = sandboxReasons.failTimeout;
    await outbox.insert([workspace, production].map((one) => sealedAction(one, { offset: 1, action: 3, reason })));
    await settled();
    expect(sent.map(({ endpoint }) => endpoint.workspaceId)).toEqual(['prodprod']);
    expect(attempted).toEqual(['timeout', 'executed']);
    await clock.advance(10 * minuteMs);
    expect(sent.map(({ endpoint }) => endpoint.workspaceId)).toEqual(['prodprod', workspace.id]);
    expect(attempted).toEqual(['timeout', 'executed', 'executed']);
  });

  it('is the same message at every attempt: same id and date, a new timestamp and signature', async () => {
    const harness = await makeHarness([workspace]);
    const { start, outbox, sent, clock } = harness;
    harness.respond = () => (sent.length < 4 ? down : code1);
    start();
    await outbox.insert([sealedAction(workspace, { offset: 1, action: 1 })]);
    await clock.advance(10 * minuteMs);
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map(({ id }) => id))).toEqual(new Set([idOf(1)]));
    expect(new Set(sent.map(({ body }) => body.date))).toEqual(new Set(['2026-11-20T20:00:00.000-06:00']));
    for (const { headers, body, atMs } of sent) {
      const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`]);
      expect(Math.abs(Number(timestamp) * secondMs - atMs)).toBeLessThan(secondMs);
      const signed = { id, timestamp, signature, body: JSON.stringify(body) };
      expect(verify(signed, [workspace.secrets.webhook], atMs)).toBe('valid');
    }
  });

  it('is retried on the urgent schedule, at most one poll late', async () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
    const many = letters.flatMap((a) => ['a', 'b'].map((b) => testWorkspace({ id: `work${a}${b}aa` })));
    const harness = await makeHarness(many);
    const { start, outbox, sent, clock } = harness;
    harness.respond = () => down;
    start();
    await outbox.insert(many.map((one) => sealedAction(one, { offset: 1, action: 2 })));
    await clock.advance(16 * minuteMs);
    const schedule = [5_000, 15_000, 60_000, 300_000];
    for (const { id } of many) {
      const times = sent.filter(({ endpoint }) => endpoint.workspaceId === id).map(({ atMs }) => atMs);
      expect(times).toHaveLength(5);
      schedule.forEach((scheduled, index) => {
        const gap = (times[index + 1] ?? 0) - (times[index] ?? 0);
        expect(gap).toBeGreaterThanOrEqual(0.8 * scheduled);
        expect(gap).toBeLessThanOrEqual(1.2 * scheduled + 500);
      });
    }
  });

  it('expires with an outcome: a stale action is never sent', async () => {
    const harness = await makeHarness([workspace]);
    const { start, outbox, sent, clock, outcomes } = harness;
    harness.respond = () => down;
    start();
    await outbox.insert([sealedAction(workspace, { offset: 1, action: 2 })]);
    await clock.advance(15 * minuteMs + 2 * secondMs);
    expect((await outbox.find(workspace.id, idOf(1)))?.state).toBe('expired');
    expect(await outcomes(workspace.id)).toMatchObject([{ result: 'expired' }]);
    const { length } = sent;
    await clock.advance(dayMs / 4);
    expect(sent).toHaveLength(length);
  });

  it('expires promptly, however many do: they would delay all others', async () => {
    const { start, outbox, clock } = await makeHarness([workspace]);
    await outbox.pause({ kind: 'all' }, startMs);
    await outbox.insert(Array.from({ length: 4_500 }, (_, offset) => sealedAction(workspace, { offset, action: 2 })));
    start();
    await clock.advance(15 * minuteMs + 1_500);
    expect(await outbox.queued()).toEqual(new Map());
  });

  it("is not executed when the client answers code 0, and its message is stored under the client's key", async () => {
    const harness = await makeHarness([workspace]);
    const { start, outbox, sent, clock, outcomes } = harness;
    harness.respond = () => code0;
    start();
    await outbox.insert([sealedAction(workspace, { offset: 1 })]);
    await clock.advance(hourMs / 2);
    expect(sent).toHaveLength(1);
    expect(await outcomes(workspace.id)).toMatchObject([{ result: 'notExecuted' }]);
    const [attempt] = await outbox.attempts(workspace.id, idOf(1));
    expect(attempt).toMatchObject({ number: 1, result: 'notExecuted', status: 200, startedAtMs: startMs });
    const owner = { workspace, subject: 'subject1', key: subjectKey('subject1'), action: idOf(1), number: 1 };
    expect(openTranscript(attempt?.detail ?? Buffer.alloc(0), owner)).toEqual({
      address: '192.0.2.1',
      message: 'unknown client',
      headers: {},
      body: '{"code":0,"message":"unknown client"}',
    });
    for (const other of [{ subject: 'subject2' }, { action: idOf(2) }, { number: 2 }]) {
      expect(() => openTranscript(sealTranscript({}, owner), { ...owner, ...other })).toThrow('cannot be decrypted');
    }
  });

  it('is retried a few times after code 0 when the workspace enables that', async () => {
    const insistent = testWorkspace({ webhook: { retryNotExecuted: true } });
    const harness = await makeHarness([insistent]);
    const { start, outbox, sent, clock, outcomes } = harness;
    harness.respond = () => code0;
    start();
    await outbox.insert([sealedAction(insistent, { offset: 1, lifetimeMs: dayMs })]);
    await clock.advance(4 * hourMs);
    expect(sent).toHaveLength(4);
    expect(await outcomes(insistent.id)).toMatchObject([{ result: 'notExecuted' }]);
  });
});

describe('failures before code 0', () => {
  it('do not use up the retries after code 0', async () => {
    const insistent = testWorkspace({ webhook: { retryNotExecuted: true } });
    const harness = await makeHarness([insistent]);
    const { start, outbox, sent, clock, outcomes } = harness;
    harness.respond = () => (sent.length <= 2 ? down : code0);
    start();
    await outbox.insert([sealedAction(insistent, { offset: 1, lifetimeMs: dayMs })]);
    await clock.advance(4 * hourMs);
    expect(sent).toHaveLength(6);
    expect(await outcomes(insistent.id)).toMatchObject([{ result: 'notExecuted' }]);
  });
});

describe('the dispatcher does not send', () => {
  it('an action whose client was erased', async () => {
    const { start, outbox, sent, clock, outcomes, erased } = await makeHarness([workspace]);
    erased.add('subject1');
    start();
    await outbox.insert([
      sealedAction(workspace, { offset: 1, session: 's' }),
      sealedAction(workspace, { offset: 2, session: 's', subject: 'subject2' }),
      sealedAction(workspace, { offset: 3, subject: undefined }),
    ]);
    await clock.advance(secondMs);
    expect(sent.map(({ body }) => body.message)).toEqual(['message 2', 'message 3']);
    expect((await outbox.find(workspace.id, idOf(1)))?.state).toBe('erased');
    expect(await outbox.attempts(workspace.id, idOf(1))).toEqual([]);
    expect((await outcomes(workspace.id)).map(({ offset }) => offset)).toEqual([2, 3]);
  });

  it('actions of a workspace that only observes, or has no webhook or no key', async () => {
    const observing = testWorkspace({ settings: { deliver: 'observe' } });
    const { webhook: _, ...withoutWebhook } = testWorkspace().settings;
    const mute = { ...testWorkspace({ id: 'bbbbbbbb' }), settings: withoutWebhook };
    const keyless = testWorkspace({ id: 'cccccccc' });
    const { start, outbox, sent, clock, deps } = await makeHarness([observing, mute, keyless]);
    start({ registry: { ...deps.registry, sendingKey: (id) => (id === keyless.id ? undefined : 'key') } });
    await outbox.insert([observing, mute, keyless].map((one) => sealedAction(one, { offset: 1 })));
    await clock.advance(minuteMs);
    expect(sent).toEqual([]);
  });

  it('actions while deliveries are paused, of one workspace or of all', async () => {
    const { start, outbox, sent, clock } = await makeHarness([workspace, other]);
    start();
    await outbox.pause({ kind: 'workspace', workspaceId: workspace.id }, startMs);
    await outbox.insert([sealedAction(workspace, { offset: 1 }), sealedAction(other, { offset: 1 })]);
    await clock.advance(secondMs);
    expect(sent.map(({ endpoint }) => endpoint.workspaceId)).toEqual([other.id]);
    await outbox.resume({ kind: 'workspace', workspaceId: workspace.id });
    await clock.advance(secondMs);
    expect(sent).toHaveLength(2);
  });

  it('an action that cannot be opened: it is marked dead, and the others are sent', async () => {
    const { start, outbox, sent, clock, alerts } = await makeHarness([workspace]);
    const damaged = { ...sealedAction(workspace, { offset: 1 }), payload: Buffer.from('not sealed') };
    const moved = { ...sealedAction(other, { offset: 2 }), ...pick(sealedAction(workspace, { offset: 2 })) };
    start();
    await outbox.insert([damaged, moved, sealedAction(workspace, { offset: 3 })]);
    await clock.advance(secondMs);
    expect(sent.map(({ body }) => body.message)).toEqual(['message 3']);
    expect((await outbox.find(workspace.id, idOf(1)))?.state).toBe('dead');
    expect((await outbox.find(workspace.id, idOf(2)))?.state).toBe('dead');
    expect(alerts.filter((alert) => alert.includes('does not open'))).toHaveLength(2);
  });

  const pick = ({ id, workspaceId }: { id: string; workspaceId: string }): { id: string; workspaceId: string } => ({
    id,
    workspaceId,
  });
});

describe('an endpoint that fails', () => {
  it('gets a probe every 30 s, is reported in the log, and receives all its actions when it is back', async () => {
    const harness = await makeHarness([workspace]);
    const { start, outbox, sent, clock, alerts } = harness;
    harness.respond = () => down;
    start();
    const given = Array.from({ length: 300 }, (_, offset) => sealedAction(workspace, { offset, lifetimeMs: dayMs }));
    await outbox.insert(given);
    await clock.advance(minuteMs);
    const opened = sent.length;
    expect(opened).toBeLessThan(60); // 10 and the requests in flight, not 300
    expect(alerts).toContain('error the webhook endpoint fails: its actions wait, and a probe is sent every 30 s');
    await clock.advance(hourMs);
    expect(sent.length - opened).toBeLessThanOrEqual(121);
    expect(sent.length - opened).toBeGreaterThan(100);

    harness.respond = () => code1;
    const failures = sent.length;
    await clock.advance(minuteMs);
    expect(alerts).toContain('info the webhook endpoint answers again: its actions are sent');
    await clock.advance(3 * hourMs);
    const arrived = sent.slice(failures).map(({ id }) => id);
    expect(arrived).toHaveLength(given.length);
    expect(new Set(arrived)).toEqual(new Set(given.map(({ id }) => id)));
  });

  it('that answers 410 is tried again', async () => {
    const harness = await makeHarness([workspace]);
    const { start, outbox, sent, clock } = harness;
    harness.respond = () => (sent.length < 2 ? answer(410, '') : code1);
    start();
    await outbox.insert([sealedAction(workspace, { offset: 1, action: 1 })]);
    await clock.advance(10 * minuteMs);
    expect(sent).toHaveLength(2);
    expect((await outbox.find(workspace.id, idOf(1)))?.state).toBe('executed');
  });

  it('that hangs delays neither another workspace nor an urgent action', async () => {
    const harness = await makeHarness([workspace, other]);
    const { start, outbox, sent, clock } = harness;
    harness.respond = (request, stop) =>
      request.body.action === 6 && request.endpoint.workspaceId === workspace.id ? hang(request, stop) : code1;
    start();
    await outbox.insert(Array.from({ length: 200 }, (_, offset) => sealedAction(workspace, { offset })));
    await clock.advance(secondMs);
    expect(sent).toHaveLength(16);
    await outbox.insert([sealedAction(workspace, { offset: 900, action: 2 }), sealedAction(other, { offset: 901 })]);
    await settled();
    expect(
      sent
        .slice(16)
        .map(({ body }) => body.message)
        .toSorted(),
    ).toEqual(['message 900', 'message 901']);
  });
});

describe('while other parts are unavailable', () => {
  it('unreadable keys do not count as erased clients: the action waits', async () => {
    const { start, outbox, sent, clock, deps } = await makeHarness([workspace]);
    let away = true;
    start({
      subjects: {
        bySubject: (...asked) => (away ? Promise.reject(new Error('no database')) : deps.subjects.bySubject(...asked)),
      },
    });
    await outbox.insert([sealedAction(workspace, { offset: 1 })]);
    await clock.advance(10 * secondMs);
    expect(sent).toEqual([]);
    away = false;
    await clock.advance(2 * secondMs);
    expect(sent).toHaveLength(1);
  });

  it('an attempt that the database does not accept is recorded later, once, and not sent again', async () => {
    class AwayOutbox extends MemoryOutbox {
      refusals = 3;
      override async complete(completions: readonly Completion[], nowMs: number): Promise<Completed> {
        if (this.refusals-- > 0) throw new Error('no database');
        return super.complete(completions, nowMs);
      }
    }
    const outbox = new AwayOutbox();
    const { start, sent, clock } = await makeHarness([workspace], outbox);
    start();
    await outbox.insert([sealedAction(workspace, { offset: 1 })]);
    await clock.advance(10 * secondMs);
    expect(sent).toHaveLength(1);
    expect(await outbox.attempts(workspace.id, idOf(1))).toHaveLength(1);
  });

  it.each([
    ['a lease lasts, and not sent again', hourMs],
    ["the action's lifetime, and not expired", minuteMs],
  ])('an executed action is recorded after a database outage longer than %s', async (_, lifetimeMs) => {
    const { start, sent, clock, outcomes, outbox, away } = await sentInOutage();
    start({ outbox: away.outbox });
    await outbox.insert([sealedAction(workspace, { offset: 1, lifetimeMs })]);
    await clock.advance(65 * secondMs);
    away.isBack();
    await clock.advance(10 * secondMs);
    expect(sent).toHaveLength(1);
    expect((await outbox.find(workspace.id, idOf(1)))?.state).toBe('executed');
    expect(await outcomes(workspace.id)).toMatchObject([{ result: 'executed' }]);
  });

  it('an executed action is recorded and reported even when another process expired it meanwhile', async () => {
    const { start, sent, clock, outcomes, outbox, away } = await sentInOutage();
    start({ outbox: away.outbox });
    await outbox.insert([sealedAction(workspace, { offset: 1, lifetimeMs: 20 * secondMs })]);
    await clock.advance(secondMs);
    start();
    await clock.advance(35 * secondMs);
    expect((await outbox.find(workspace.id, idOf(1)))?.state).toBe('expired');
    away.isBack();
    await clock.advance(10 * secondMs);
    expect(sent).toHaveLength(1);
    expect(await outbox.find(workspace.id, idOf(1))).toMatchObject({ state: 'executed', attempts: 1 });
    expect(await outcomes(workspace.id)).toMatchObject([{ result: 'expired' }, { result: 'executed' }]);
  });

  /** A process that loses its database as soon as its first request is in flight, which the endpoint executes. */
  async function sentInOutage() {
    const outbox = new MemoryOutbox();
    let isAway = false;
    const reached = new Proxy(outbox, {
      get: (target, name: keyof MemoryOutbox) => {
        const value = target[name] as unknown;
        if (typeof value !== 'function') return value;
        if (isAway && name !== 'onDue') return () => Promise.reject(new Error('no database'));
        return value.bind(target) as unknown;
      },
    });
    const harness = await makeHarness([workspace], outbox);
    harness.respond = () => {
      isAway = true;
      return code1;
    };
    return { ...harness, outbox, away: { outbox: reached, isBack: () => (isAway = false) } };
  }

  it('a stop does not wait for the database: the lease expires', async () => {
    class GoneOutbox extends MemoryOutbox {
      override complete(): Promise<Completed> {
        return Promise.reject(new Error('no database'));
      }
    }
    const outbox = new GoneOutbox();
    const { start, clock } = await makeHarness([workspace], outbox);
    const dispatcher = start();
    await outbox.insert([sealedAction(workspace, { offset: 1 })]);
    await clock.advance(secondMs);
    const stopping = dispatcher.stop();
    await clock.advance(4_500);
    await stopping;
    expect((await outbox.find(workspace.id, idOf(1)))?.state).toBe('leased');
  });

  it('an outcome that the log does not accept is appended later, by any process', async () => {
    const { start, outbox, clock, deps, outcomes } = await makeHarness([workspace]);
    const away = start({ log: { append: () => Promise.reject(new Error('no log')) } });
    await outbox.insert([sealedAction(workspace, { offset: 1 })]);
    await clock.advance(2 * secondMs);
    await away.stop(0);
    expect(await outcomes(workspace.id)).toEqual([]);
    start(deps);
    await clock.advance(20 * secondMs);
    expect(await outcomes(workspace.id)).toMatchObject([{ offset: 1, result: 'executed' }]);
  });
});

describe('stopping', () => {
  it('lets running requests finish, and leases nothing more', async () => {
    const harness = await makeHarness([workspace]);
    const { start, outbox, sent, clock } = harness;
    harness.respond = () => new Promise((resolve) => void clock.after(2_000, () => resolve(code1)));
    const dispatcher = start();
    await outbox.insert([sealedAction(workspace, { offset: 1 })]);
    await clock.advance(100);
    const stopping = dispatcher.stop();
    await outbox.insert([sealedAction(workspace, { offset: 2 })]);
    await clock.advance(5_000);
    await stopping;
    expect(sent).toHaveLength(1);
    expect((await outbox.find(workspace.id, idOf(1)))?.state).toBe('executed');
    expect((await outbox.find(workspace.id, idOf(2)))?.state).toBe('due');
  });

  it('aborts a hanging request and records that, and another process sends the action again under the same id', async () => {
    const harness = await makeHarness([workspace]);
    const { start, outbox, sent, clock } = harness;
    harness.respond = hang;
    const dispatcher = start();
    await outbox.insert([sealedAction(workspace, { offset: 1, action: 2 })]);
    await clock.advance(100);
    const stopping = dispatcher.stop();
    await clock.advance(3_000);
    await stopping;
    expect(await outbox.attempts(workspace.id, idOf(1))).toMatchObject([{ reason: 'interrupted' }]);
    expect(await outbox.endpoint(workspace.id)).toMatchObject({ failures: 0 });
    harness.respond = () => code1;
    start();
    await clock.advance(10 * secondMs);
    expect(sent.map(({ id }) => id)).toEqual([idOf(1), idOf(1)]);
  });

  it('counts the grace period from the start of the wind-down, and leases nothing from then on', async () => {
    const harness = await makeHarness([workspace]);
    const { start, outbox, clock } = harness;
    harness.respond = hang;
    const dispatcher = start();
    await outbox.insert([sealedAction(workspace, { offset: 1 })]);
    await clock.advance(100);
    dispatcher.windDown();
    await outbox.insert([sealedAction(workspace, { offset: 2 })]);
    await clock.advance(2_900);
    const stopping = dispatcher.stop();
    await clock.advance(100);
    await stopping;
    expect(await outbox.attempts(workspace.id, idOf(1))).toMatchObject([{ reason: 'interrupted' }]);
    expect(await outbox.attempts(workspace.id, idOf(2))).toEqual([]);
  });
});

describe('two processes', () => {
  it('share the work and send nothing twice, in the order of each session', async () => {
    const harness = await makeHarness([workspace]);
    const { start, outbox, sent, clock } = harness;
    const delays = [3, 40, 7, 120, 1];
    harness.respond = () =>
      new Promise((resolve) => void clock.after(delays[sent.length % delays.length] ?? 1, () => resolve(code1)));
    start();
    start();
    const given = Array.from({ length: 400 }, (_, offset) =>
      sealedAction(workspace, { offset, session: `session ${offset % 40}` }),
    );
    await outbox.insert(given);
    await clock.advance(minuteMs);
    expect(sent.map(({ id }) => id).toSorted()).toEqual(given.map(({ id }) => id).toSorted());
    for (let session = 0; session < 40; session++) {
      const messages = sent.filter(({ body }) => body.session === `session ${session}`).map(({ body }) => body.message);
      expect(messages).toEqual(Array.from({ length: 10 }, (_, index) => `message ${session + 40 * index}`));
    }
  });
});
