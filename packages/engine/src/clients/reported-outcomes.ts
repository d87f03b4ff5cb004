import type { OutcomeName } from '@ringfence/contract';
import { outcomeReachMs, stepUpsMax } from '../limits.ts';

/** The result of a step-up that counted. */
export interface StepUpResult {
  readonly result: 'passed' | 'failed' | 'abandoned';
  readonly atMs: number;
  /** Offset at which the session that was asked began; undefined if none was open. */
  readonly openedOffset: number | undefined;
}

/** The last outcome that was reported about an event of a client. */
export interface LastOutcome {
  readonly outcome: OutcomeName;
  readonly atMs: number;
}

/** Adds a result. Expired ones are removed, then the oldest. */
export function withStepUp(results: readonly StepUpResult[], added: StepUpResult): readonly StepUpResult[] {
  return [...results.filter(({ atMs }) => isRemembered(atMs, added.atMs)), added].slice(-stepUpsMax);
}

export function isRemembered(atMs: number, nowMs: number): boolean {
  return atMs > nowMs - outcomeReachMs;
}
