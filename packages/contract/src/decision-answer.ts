import Type from 'typebox';
import { nameLengthMax, requiredInteger, requiredText } from './field-schema.ts';
import { actionRequestSchema } from './webhook.ts';

/** The longest time that a request can wait for its decision, in seconds; a larger value is reduced to this one. */
export const waitSecondsMax = 5;

/** A live rule that fired. */
export interface AnsweredRule {
  readonly reason: number;
  readonly name: string;
}

/** An action as the webhook carries it. */
export interface AnsweredAction {
  readonly action: number;
  readonly message: string;
  /** The rule that requested the action. */
  readonly reason: number;
  /** The `webhook-id` of the webhook request with the same action. */
  readonly webhookId: string;
}

/**
 * An action that a live rule would have requested, and why it was not: the rule had fired for the client within its
 * cooldown, a person had made an exception, the event is in the control group of a model, or the rule's cap on actions
 * was reached.
 */
export interface AnsweredSuppression {
  readonly reason: number;
  readonly why: 'cooldown' | 'exception' | 'control' | 'cap';
  readonly action: number;
}

/** A payment that the bank was asked to hold. */
export interface AnsweredHold {
  /** The `webhook-id` of the action that asked for it; the action that ends it names it in `ringfence-resolves`. */
  readonly webhookId: string;
  readonly state: 'open' | 'released' | 'rejected' | 'unresolved';
  /** When it ends by itself, ISO 8601. */
  readonly deadline: string;
  /** What happens then. */
  readonly otherwise: 'release' | 'reject' | 'keep';
  readonly resolvedAt?: string;
  readonly resolvedBy?: 'person' | 'deadline' | 'bank' | 'age' | 'erased' | 'dropped' | 'crowded';
  /** The `webhook-id` of the action that says so to the bank. */
  readonly resolvedWith?: string;
}

/** Whether an operation belongs to an active session, and the reason if it does not. */
export interface AnsweredSession {
  readonly matched: boolean;
  readonly mismatch?: 'noLogin' | 'otherClient' | 'otherChannel' | 'closed' | 'expired';
}

/** The response when the decision was made while the request waited. */
export interface DecidedAnswer {
  readonly id: string;
  readonly status: 'decided';
  /** Id of the event that this one repeats; the decision belongs to that event. */
  readonly repeatOf?: string;
  readonly fired: readonly AnsweredRule[];
  readonly actions: readonly AnsweredAction[];
  /** Absent if there is none. With one, an answer without actions is no approval. */
  readonly suppressed?: readonly AnsweredSuppression[];
  /** Set if the payment is held, or was. */
  readonly hold?: AnsweredHold;
  /** For operations only. */
  readonly session?: AnsweredSession;
}

/** The response when the decision was not made in time: the event is stored, and nothing else is known. */
export interface PendingAnswer {
  readonly id: string;
  readonly status: 'pending';
}

const int32Max = 2_147_483_647;
const answeredId = requiredText({ description: 'Id of the event.', example: 'evt_1795256130_42' });

/** A text that is one of a few. */
export function choice<const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): Type.TUnsafe<Choice> {
  return Type.Unsafe<Choice>({ type: 'string', enum: choices, description, examples: [choices[0]] });
}

const answeredRule = Type.Object({
  reason: requiredInteger({ minimum: 0, maximum: int32Max, description: 'Identifier of the rule.', example: 302 }),
  name: requiredText({ description: 'Its name.', example: 'First payee from a new device', lengthMax: nameLengthMax }),
});

const answeredAction = Type.Object({
  action: requiredInteger({
    minimum: 1,
    maximum: int32Max,
    description: 'Action to execute, as in the action request.',
    example: 2,
  }),
  message: actionRequestSchema.properties.message,
  reason: requiredInteger({
    minimum: 0,
    maximum: int32Max,
    description: 'Identifier of the rule that was triggered.',
    example: 302,
  }),
  webhookId: requiredText({
    description:
      'The `webhook-id` of the webhook request with the same action. If you execute it here, do not execute it there.',
    example: 'act_k3x7q2ma_1795256130_42_302_0',
  }),
});

const answeredSuppression = Type.Object({
  reason: requiredInteger({ minimum: 0, maximum: int32Max, description: 'Identifier of the rule.', example: 302 }),
  why: choice(
    ['cooldown', 'exception', 'control', 'cap'],
    '`cooldown`: the rule fired for this client or session shortly before; `exception`: a person made an exception; `control`: the event is in the control group of a model, whose rules do not act on it; `cap`: the rule has reached its cap on actions, and a person may release it.',
  ),
  action: requiredInteger({ minimum: 1, maximum: int32Max, description: 'The action that is not sent.', example: 7 }),
});

const instant = (description: string): ReturnType<typeof requiredText> =>
  requiredText({ description, example: '2026-11-27T12:37:03.000Z' });

export const answeredHoldSchema = Type.Object(
  {
    webhookId: requiredText({
      description:
        'The `webhook-id` of the action that asked to hold the payment. The action that ends the hold names it in its header `ringfence-resolves`.',
      example: 'act_k3x7q2ma_1795256130_42_402_0',
    }),
    state: choice(
      ['open', 'released', 'rejected', 'unresolved'],
      'Whether the payment is held, or how the hold ended. `unresolved`: it ended without a decision, and no action follows.',
    ),
    deadline: instant('When the hold ends by itself.'),
    otherwise: choice(['release', 'reject', 'keep'], 'What happens at the deadline if no person has decided.'),
    resolvedAt: Type.Optional(instant('When the hold ended.')),
    resolvedBy: Type.Optional(
      choice(
        ['person', 'deadline', 'bank', 'age', 'erased', 'dropped', 'crowded'],
        'What ended it: a person, its deadline, the bank by itself, 30 days, the erasure of the client, a person who dropped the capped action, or too many holds.',
      ),
    ),
    resolvedWith: Type.Optional(
      requiredText({
        description: 'The `webhook-id` of the action that releases or rejects the payment.',
        example: 'act_k3x7q2ma_1795256130_42_402_100',
      }),
    ),
  },
  { description: 'Present if the payment is held, or was.' },
);

export const decidedAnswerSchema = Type.Object(
  {
    id: answeredId,
    status: choice(['decided'], 'The event was decided.'),
    repeatOf: Type.Optional(
      requiredText({
        description: 'Id of the event that this one repeats. The decision belongs to that event.',
        example: 'evt_1795256130_41',
      }),
    ),
    fired: Type.Array(answeredRule, { description: 'Live rules that fired, in policy order. Empty if no rule fired.' }),
    actions: Type.Array(answeredAction, {
      description: 'Actions sent by webhook, in order. Observed and capped actions are not included.',
    }),
    suppressed: Type.Optional(
      Type.Array(answeredSuppression, {
        description:
          'Actions that live rules did not request, although their conditions were met. Absent if there is none. With one, an answer without actions is no approval.',
      }),
    ),
    hold: Type.Optional(answeredHoldSchema),
    session: Type.Optional(
      Type.Object(
        {
          matched: Type.Boolean({
            description: 'Whether the operation belongs to an active session.',
            examples: [true],
          }),
          mismatch: Type.Optional(
            choice(
              ['noLogin', 'otherClient', 'otherChannel', 'closed', 'expired'],
              'Why the operation belongs to no active session.',
            ),
          ),
        },
        { description: 'For operations only.' },
      ),
    ),
  },
  { title: 'Decided', description: 'The event was decided, and the decision is stored durably.' },
);

export const pendingAnswerSchema = Type.Object(
  { id: answeredId, status: choice(['pending'], 'The event was not decided in time.') },
  {
    title: 'Pending',
    description:
      'The event is stored durably, but was not decided in time. This implies nothing about the event itself.',
  },
);
