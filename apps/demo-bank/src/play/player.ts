import { setTimeout as sleep } from 'node:timers/promises';
import type { Bank } from '../bank/bank.ts';
import type { Step } from './story.ts';

const channelId = 1;

/** Placeholder for the encrypted data of the device SDK: the demo has no app. Any text means that a device reported. */
const deviceData = 'demo-device';

export interface Player {
  readonly bank: Bank;
  /** Waits until earlier reports are stored. */
  readonly settle: () => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Called after each step with the number of completed steps. */
  readonly onStep: (done: number) => void;
}

/**
 * Plays all steps at their times, in real time: sessions and grace periods of the service use its own clock. A step
 * waits
 * until earlier ones are stored. Real clients need not do so; here the result must be the same on a busy machine.
 *
 * @throws AbortError when aborted
 */
export async function play(steps: readonly Step[], { bank, settle, signal, onStep }: Player): Promise<void> {
  const ordered = steps.toSorted((a, b) => a.atMs - b.atMs);
  const beganMs = performance.now();
  const ended = Promise.withResolvers<never>();
  // Handled here, because nothing may be awaiting it at that moment.
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

/** @param index part of the operation's reference */
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
