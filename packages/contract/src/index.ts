export { assert, InvariantError, NewerFormError, unreachable } from './assert.ts';
export { ByteReader } from './byte-reader.ts';
export { ByteWriter, intBytesMax, putInt, putUint, uintBytesMax } from './byte-writer.ts';
export type { BodyWarning } from './body-warning.ts';
export { codePointCount } from './code-point-count.ts';
export { csvCells } from './csv/csv-cells.ts';
export { endExpected, instantOfEnd, itemColumns, type ItemRefusal, readItems } from './csv/read-items.ts';
export { type RawRecord, recordBytesMax, RecordSplitter } from './csv/record-splitter.ts';
export { csvLine } from './csv/write-csv.ts';
export {
  type Decimal,
  type DecimalBounds,
  decimalOne,
  divideDecimal,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
} from './decimal.ts';
export {
  type AnsweredAction,
  type AnsweredRule,
  type AnsweredSession,
  type AnsweredHold,
  type AnsweredSuppression,
  type DecidedAnswer,
  decidedAnswerSchema,
  type PendingAnswer,
  pendingAnswerSchema,
  waitSecondsMax,
} from './decision-answer.ts';
export { type OpenedEvent, openEvent, printEventRecord } from './event-record.ts';
export { eventSchemas } from './event-schema.ts';
export {
  clientOf,
  type DecimalText,
  type Enrichment,
  type Event,
  type EventKind,
  eventKinds,
  isEventKind,
  type Login,
  type Logout,
  type Operation,
  sessionOf,
} from './event.ts';
export { integerFormat, nulFreePattern } from './field-schema.ts';
export { fraudCodesDefault } from './fraud-codes.ts';
export { fraudTypes, type OwnFraudType } from './fraud-types.ts';
export {
  canonicalAddress,
  firstAddress,
  hasHostBits,
  type IpAddress,
  type IpNetwork,
  isInNetwork,
  parseIpAddress,
  parseIpNetwork,
  printIpAddress,
  printIpNetwork,
  subnetOf,
  translatedIpv4,
} from './ip-address.ts';
export { isDateAlone, type IsoDate, parseIsoDate } from './iso-date.ts';
export { countryMeant, isCountryCode } from './country.ts';
export { currencyPlaces, foldCurrencyCode } from './currency.ts';
export { sessionLengthMax } from './field-schema.ts';
export { parseJson } from './json.ts';
export { jsonKeysMax } from './json-reader.ts';
export { pointerOf } from './json-pointer.ts';
export {
  canonicalText,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  NumberText,
  printJson,
} from './json-value.ts';
export {
  type ChargebackStage,
  chargebackStages,
  type OutcomeBody,
  type OutcomeName,
  outcomeNames,
  outcomeSchema,
  stepUpOutcomes,
} from './outcome-schema.ts';
export { type EventParse, type EventParseOptions, parseEvent } from './parse-event.ts';
export { type OutcomeMessage, type OutcomeParse, parseOutcome, readOutcome } from './parse-outcome.ts';
export { errorsMax, type FieldError, Problem, type ProblemCode, problems } from './problem.ts';
export { problemDetails, type ProblemDetails, problemMediaType, problemType } from './problem-details.ts';
export { bigProduct, safeNumber } from './small-bigint.ts';
export { schemaExample } from './schema-example.ts';
export {
  answeredActionStates,
  type AnsweredActionState,
  type LiveStatusAnswer,
  parseStatusRequest,
  type StatusAction,
  type StatusAnswer,
  statusAnswerSchema,
  type StatusRequest,
  statusRequestSchema,
} from './status.ts';
export { instantOf, type TimeZone, timeZone } from './time-zone.ts';
export { dayMs, type EpochMs, hourMs, minuteMs, secondMs } from './time.ts';
export { type ActionRequest, actionRequestSchema, type ActionResponse, actionResponseSchema } from './webhook.ts';
export { encodeUtf8 } from './text-encoding.ts';
export { unlessMasked } from './card-number.ts';
