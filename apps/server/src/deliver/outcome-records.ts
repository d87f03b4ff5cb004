import type { Outbox, PendingOutcome } from '@ringfence/delivery';
import type { Outcome } from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import { appendsMax } from './bounds.ts';
import type { DispatcherLogger } from './dispatcher-deps.ts';

export interface OutcomeDeps {
  readonly outbox: Pick<Outbox, 'outcomesAppended'>;
  readonly log: Pick<EventLog, 'append'>;
  readonly logger: DispatcherLogger;
}

/**
 * Reports the results of actions to the engine, as one log record each. An outcome that cannot be appended now is
 * claimed again later, by this process or another; the engine ignores a record that it has already seen.
 */
export async function appendOutcomes(deps: OutcomeDeps, outcomes: readonly PendingOutcome[]): Promise<void> {
  for (let from = 0; from < outcomes.length; from += appendsMax) {
    const chunk = outcomes.slice(from, from + appendsMax);
    const results = await Promise.allSettled(chunk.map((outcome) => append(deps.log, outcome)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) deps.logger.warn({ err: failed.reason }, 'could not append outcomes; will retry');
    const appended = chunk.filter((_, index) => results[index]?.status === 'fulfilled');
    await deps.outbox.outcomesAppended(appended).catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'outcomes were appended but not marked; they will be appended again');
    });
  }
}

async function append(log: Pick<EventLog, 'append'>, pending: PendingOutcome): Promise<void> {
  const { workspaceId, subject, offset, reason, position, action, result } = pending;
  const outcome: Outcome = { offset, reason, position, action, result };
  await log.append(workspaceId, {
    kind: 'outcome',
    ...(subject === undefined ? {} : { subject }),
    payload: Buffer.from(JSON.stringify(outcome)),
  });
}
