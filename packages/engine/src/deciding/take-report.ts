import { clientOf, type OutcomeName } from '@ringfence/contract';
import type { AwaitedAction, ClientEntity } from '../clients/client-entity.ts';
import { type StepUpResult, withStepUp } from '../clients/reported-outcomes.ts';
import { trustDevice } from '../devices/trust-device.ts';
import { stepUpReachMs } from '../limits.ts';
import type { EventFrame } from '../plan/event-frame.ts';
import { type EventRecord, type OutcomeReport, type ReportRecord, sameAction } from '../record.ts';
import type { EngineState } from '../state.ts';
import { featureKey } from '../store/store.ts';
import { countFrame } from './decide-pending.ts';
import { fillReportFrame } from './fill-frame.ts';
import { arrivalOf, lookUp } from './look-up.ts';
import { takeJudgement, takeLabel } from './take-label.ts';
import { unblock } from './unblock.ts';

/**
 * Applies what the bank reported about an event, possibly months later:
 *
 * ```
 *   label ─────────▶ fraudShare features, and the trust of the device, as a label does
 *   step-up ───────▶ counts once, for the session and device that were asked, within 15 minutes
 *   unblocked ─────▶ ends the client's block
 *   any ───────────▶ the client's last outcome, and features that count outcomes
 * ```
 */
export function takeReport(state: EngineState, record: ReportRecord): void {
  const { event, logTimeMs, report } = record;
  if (event === undefined) return;
  if (report.label !== undefined) {
    const label = { event, label: report.label, logTimeMs };
    takeLabel(state, label);
    takeJudgement(state, label);
    state.holds.label(event.offset, report.label === 'fraud');
  }
  if (report.outcome === 'unblocked' && event.subject !== undefined) unblock(state, event.subject);
  rememberOutcome(state, event, record);
  if (state.plan.kinds.outcome.counts) countFrame(state, reportFrame(state, event, record));
}

/** Keys of unknown feature entities that the report counts for. Changes no state. */
export function unknownOfReport(state: EngineState, record: ReportRecord): readonly string[] {
  const { event } = record;
  if (event === undefined || !state.plan.kinds.outcome.counts) return [];
  return reportFrame(state, event, record).own.found.flatMap(({ group, key, known }) =>
    !key.isMissing && known === 'unknown' ? [featureKey(group.number, key.text)] : [],
  );
}

/** The facts of an event whose outcome was reported, and the entities that it counts for, at the time of the report. */
function reportFrame(state: EngineState, event: EventRecord, record: ReportRecord): EventFrame {
  const { logTimeMs } = record;
  const subject = clientOf(event.event) === undefined ? undefined : event.subject;
  const client = subject === undefined ? undefined : (state.store.client(subject) ?? undefined);
  const context = lookUp(state, arrivalOf(event, undefined), { nowMs: logTimeMs, client });
  const frame = fillReportFrame(state, context);
  frame.atMs = logTimeMs;
  for (const { slot, read } of state.plan.kinds.outcome.reportReaders) frame.facts[slot] = read(record);
  return frame;
}

const stepUpResults: Readonly<Partial<Record<OutcomeName, StepUpResult['result']>>> = {
  stepUpPassed: 'passed',
  stepUpFailed: 'failed',
  stepUpAbandoned: 'abandoned',
};

function rememberOutcome(
  state: EngineState,
  { subject }: EventRecord,
  { logTimeMs: atMs, report }: ReportRecord,
): void {
  const client = subject === undefined ? undefined : state.store.client(subject);
  if (client === undefined || client === null) return;
  const result = stepUpResults[report.outcome];
  const asked = result === undefined ? undefined : askedBy(client, report, atMs);
  // The result of a step-up that was not asked for, or was asked for too long ago, or is already known.
  if (result !== undefined && asked === undefined) return;
  state.store.changeClient(client.subject, client);
  client.lastOutcome = { outcome: report.outcome, atMs };
  if (result === undefined || asked === undefined) return;
  client.awaited = client.awaited.filter((other) => other !== asked);
  client.stepUps = withStepUp(client.stepUps, { result, atMs, openedOffset: asked.session?.openedOffset });
  if (result === 'passed' && isTrusting(asked, report)) trustDevice(client, asked, atMs);
}

/** The step-up whose result is reported. */
function askedBy(client: ClientEntity, { action }: OutcomeReport, nowMs: number): AwaitedAction | undefined {
  if (action === undefined) return undefined;
  return client.awaited.find(
    (awaited) => sameAction(awaited, action) && awaited.action > 2 && nowMs - awaited.atMs <= stepUpReachMs,
  );
}

/** In the old form any passed step-up makes the device trusted, as its execution does. */
function isTrusting({ methods }: AwaitedAction, { method }: OutcomeReport): boolean {
  return methods === undefined || (method !== undefined && methods.includes(method));
}
