import Type from 'typebox';
import {
  optionalChoice,
  optionalCurrency,
  optionalDate,
  optionalDecimal,
  optionalText,
  requiredChoice,
  requiredInteger,
} from './field-schema.ts';

/** What may happen to an event on the bank's side. Stored checkpoints number this list: append only. */
export const outcomeNames = [
  'stepUpPassed',
  'stepUpFailed',
  'stepUpAbandoned',
  'executed',
  'cancelled',
  'released',
  'rejected',
  'unblocked',
  'fraud',
  'legitimate',
  'chargeback',
  'refund',
  'retracted',
] as const;
export type OutcomeName = (typeof outcomeNames)[number];

/** How far a chargeback has come. */
export const chargebackStages = ['opened', 'won', 'lost'] as const;
export type ChargebackStage = (typeof chargebackStages)[number];

/** The results of a step-up. They concern the action that asked for it, which they must name. */
export const stepUpOutcomes: ReadonlySet<OutcomeName> = new Set(['stepUpPassed', 'stepUpFailed', 'stepUpAbandoned']);

const eventIdLengthMax = 64;
/** An action's id contains those of its workspace, event and rule. */
const webhookIdLengthMax = 128;
/** Methods, types and codes are words of a catalogue. */
const wordLengthMax = 64;
const noteLengthMax = 2_000;

/**
 * The report of an outcome as JSON Schema, in the manner of the three events: the source of validation, of the type
 * `OutcomeBody`, and of the OpenAPI document.
 */
export const outcomeSchema = Type.Object(
  {
    channelId: requiredInteger({
      minimum: 0,
      maximum: 2_147_483_647,
      description: 'Numeric identifier of the digital channel.',
      example: 1,
    }),
    outcome: requiredChoice(outcomeNames, {
      description:
        'What happened: the result of a step-up, what the bank did with the operation or the client, or what the operation turned out to be. `retracted` takes back what was reported before.',
      example: 'chargeback',
    }),
    event: optionalText({
      lengthMax: eventIdLengthMax,
      description: 'Id of the event, as in the answer to it.',
      example: 'evt_1795256130_42',
    }),
    user: optionalText({
      description:
        'The client: `user` of the login, `account.client` of the operation. Together with `reference` it names the operation.',
      example: 'client-000123',
    }),
    reference: optionalText({
      free: 'mask',
      description:
        '`transaction.reference` of the operation. It is used if there is neither `event` nor `webhookId`, and needs `user`.',
      example: 'REF-0001187',
    }),
    webhookId: optionalText({
      lengthMax: webhookIdLengthMax,
      description:
        'The `webhook-id` of the action that the outcome is about. The results of a step-up need the one of the action that asked for it.',
      example: 'act_k3x7q2ma_1795256130_42_302_0',
    }),
    timestamp: optionalDate({
      description:
        'When it happened, ISO 8601, years 2000 to 2099. Without a time zone, the time zone of the workspace applies. More than 5 minutes ahead, the arrival counts, with a warning.',
      example: '2026-11-23T09:00:00-06:00',
    }),
    method: optionalText({
      lengthMax: wordLengthMax,
      free: true,
      description: 'How a step-up was done.',
      example: 'passkey',
    }),
    type: optionalText({
      lengthMax: wordLengthMax,
      free: true,
      description: 'The type of fraud, in words of the bank.',
      example: 'accountTakeover',
    }),
    code: optionalText({
      lengthMax: wordLengthMax,
      free: true,
      description:
        'Reason code of a chargeback, as the card scheme writes it. The workspace configures which codes mean fraud.',
      example: '4837',
    }),
    stage: optionalChoice(chargebackStages, {
      description:
        'Of a chargeback, and only there: `opened` by the cardholder; `won` by the payment, which stays as it was; `lost`, and the amount is returned.',
      example: 'opened',
    }),
    loss: optionalDecimal({
      minimum: 0,
      description:
        'What the bank lost by it, at most 18 digits before and 6 after the decimal point; more decimals are rounded half-even, with a warning. It replaces the value reported before.',
      example: 120.5,
    }),
    recovered: optionalDecimal({
      minimum: 0,
      description: 'What came back of it, in the form of `loss`. It replaces the value reported before.',
      example: 20,
    }),
    currency: optionalCurrency({
      description:
        'Currency of `loss` and `recovered`. Spaces around it are removed and letters become capitals; the response then contains a warning, as it does for a code that ISO 4217 does not have.',
      example: 'GTQ',
    }),
    note: optionalText({
      lengthMax: noteLengthMax,
      free: true,
      description: 'For people. Unreadable once the client is erased.',
      example: 'The client called the hotline.',
    }),
  },
  {
    title: 'Outcome report',
    // As a rule over members (`anyOf`) generators make a type of its own for each case.
    description:
      'The outcome of an operation or a login that was reported before. It is named by `webhookId`, by `event`, or by `user` and `reference`; a report without any of them is refused.',
  },
);

/** The body as the sender writes it. Parsed, it is an `OutcomeMessage`. */
export type OutcomeBody = Type.Static<typeof outcomeSchema>;
