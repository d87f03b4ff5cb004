import { type BodyWarning, warningsOf } from './body-warning.ts';
import { bodyCheck, type CardNumbers } from './check-body.ts';
import type { DecimalText } from './event.ts';
import { isDateAlone, parseIsoDate } from './iso-date.ts';
import { isJsonObject, type JsonObject, type JsonValue, printJson } from './json-value.ts';
import {
  type ChargebackStage,
  type OutcomeName,
  outcomeNames,
  outcomeSchema,
  stepUpOutcomes,
} from './outcome-schema.ts';
import { errorsMax, type FieldError } from './problem.ts';
import { bodyRead } from './read-body.ts';
import { expectedOf, nodeOf } from './schema-node.ts';
import { instantOf, type TimeZone } from './time-zone.ts';
import { type EpochMs, minuteMs } from './time.ts';

/** The report of an outcome, without absent members. It has a `webhookId`, an `event`, or `user` and `reference`. */
export interface OutcomeMessage {
  readonly channelId: number;
  readonly outcome: OutcomeName;
  readonly event?: string;
  readonly user?: string;
  readonly reference?: string;
  readonly webhookId?: string;
  readonly timestamp?: string;
  readonly method?: string;
  readonly type?: string;
  readonly code?: string;
  readonly stage?: ChargebackStage;
  readonly loss?: DecimalText;
  readonly recovered?: DecimalText;
  readonly currency?: string;
  readonly note?: string;
}

export interface OutcomeParseOptions {
  /** How payment card numbers in free text are treated. */
  readonly cards: CardNumbers;
  /** For dates without a zone. */
  readonly zone: TimeZone;
  /** When the report arrived. */
  readonly nowMs: number;
}

export type OutcomeParse =
  | {
      readonly ok: true;
      readonly message: OutcomeMessage;
      /** When it happened; `undefined` if the body does not say so, or says it is still to come. */
      readonly statedAtMs: EpochMs | undefined;
      /** `reference` before a card number in it was masked: operations are found by it. */
      readonly sentReference: string | undefined;
      /** The body to store: the original text, or, when something was replaced, the body printed again. */
      readonly bodyText: string;
      readonly warnings: readonly BodyWarning[];
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const schema = nodeOf(outcomeSchema);
const check = bodyCheck(schema);
const read = bodyRead(schema, {});

/** The clocks of bank and service differ by less. */
const earlyMsMax = 5 * minuteMs;

/**
 * Validates the report of an outcome and reads it. Reports all errors together; they never contain a value that was
 * sent.
 *
 * @param body the result of `parseJson`; replacements change it in place, so don't use it afterwards
 */
export function parseOutcome(
  body: { readonly value: JsonValue; readonly text: string },
  { cards, zone, nowMs }: OutcomeParseOptions,
): OutcomeParse {
  const { value } = body;
  const sent = isJsonObject(value) ? value['reference'] : undefined;
  const found = check(value, cards);
  if (!isJsonObject(value)) return { ok: false, errors: found.errors };
  const errors = [...found.errors, ...relationErrors(value)].slice(0, errorsMax);
  if (errors.length > 0) return { ok: false, errors };
  const message = readOutcome(value);
  const time = statedTime(message.timestamp, zone, nowMs);
  return {
    ok: true,
    message,
    statedAtMs: time.atMs,
    sentReference: message.reference === undefined ? undefined : (sent as string),
    bodyText: found.changed ? printJson(value) : body.text,
    warnings: [...time.warnings, ...warningsOf(schema, found.remarks)],
  };
}

/** The report in a validated body. */
export function readOutcome(body: JsonObject): OutcomeMessage {
  return read(body) as unknown as OutcomeMessage;
}

/** Errors between members. A member that is wrong by itself counts as there. */
function relationErrors(body: JsonObject): readonly FieldError[] {
  const isThere = (name: string): boolean => !isAbsent(body[name]);
  const errors: FieldError[] = [];
  const outcome = body['outcome'];
  if (stepUpOutcomes.has(outcome as OutcomeName)) {
    if (!isThere('webhookId'))
      errors.push(missing('webhookId', 'The result of a step-up needs the action that asked.'));
  } else if (!isThere('event') && !isThere('webhookId')) {
    errors.push(...addressErrors(isThere('user'), isThere('reference')));
  }
  if (isThere('stage') && outcome !== 'chargeback' && outcomeNames.includes(outcome as OutcomeName)) {
    errors.push({ pointer: '/stage', detail: 'Only a chargeback has a stage.', expected: 'no such member' });
  }
  return errors;
}

const addressExpected = 'webhookId, or event, or user and reference';

function addressErrors(hasUser: boolean, hasReference: boolean): readonly FieldError[] {
  if (hasUser && hasReference) return [];
  if (hasUser) return [missing('reference', 'A user alone names no operation.')];
  if (hasReference) return [missing('user', 'A reference alone names no operation.')];
  return [{ pointer: '', detail: 'The report does not say which event it is about.', expected: addressExpected }];
}

function missing(name: string, detail: string): FieldError {
  return { pointer: `/${name}`, detail, expected: expectedOf(schema.properties![name]!) };
}

/** The same rule as for all optional members. */
function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}

const dateAlone: BodyWarning = {
  code: 'timestamp.dateAlone',
  detail: 'the date has no time; the time of arrival was used',
};
const ahead: BodyWarning = {
  code: 'timestamp.implausible',
  detail: 'the time of the outcome is more than 5 minutes ahead; the time of arrival was used',
};

function statedTime(
  text: string | undefined,
  zone: TimeZone,
  nowMs: number,
): { readonly atMs: EpochMs | undefined; readonly warnings: readonly BodyWarning[] } {
  const date = text === undefined ? undefined : parseIsoDate(text);
  if (text === undefined || typeof date === 'string' || date === undefined) return { atMs: undefined, warnings: [] };
  if (isDateAlone(text)) return { atMs: undefined, warnings: [dateAlone] };
  const atMs = instantOf(date, zone);
  return atMs > nowMs + earlyMsMax ? { atMs: undefined, warnings: [ahead] } : { atMs, warnings: [] };
}
