import { setTimeout as sleep } from 'node:timers/promises';
import type { Bank } from '../bank/bank.ts';
import type { Step } from './story.ts';

const channelId = 1;

/** What stands for the device SDK's encrypted data: the demo has no app. Any text says that a device reported. */
const deviceData = 'demo-device';

export interface Player {
  readonly bank: Bank;
  /** Waits until what was reported before is stored. */
  readonly settle: () => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Called after each step, with how many are behind it. */
  readonly onStep: (done: number) => void;
}

/**
 * Plays all steps in the order of their times, each at its own, in real time: sessions and graces of the service run
 * on its own clock. A step waits until those before it are stored. Real clients do not, and need not; here the tale
 * must come out the same on a machine that is busy with other things.
 *
 * @throws AbortError when the signal says so
 */
export async function play(steps: readonly Step[], { bank, settle, signal, onStep }: Player): Promise<void> {
  const ordered = steps.toSorted((a, b) => a.atMs - b.atMs);
  const beganMs = performance.now();
  const ended = Promise.withResolvers<never>();
  // Handled here, because nobody may be waiting for it at that moment.
  ended.promise.catch(() => undefined);
  signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
  for (const [index, step] of ordered.entries()) {
    const waitMs = beganMs + step.atMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal.throwIfAborted();
    perform(step, index, bank);
    await Promise.race([settle(), ended.promise]);
    onStep(index + 1);
  }
}

/** @param index makes the operation's reference */
function perform(step: Step, index: number, bank: Bank): void {
  const { user, session } = step;
  switch (step.does) {
    case 'logIn': {
      const device = step.hasDevice === false ? '' : deviceData;
      bank.logIn({ user, session, channelId, ip: step.ip, device });
      return;
    }
    case 'logOut':
      bank.logOut(user, session, channelId);
      return;
    case 'operate': {
      const { category, amount, payee, datedMs = 0 } = step;
      const at = new Date(Date.now() + datedMs).toISOString();
      const reference = `demo-${index + 1}`;
      bank.operate({ user, session, channelId, category, at, reference, amount, payee });
    }
  }
}
