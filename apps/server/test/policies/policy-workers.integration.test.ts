/** Policies are compiled in threads: the same answers, one at a time for each account, bounded, and cancelled. */
import type { Worker } from 'node:worker_threads';
import { Problem } from '@ringfence/contract';
import type { PolicyFile } from '@ringfence/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PolicyTask, type PolicyWork, workHere } from '../../src/policies/policy-work.ts';
import { type PolicyWorkLimits, PolicyWorkers } from '../../src/policies/policy-workers.ts';

const rules = (when: string): string => `rules:
  - { reason: 1, name: All, on: [operation], when: '${when}', then: { action: 3, message: "hello" } }
`;
const quick = [{ path: 'a.yaml', text: rules('order.amount > 1') }];
/** 4 MiB: takes many seconds. */
const slow: readonly PolicyFile[] = Array.from({ length: 8 }, (_, i) => ({
  path: `${i}.yaml`,
  text: `${i === 0 ? rules('order.amount > 1') : ''}${'#\n'.repeat(262_000)}`,
}));
const check: PolicyTask = { kind: 'check', files: quick };
const slowCheck: PolicyTask = { kind: 'check', files: slow };

let workers: PolicyWorkers;
let threads: Worker[];
const started = (thread: Worker): void => void threads.push(thread);

beforeEach(() => {
  threads = [];
  process.on('worker', started);
});
afterEach(async () => {
  process.off('worker', started);
  await workers.stop();
});

function open(limits: Partial<PolicyWorkLimits> = {}): (by: string, signal?: AbortSignal) => PolicyWork {
  workers = new PolicyWorkers({ logger: { error: () => {} }, limits });
  return (by, signal = new AbortController().signal) => workers.for({ by, signal });
}

async function outcome(work: PolicyWork, task: PolicyTask): Promise<unknown> {
  return work(task).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    const { code, detail, errors } = error;
    return { code, detail, errors };
  });
}

const wrong = [{ path: 'a.yaml', text: 'rulez: []' }];
it.each<PolicyTask>([
  check,
  { kind: 'check', files: wrong },
  { kind: 'test', files: quick },
  { kind: 'diff', before: quick, after: [{ path: 'a.yaml', text: rules('order.amount > 2') }] },
  { kind: 'diff', before: quick, after: wrong },
  { kind: 'stored', files: quick },
  { kind: 'stored', files: wrong },
])('a thread gives the answer of this thread: $kind %#', async (task) => {
  const answer = await outcome(open()('ana'), task);
  // Bytes arrive as plain ones.
  expect(structuredClone(await outcome(workHere, task))).toEqual(answer);
});

it('keep a thread for the next task, and end it when it is idle', async () => {
  const work = open({ idleMs: 200 })('ana');
  await work(check);
  const [thread] = threads;
  let ended = false;
  thread!.once('exit', () => (ended = true));
  await work(check);
  await work(check);
  expect(threads).toHaveLength(1);
  await expect.poll(() => ended).toBe(true);
  await work(check);
  expect(threads).toHaveLength(2);
});

describe('two threads', () => {
  it('do one task of an account at a time, and others beside it', async () => {
    const of = open();
    const order: string[] = [];
    const cancel = new AbortController();
    const first = of('ana', cancel.signal)(slowCheck).catch(() => order.push('ana, cancelled'));
    const second = of('ana')(check).then(() => order.push('ana, second'));
    await of('eva')(check).then(() => order.push('eva'));
    cancel.abort();
    await Promise.all([first, second]);
    expect(order).toEqual(['eva', 'ana, cancelled', 'ana, second']);
  });

  it('leave one for checks when several test', async () => {
    const of = open();
    const cancel = new AbortController();
    const tests = ['ana', 'eva'].map((by) => outcome(of(by, cancel.signal), { kind: 'test', files: slow }));
    await of('ivo')(check);
    cancel.abort();
    expect(await Promise.all(tests)).toMatchObject([{ code: 'rate.limited' }, { code: 'rate.limited' }]);
  });
});

it('refuse more than four tasks of an account', async () => {
  const of = open();
  const cancel = new AbortController();
  const four = Array.from({ length: 4 }, () => outcome(of('ana', cancel.signal), slowCheck));
  expect(await outcome(of('ana'), check)).toMatchObject({
    code: 'rate.limited',
    detail: '4 policies of ana are being checked, one after the other. Wait for an answer first.',
  });
  cancel.abort();
  await Promise.all(four);
  expect(await of('ana')(check)).toMatchObject({ warnings: [] });
});

it('end a task that takes too long, and go on', async () => {
  const of = open({ testMsMax: 10 });
  expect(await outcome(of('ana'), { kind: 'test', files: slow })).toMatchObject({
    code: 'policy.invalid',
    detail: 'The tests took more than 0.01 s of processor time: make the policy smaller.',
  });
  expect(await of('ana')(check)).toMatchObject({ warnings: [] });
});

it('end a task that needs too much memory, and go on', async () => {
  const of = open({ memoryMb: 24 });
  expect(await outcome(of('ana'), slowCheck)).toMatchObject({
    code: 'policy.invalid',
    detail: 'The policy needs more than 24 MB: make it smaller.',
  });
  expect(await of('ana')(check)).toMatchObject({ warnings: [] });
});
