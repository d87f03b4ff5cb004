import Type from 'typebox';
import { nameLengthMax, requiredInteger, requiredText } from './field-schema.ts';
import { actionRequestSchema } from './webhook.ts';

/** Seconds that a request may wait for its decision; whoever asks for more waits these. */
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
  /** The rule that asks for it. */
  readonly reason: number;
  /** The `webhook-id` of the request that carries the same action. */
  readonly webhookId: string;
}

/** Whether an operation belongs to an active session, and why not. */
export interface AnsweredSession {
  readonly matched: boolean;
  readonly mismatch?: 'noLogin' | 'otherClient' | 'otherChannel' | 'closed' | 'expired';
}

/** The answer to whoever waited for the decision and got it. */
export interface DecidedAnswer {
  readonly id: string;
  readonly status: 'decided';
  /** Id of the event that this one repeats; the decision is that one's. */
  readonly repeatOf?: string;
  readonly fired: readonly AnsweredRule[];
  readonly actions: readonly AnsweredAction[];
  /** Of operations only. */
  readonly session?: AnsweredSession;
}

/** The answer to whoever waited for the decision and did not get it: it is stored, and nothing else is known. */
export interface PendingAnswer {
  readonly id: string;
  readonly status: 'pending';
}

const int32Max = 2_147_483_647;
const answeredId = requiredText({ description: 'Id of the event.', example: 'evt_1795256130_42' });

function choice<const Choice extends string>(choices: readonly Choice[], description: string): Type.TUnsafe<Choice> {
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
      'The `webhook-id` of the request that carries the same action: executed here, it is not executed there.',
    example: 'act_k3x7q2ma_1795256130_42_302_0',
  }),
});

export const decidedAnswerSchema = Type.Object(
  {
    id: answeredId,
    status: choice(['decided'], 'It was decided.'),
    repeatOf: Type.Optional(
      requiredText({
        description: "Id of the event that this one repeats. The decision is that one's.",
        example: 'evt_1795256130_41',
      }),
    ),
    fired: Type.Array(answeredRule, { description: 'Live rules that fired, in their order. Empty: none did.' }),
    actions: Type.Array(answeredAction, {
      description: 'Actions that the webhook carries, in their order. What is only observed or held is not among them.',
    }),
    session: Type.Optional(
      Type.Object(
        {
          matched: Type.Boolean({ description: 'Whether it belongs to an active session.', examples: [true] }),
          mismatch: Type.Optional(
            choice(['noLogin', 'otherClient', 'otherChannel', 'closed', 'expired'], 'Why it belongs to none.'),
          ),
        },
        { description: 'Of operations only.' },
      ),
    ),
  },
  { title: 'Decided', description: 'The event was decided, and the decision is stored durably.' },
);

export const pendingAnswerSchema = Type.Object(
  { id: answeredId, status: choice(['pending'], 'It was not decided in time.') },
  {
    title: 'Pending',
    description: 'The event is stored durably and was not decided in time. It says nothing for or against the event.',
  },
);
