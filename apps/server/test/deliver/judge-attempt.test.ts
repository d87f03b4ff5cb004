import type { LeasedAction } from '@ringfence/delivery';
import { MemoryOutbox } from '@ringfence/delivery/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeAttempt } from '../../src/deliver/judge-attempt.ts';
import { answer, code0, code1, down } from './support/dispatcher-harness.ts';
import { sealedAction, startMs } from './support/test-actions.ts';
import { testWorkspace } from './support/workspace-fixture.ts';

const options = { retryNotExecuted: false, jitter: 0.5 };
const first = {
  lease: { action: 6, round: 0, roundNotExecuted: 0 },
  startedAtMs: startMs,
  endedAtMs: startMs + 50,
  machineMs: startMs,
};

describe('the judgement of an attempt', () => {
  it('decides about its action: executed, not executed, a retry, or the end of the schedule', () => {
    expect(judgeAttempt({ ...first, sent: code1 }, options).next).toEqual({ state: 'executed' });
    expect(judgeAttempt({ ...first, sent: code0 }, options).next).toEqual({ state: 'notExecuted' });
    expect(judgeAttempt({ ...first, sent: down }, options).next).toEqual({ state: 'due', dueAtMs: startMs + 5_050 });
    const last = { ...first, lease: { action: 6, round: 9, roundNotExecuted: 0 } };
    expect(judgeAttempt({ ...last, sent: down }, options).next).toEqual({ state: 'dead' });
    expect(judgeAttempt({ ...last, sent: code0 }, { ...options, retryNotExecuted: true }).next).toEqual({
      state: 'notExecuted',
    });
  });

  it('decides about its endpoint: code 0 is an answer, an aborted request is no evidence', () => {
    const kind = (sent: Parameters<typeof judgeAttempt>[0]['sent']): string | undefined =>
      judgeAttempt({ ...first, sent }, options).health?.kind;
    expect(kind(code1)).toBe('answered');
    expect(kind(code0)).toBe('answered');
    expect(kind(answer(500, ''))).toBe('failed');
    expect(kind(answer(302, '', { location: 'https://elsewhere.example' }))).toBe('failed');
    expect(kind(answer(410, ''))).toBe('failed');
    expect(kind(down)).toBe('failed');
    expect(kind({ ...down, kind: 'failure', reason: 'interrupted', detail: 'stopped' })).toBeUndefined();
  });

  it('yields a bounded transcript without unneeded headers', () => {
    const noisy = answer(500, 'x'.repeat(60_000), { 'set-cookie': 'secret', server: 'y'.repeat(9_000), date: 'now' });
    const { transcript } = judgeAttempt({ ...first, sent: noisy }, options);
    expect(transcript.body).toHaveLength(16 * 1_024);
    expect(transcript.headers).toEqual({ server: 'y'.repeat(256), date: 'now' });
  });

  it('honours Retry-After between once and twice the schedule', () => {
    const asked = (seconds: number): unknown =>
      judgeAttempt(
        {
          ...first,
          lease: { action: 6, round: 1, roundNotExecuted: 0 },
          sent: answer(503, '', { 'retry-after': String(seconds) }),
        },
        { ...options, jitter: 0 },
      ).next;
    expect(asked(10)).toEqual({ state: 'due', dueAtMs: startMs + 50 + 300_000 });
    expect(asked(400)).toEqual({ state: 'due', dueAtMs: startMs + 50 + 400_000 });
    expect(asked(100_000)).toEqual({ state: 'due', dueAtMs: startMs + 50 + 600_000 });
  });
});

/**
 * Goal: the whole schedule, through judgement and outbox, for 1,000 seeds: ten attempts, each gap within 20 % of its
 * nominal value, no attempt lost by a restart.
 * Method: one action per seed; every lease is made by another process, which knows only what is in the outbox.
 */
it('keeps the schedule for 1,000 seeds, whichever process makes the attempt', async () => {
  const workspace = testWorkspace();
  const schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000);
  const jitters = fc.sample(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { seed: 1, numRuns: 9_000 });
  for (let seed = 0; seed < 1_000; seed++) {
    const outbox = new MemoryOutbox();
    await outbox.insert([sealedAction(workspace, { offset: seed, lifetimeMs: 100 * 86_400_000 })]);
    const times: number[] = [];
    for (let nowMs: number | undefined = startMs; nowMs !== undefined;) {
      const [lease]: readonly LeasedAction[] = await outbox.lease(
        [{ workspaceId: workspace.id, urgent: 1, ordinary: 1 }],
        nowMs,
      );
      if (lease === undefined) throw new Error(`SEED=${seed}: nothing due at ${nowMs}`);
      times.push(nowMs);
      const jitter = jitters[seed * 9 + times.length - 1] ?? 0;
      const ended = { lease, sent: down, startedAtMs: nowMs, endedAtMs: nowMs, machineMs: nowMs };
      const judged = judgeAttempt(ended, { ...options, jitter });
      const attempt = { startedAtMs: nowMs, durationMs: 0, status: undefined, detail: Buffer.alloc(0), ...judged };
      await outbox.complete(
        [{ id: lease.id, token: lease.token, attempt, health: undefined, next: judged.next }],
        nowMs,
      );
      nowMs = judged.next.state === 'due' ? judged.next.dueAtMs : undefined;
    }
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).toHaveLength(schedule.length);
    const worst = Math.max(...gaps.map((gap, index) => Math.abs(gap / (schedule[index] ?? 1) - 1)));
    expect(worst).toBeLessThanOrEqual(0.2);
  }
});
