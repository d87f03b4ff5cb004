import { type BodyWarning, warningsOf } from './body-warning.ts';
import { type BodyCheck, bodyCheck, type CardNumbers } from './check-body.ts';
import { eventSchemas } from './event-schema.ts';
import type { Event, EventKind } from './event.ts';
import { isDateAlone, isoDateExpected, parseIsoDate } from './iso-date.ts';
import { isJsonObject, type JsonObject, type JsonValue, printJson } from './json-value.ts';
import { errorsMax, type FieldError } from './problem.ts';
import { readEvent } from './read-event.ts';
import { nodeOf } from './schema-node.ts';
import { instantOf, type TimeZone } from './time-zone.ts';
import type { EpochMs } from './time.ts';

export interface EventParseOptions {
  /** How payment card numbers in free text are treated; account fields and identifiers are exempt. */
  readonly cards: CardNumbers;
  /** For dates without a zone. */
  readonly zone: TimeZone;
  /** Replaces `creditCard.hash` by a keyed hash: a plain one can be reversed with the card's first and last digits. */
  readonly hashCard: (hash: string) => string;
}

export type EventParse =
  | {
      readonly ok: true;
      readonly event: Event;
      /** The event's own time; `undefined` for a login or logout without one, and for a date without a time. */
      readonly statedAtMs: EpochMs | undefined;
      /** The body to store: the original text, or, when something was replaced, the body printed again. */
      readonly bodyText: string;
      readonly warnings: readonly BodyWarning[];
      /** `transaction.reference` as it was sent, if a card number in it was masked. */
      readonly maskedReference: string | undefined;
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const checks: Readonly<Record<EventKind, BodyCheck>> = {
  login: bodyCheck(nodeOf(eventSchemas.login)),
  logout: bodyCheck(nodeOf(eventSchemas.logout)),
  operation: bodyCheck(nodeOf(eventSchemas.operation)),
};

const noWarnings: readonly BodyWarning[] = [];
const timestampMissing: readonly BodyWarning[] = [
  { code: 'timestamp.missing', detail: 'timestamp is missing; transaction.date was used' },
];
const timeMissing: BodyWarning = {
  code: 'timestamp.dateAlone',
  detail: 'the date has no time; the time of arrival was used',
};

/**
 * Validates a body against its schema and converts it to an event. Reports all errors together; they never contain a
 * value that was sent.
 *
 * @param body the result of `parseJson`; replacements change it in place, so don't use it afterwards
 */
export function parseEvent(
  kind: EventKind,
  body: { readonly value: JsonValue; readonly text: string },
  options: EventParseOptions,
): EventParse {
  const { value } = body;
  const sent = kind === 'operation' ? referenceIn(value) : undefined;
  const found = checks[kind](value, options.cards);
  if (!isJsonObject(value)) return { ok: false, errors: found.errors };
  if (found.errors.length > 0) {
    return {
      ok: false,
      errors: (lacksDate(kind, value) ? [dateMissing, ...found.errors] : found.errors).slice(0, errorsMax),
    };
  }
  const hashed = kind === 'operation' ? replaceCardHash(value, options.hashCard) : undefined;
  const bodyText = keptText(body.text, value, { hashed, changed: found.changed });
  const event = readEvent(kind, value);
  const remarks = found.remarks.length === 0 ? noWarnings : warningsOf(nodeOf(eventSchemas[kind]), found.remarks);
  const maskedReference = sent === undefined || referenceIn(value) === sent ? undefined : sent;
  const right = { ok: true, event, bodyText, maskedReference } as const;
  const isOperation = event.kind === 'operation';
  const text = event.timestamp ?? (isOperation ? event.transaction?.date : undefined);
  if (text === undefined) {
    return isOperation ? { ok: false, errors: [dateMissing] } : { ...right, statedAtMs: undefined, warnings: remarks };
  }
  const date = parseIsoDate(text);
  if (typeof date === 'string') return { ok: false, errors: [{ ...dateMissing, detail: date }] };
  const warnings = event.timestamp === undefined ? [...timestampMissing, ...remarks] : remarks;
  if (isDateAlone(text)) return { ...right, statedAtMs: undefined, warnings: [...warnings, timeMissing] };
  return { ...right, statedAtMs: instantOf(date, options.zone), warnings };
}

function referenceIn(body: JsonValue): string | undefined {
  const transaction = isJsonObject(body) ? body['transaction'] : undefined;
  const reference = isJsonObject(transaction) ? transaction['reference'] : undefined;
  return typeof reference === 'string' ? reference : undefined;
}

const dateMissing: FieldError = {
  pointer: '/timestamp',
  detail: 'Both timestamp and transaction.date are missing.',
  expected: isoDateExpected,
};

/** Whether an operation has neither of the two dates. */
function lacksDate(kind: EventKind, { timestamp, transaction }: JsonObject): boolean {
  if (kind !== 'operation' || !isAbsent(timestamp)) return false;
  return isAbsent(isJsonObject(transaction) ? transaction['date'] : undefined);
}

/** The same rule as for all optional members. */
function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}

/** A card hash that was replaced: before and after. */
interface Replaced {
  readonly from: string;
  readonly to: string;
}

function replaceCardHash(body: JsonObject, hashCard: (hash: string) => string): Replaced | undefined {
  const card = body['creditCard'];
  if (!isJsonObject(card)) return undefined;
  const from = card['hash'];
  if (typeof from !== 'string' || from === '') return undefined;
  const to = hashCard(from);
  (card as Record<string, JsonValue>)['hash'] = to;
  return { from, to };
}

/**
 * The text to store. Printing the body again costs as much as parsing it. If nothing is escaped and the hash occurs
 * once, it is replaced in the original text instead.
 */
function keptText(
  text: string,
  value: JsonValue,
  replaced: { readonly hashed: Replaced | undefined; readonly changed: boolean },
): string {
  if (replaced.changed) return printJson(value);
  if (replaced.hashed === undefined) return text;
  const literal = `"${replaced.hashed.from}"`;
  const at = text.indexOf(literal);
  const isPlain = at >= 0 && !text.includes('\\') && text.indexOf(literal, at + 1) < 0;
  if (!isPlain) return printJson(value);
  return text.slice(0, at) + JSON.stringify(replaced.hashed.to) + text.slice(at + literal.length);
}
