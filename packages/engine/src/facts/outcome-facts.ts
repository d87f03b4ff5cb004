import { clientOf, dayMs, type Decimal, parseDecimal } from '@ringfence/contract';
import type { FactValue } from '@ringfence/policy';
import { isRemembered, type LastOutcome, type StepUpResult } from '../clients/reported-outcomes.ts';
import { deviceBehind } from '../devices/judge-device.ts';
import type { ReportRecord } from '../record.ts';
import type { EventContext } from './event-context.ts';
import { type FactReader, wireFacts } from './wire-facts.ts';

/*
 * Facts about outcomes that the bank reported: those that events have, because the engine remembers outcomes of their
 * client, and those of a report itself, which only features read.
 */

/** A fact of events that name a client. */
function ofClient(read: (context: EventContext, loggedAtMs: number) => FactValue): FactReader {
  return (context) =>
    clientOf(context.event) === undefined ? undefined : read(context, context.arrival.record.logTimeMs);
}

function lastStepUp(
  { client }: EventContext,
  nowMs: number,
  fits: (one: StepUpResult) => boolean,
): StepUpResult | undefined {
  const last = client?.stepUps.findLast(fits);
  return last !== undefined && isRemembered(last.atMs, nowMs) ? last : undefined;
}

function lastOutcome({ client }: EventContext, nowMs: number): LastOutcome | undefined {
  const last = client?.lastOutcome;
  return last !== undefined && isRemembered(last.atMs, nowMs) ? last : undefined;
}

/** Results after the last passed one. */
function stepUpsFailed({ client }: EventContext, nowMs: number): number {
  const results = client?.stepUps ?? [];
  let failed = 0;
  for (let place = results.length - 1; place >= 0 && results[place]!.result !== 'passed'; place--) {
    if (results[place]!.atMs > nowMs - dayMs) failed++;
  }
  return failed;
}

/** An operation that waited for its login can be older than the outcome. */
function sinceMs(nowMs: number, atMs: number | undefined): FactValue {
  return atMs === undefined ? undefined : Math.max(0, nowMs - atMs);
}

/** Facts of events, by path. The policy package's table of facts documents each. */
export const outcomeMemoryFacts: Readonly<Record<string, FactReader>> = {
  'client.stepUpsFailed': ofClient(stepUpsFailed),
  'client.stepUpPassedAgo': ofClient((context, nowMs) =>
    sinceMs(nowMs, lastStepUp(context, nowMs, ({ result }) => result === 'passed')?.atMs),
  ),
  'client.lastStepUp': ofClient((context, nowMs) => lastStepUp(context, nowMs, () => true)?.result ?? 'none'),
  'client.lastOutcome': ofClient((context, nowMs) => lastOutcome(context, nowMs)?.outcome ?? 'none'),
  'client.lastOutcomeAgo': ofClient((context, nowMs) => sinceMs(nowMs, lastOutcome(context, nowMs)?.atMs)),
  'session.stepUpPassed': ({ client, session: { after } }) =>
    after !== undefined &&
    client?.stepUps.some(({ result, openedOffset }) => result === 'passed' && openedOffset === after.openedOffset) ===
      true,
};

/** Reads one fact of a report. */
export type ReportReader = (record: ReportRecord) => FactValue;

/** Facts of reports, by path. */
export const reportFacts: Readonly<Record<string, ReportReader>> = {
  'outcome.kind': ({ report }) => report.outcome,
  'outcome.method': ({ report }) => report.method,
  'outcome.type': ({ report }) => report.type,
  'outcome.code': ({ report }) => report.code,
  'outcome.stage': ({ report }) => report.stage,
  'outcome.loss': ({ report }) => amountOf(report.loss),
  'outcome.recovered': ({ report }) => amountOf(report.recovered),
  'outcome.currency': ({ report, event: record }) =>
    report.currency ?? (record?.event.kind === 'operation' ? record.event.order?.currency : undefined),
};

/** Covers every amount that a report may state. */
const amountBounds = { integerDigits: 30, scale: 12 } as const;

function amountOf(text: string | undefined): Decimal | undefined {
  return text === undefined ? undefined : parseDecimal(text, amountBounds);
}

/**
 * An event that reads a feature over losses asks for those in the currency of its own amount: there, the facts of the
 * amount take the places of those of the loss.
 */
export const askedAmounts: Readonly<Record<string, FactReader>> = {
  'outcome.loss': wireFacts['order.amount']!,
  'outcome.recovered': wireFacts['order.amount']!,
  'outcome.currency': wireFacts['order.currency']!,
};

/** The device of an event whose outcome was reported; all its other facts are in its record. */
export function reportedDevice({ arrival, client }: EventContext): FactValue {
  return client === undefined ? undefined : deviceBehind(client, arrival.record)?.id;
}

/** Reads an enrichment fact that the event's record contains. */
export function recordedReader(path: string): FactReader {
  if (path === 'device.id') return reportedDevice;
  return ({ arrival }) => arrival.record.enrichment.facts[path];
}
