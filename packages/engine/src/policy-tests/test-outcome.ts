import type { Policy, TestOutcome } from '@ringfence/policy';
import type { Action } from '../effect.ts';
import type { EventRecord, OutcomeReport } from '../record.ts';
import { spanText } from './differences.ts';

/** What happened in the test before the outcome. */
export interface TestSoFar {
  readonly events: readonly EventRecord[];
  readonly actions: readonly Action[];
  readonly policy: Policy;
}

/** The report of an outcome, and the event that it is about; `undefined` if the test has no such event before it. */
export function reportOf(
  told: TestOutcome,
  { events, actions, policy }: TestSoFar,
): { readonly report: OutcomeReport; readonly event: EventRecord } | undefined {
  const isStepUp = told.outcome.startsWith('stepUp');
  const meant =
    told.reason === undefined
      ? undefined
      : actions.findLast(
          ({ reason, action }) =>
            reason === told.reason &&
            (told.action === undefined ? !isStepUp || policy.stepUps.has(action) : action === told.action),
        );
  const event = events.findLast((one) => {
    if (told.reason !== undefined) return one.offset === meant?.offset;
    return told.reference === undefined || referenceOf(one) === told.reference;
  });
  if (event === undefined) return undefined;
  const { outcome, method, type, code, stage, loss, recovered, currency, label } = told;
  const { offset, reason, position } = meant ?? {};
  const report: OutcomeReport = {
    outcome,
    ...(offset === undefined || reason === undefined || position === undefined
      ? {}
      : { action: { offset, reason, position } }),
    ...(method === undefined ? {} : { method }),
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(stage === undefined ? {} : { stage }),
    ...(loss === undefined ? {} : { loss }),
    ...(recovered === undefined ? {} : { recovered }),
    ...(currency === undefined ? {} : { currency }),
    ...(label === undefined ? {} : { label }),
  };
  return { report, event };
}

/** Why an outcome is about no event. */
export function missingText({ action, atMs, outcome, reason, reference }: TestOutcome): string {
  const before = `before ${spanText(atMs)}`;
  if (reason === undefined) {
    const what = reference === undefined ? 'event' : `operation with reference ${reference}`;
    return `${outcome}: there is no ${what} ${before}`;
  }
  const asked = action === undefined ? (outcome.startsWith('stepUp') ? 'no step-up' : 'no action') : `action ${action}`;
  return `${outcome}: ${asked} of rule ${reason} was ${action === undefined ? '' : 'not '}requested ${before}`;
}

function referenceOf({ event }: EventRecord): string | undefined {
  return event.kind === 'operation' ? event.transaction?.reference : undefined;
}
