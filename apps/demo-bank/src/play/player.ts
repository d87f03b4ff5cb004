import { setTimeout as sleep } from 'node:timers/promises';
import type { Bank } from '../bank/bank.ts';
import { until } from './until.ts';
import type { HoldDecision, Step } from './story.ts';

const channelId = 1;

/** Placeholder for the encrypted data of most clients' devices. Any text means that a device reported. */
const deviceData = 'demo-device';

export interface Player {
  readonly bank: Bank;
  /** Waits until earlier reports are stored. */
  readonly settle: () => Promise<unknown>;
  /** A token of the bank's app on a telephone. */
  readonly tokenOf: (phone: string, channelId: number) => Promise<string>;
  /** Decides a held payment, as the analyst. Waits until it is held. */
  readonly decide: (decision: HoldDecision) => Promise<unknown>;
  /** Waits until the reported outcomes are recorded: rules see them from then on. */
  readonly recorded: () => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Called after each step with the number of completed steps. */
  readonly onStep: (done: number) => void;
}

/**
 * Plays all steps at their times, in real time: sessions and grace periods of the service use its own clock. A step
 * waits until earlier ones are stored, and comes no sooner after the user's step before it than the story says. Real
 * clients need not do so; here the result must be the same on a busy machine.
 *
 * @throws AbortError when aborted
 */
export async function play(steps: readonly Step[], player: Player): Promise<void> {
  const { settle, signal, onStep } = player;
  const ordered = steps.toSorted((a, b) => a.atMs - b.atMs);
  const beganMs = performance.now();
  const lastSteps = new Map<string, { readonly atMs: number; readonly storedMs: number }>();
  const ended = Promise.withResolvers<never>();
  // Handled here, because nothing may be awaiting it at that moment.
  ended.promise.catch(() => undefined);
  signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
  for (const [index, step] of ordered.entries()) {
    const last = lastSteps.get(step.user);
    const afterLastMs = last === undefined ? 0 : last.storedMs + step.atMs - last.atMs;
    const waitMs = Math.max(beganMs + step.atMs, afterLastMs) - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal.throwIfAborted();
    await Promise.race([perform(step, index, player).then(settle), ended.promise]);
    lastSteps.set(step.user, { atMs: step.atMs, storedMs: performance.now() });
    onStep(index + 1);
  }
}

/** @param index part of the operation's reference */
async function perform(step: Step, index: number, player: Player): Promise<void> {
  const { bank } = player;
  const { user, session } = step;
  switch (step.does) {
    case 'logIn': {
      const { phone, hasDevice = true } = step;
      const device = phone === undefined ? (hasDevice ? deviceData : '') : await player.tokenOf(phone, channelId);
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
      return;
    }
    case 'confirm': {
      const { method, isPassed } = step;
      await until(() => bank.confirm(user, { method, isPassed }), `${user} was not asked to confirm`, player.signal);
      await player.settle();
      await player.recorded();
      return;
    }
    case 'decide':
      await player.decide(step);
  }
}
