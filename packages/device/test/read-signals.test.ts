import { describe, expect, it } from 'vitest';
import { nextTask } from '../src/next-task.ts';
import { readSignals } from '../src/read-signals.ts';
import type { SignalContext, SignalReader } from '../src/signal.ts';

const context: SignalContext = { worker: undefined, webgl: () => undefined };
const never = new Promise<never>(() => {});

function read(
  readers: Readonly<Record<string, SignalReader>>,
  deadline: Promise<void> = never,
): ReturnType<typeof readSignals> {
  return readSignals({ readers: Object.entries(readers), context, deadline });
}

function throwing(error: unknown): SignalReader {
  return () => {
    throw error;
  };
}

describe('reading signals', () => {
  it('keeps values, and the reasons for absent ones', async () => {
    const readings = await read({
      now: () => ({ value: 1 }),
      later: async () => ({ value: ['a'] }),
      nowhere: () => ({ absent: 'unsupported' }),
    });
    expect(readings).toEqual({ signals: { now: 1, later: ['a'] }, absent: { nowhere: 'unsupported' } });
  });

  it.each([
    ['an error', new TypeError('patched'), 'failed'],
    ['no error at all', undefined, 'failed'],
    ['a refusal of the browser', new DOMException('denied', 'SecurityError'), 'blocked'],
    ['a missing permission', new DOMException('denied', 'NotAllowedError'), 'blocked'],
    ['another fault of the browser', new DOMException('lost', 'InvalidStateError'), 'failed'],
  ])('reports %s as the reason', async (_, error, reason) => {
    const rejecting: SignalReader = () => Promise.reject(error);
    const readings = await read({ throws: throwing(error), rejects: rejecting, fine: () => ({ value: true }) });
    expect(readings).toEqual({ signals: { fine: true }, absent: { throws: reason, rejects: reason } });
  });

  it('reports a reader with an invalid result as failed', async () => {
    const readings = await read({ nonsense: (() => undefined) as unknown as SignalReader });
    expect(readings.absent).toEqual({ nonsense: 'failed' });
  });

  it('omits signals that did not answer by the deadline', async () => {
    const deadline = nextTask();
    const readings = await read({ hangs: () => never, fine: async () => ({ value: 1 }) }, deadline);
    expect(readings).toEqual({ signals: { fine: 1 }, absent: { hangs: 'timeout' } });
  });

  it('starts nothing after the deadline', async () => {
    const started: string[] = [];
    const slow =
      (name: string): SignalReader =>
      () => {
        started.push(name);
        const until = performance.now() + 20; // longer than a slice: the next one runs in its own task
        while (performance.now() < until);
        return { value: name };
      };
    const readings = await read({ first: slow('first'), second: slow('second') }, Promise.resolve());
    expect(started).toEqual(['first']);
    expect(readings.absent['second']).toBe('timeout');
  });

  it('lets other tasks run between its slices', async () => {
    const slow: SignalReader = () => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      return { value: 1 };
    };
    const seen: string[] = [];
    const painting = nextTask().then(() => seen.push('painted'));
    const reading = read({ a: slow, b: slow, c: slow, last: () => ({ value: seen.length }) });
    expect((await reading).signals['last']).toBe(1);
    await painting;
  });
});
