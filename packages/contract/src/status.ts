import Type from 'typebox';
import { type BodyCheck, bodyCheck } from './check-body.ts';
import {
  type AnsweredAction,
  type AnsweredHold,
  answeredHoldSchema,
  type AnsweredRule,
  type AnsweredSession,
  type AnsweredSuppression,
  choice,
  decidedAnswerSchema,
} from './decision-answer.ts';
import { optionalInteger, optionalText, sessionLengthMax } from './field-schema.ts';
import { pointerOf } from './json-pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue, numberText } from './json-value.ts';
import type { FieldError } from './problem.ts';
import { nodeOf } from './schema-node.ts';

/** What a sender asks about: an event, its newest operation with a reference, or a session. */
export type StatusRequest =
  | { readonly by: 'event'; readonly event: string }
  | { readonly by: 'reference'; readonly user: string; readonly reference: string }
  | {
      readonly by: 'session';
      readonly user: string;
      /** "" is the unnamed session. */
      readonly session: string;
      /** `undefined`: a session of this name in any channel. */
      readonly channelId: number | undefined;
    };

export type StatusParse =
  | { readonly ok: true; readonly request: StatusRequest }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** The states of an action as senders see them. `capped`: held back by its rule's cap until a person releases it. */
export const answeredActionStates = [
  'waiting',
  'due',
  'leased',
  'executed',
  'notExecuted',
  'dead',
  'expired',
  'capped',
  'dropped',
  'observed',
  'notAddressable',
  'erased',
] as const;
export type AnsweredActionState = (typeof answeredActionStates)[number];

export interface StatusAction extends Omit<AnsweredAction, 'message'> {
  /** Absent if it can no longer be read. */
  readonly message?: string;
  readonly state: AnsweredActionState;
  /** ISO 8601. */
  readonly finishedAt?: string;
}

/** What is known of the session and the client right now. Both are absent if the engine did not answer in time. */
export interface LiveStatusAnswer {
  readonly session?: Partial<AnsweredSession> & { readonly active?: boolean };
  readonly client?: {
    readonly blocked: boolean;
    /** ISO 8601. */
    readonly blockedUntil?: string;
  };
}

/** The members about an event are absent in an answer about a session. */
export interface StatusAnswer extends LiveStatusAnswer {
  readonly event?: string;
  readonly status?: 'decided' | 'pending';
  /** Id of the event that this one repeats; the decision belongs to that event. */
  readonly repeatOf?: string;
  readonly fired?: readonly AnsweredRule[];
  readonly suppressed?: readonly AnsweredSuppression[];
  readonly actions?: readonly StatusAction[];
  /** Set if the payment is held, or was. */
  readonly hold?: AnsweredHold;
}

const int32Max = 2_147_483_647;

export const statusRequestSchema = Type.Object(
  {
    event: optionalText({ description: 'Id of the event, from its response.', example: 'evt_1795256130_42' }),
    user: optionalText({ description: 'The client, as in its events.', example: 'client-000123' }),
    reference: optionalText({
      description: '`transaction.reference` as it was sent. Of several operations the newest counts.',
      example: 'REF-0001187',
    }),
    session: optionalText({
      lengthMax: sessionLengthMax,
      description: 'Session identifier; "" is the unnamed session.',
      example: '3f0c2c1e-7a34-4c58-9a41-6f8f0f5f2a11',
    }),
    channelId: optionalInteger({
      minimum: 0,
      maximum: int32Max,
      description: 'Channel of the session. Without it, a session of this name in any channel counts.',
      example: 1,
    }),
  },
  {
    title: 'Status request',
    description: 'Either `event`, or `user` and `reference`, or `user` and `session`. Other members are refused.',
  },
);

const memberNames: ReadonlySet<string> = new Set(Object.keys(statusRequestSchema.properties));
const check: BodyCheck = bodyCheck(nodeOf(statusRequestSchema));

/** Reports all errors together; they never contain a value that was sent. */
export function parseStatusRequest(value: JsonValue): StatusParse {
  // Nothing is stored, so a card number does no harm, and a masked reference would find nothing.
  const { errors } = check(isJsonObject(value) ? pick(value) : value, 'mask');
  if (!isJsonObject(value)) return { ok: false, errors };
  const found = [...errors, ...unknownMembers(value), ...formErrors(value)];
  return found.length > 0 ? { ok: false, errors: found } : { ok: true, request: requestOf(value) };
}

/** Only the known members: unknown ones are refused as a whole. */
function pick(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => memberNames.has(name)));
}

function unknownMembers(body: JsonObject): readonly FieldError[] {
  const isUnknown = Object.keys(body).some((name) => !memberNames.has(name));
  // Its name may be anything, so it is not repeated.
  return isUnknown
    ? [{ pointer: '', detail: 'There is an unknown member.', expected: [...memberNames].join(', ') }]
    : [];
}

/** Null and "" mean absent, except for the session: "" is the unnamed one. */
function has(body: JsonObject, name: string): boolean {
  const value = body[name];
  return value !== undefined && value !== null && (value !== '' || name === 'session');
}

const forms = '"event", or "user" and "reference", or "user" and "session"';

function formErrors(body: JsonObject): readonly FieldError[] {
  const wrong = (name: string, detail: string): FieldError => ({ pointer: pointerOf([name]), detail, expected: forms });
  const given = (names: readonly string[]): readonly string[] => names.filter((name) => has(body, name));
  if (has(body, 'event')) {
    return given(['user', 'reference', 'session', 'channelId']).map((name) =>
      wrong(name, 'This member cannot be combined with "event".'),
    );
  }
  const about = given(['reference', 'session']);
  const errors: FieldError[] = [];
  if (!has(body, 'user') && about.length > 0) errors.push(wrong('user', 'This member is missing.'));
  if (about.length === 0) errors.push({ pointer: '', detail: 'Nothing is asked about.', expected: forms });
  if (about.length === 2) errors.push(wrong('session', 'This member cannot be combined with "reference".'));
  if (has(body, 'channelId') && !about.includes('session'))
    errors.push(wrong('channelId', 'This member is only for a session.'));
  return errors;
}

/** @param body without errors */
function requestOf(body: JsonObject): StatusRequest {
  const text = (name: string): string => body[name] as string;
  if (has(body, 'event')) return { by: 'event', event: text('event') };
  const user = text('user');
  if (has(body, 'reference')) return { by: 'reference', user, reference: text('reference') };
  const channel = has(body, 'channelId') ? numberText(body['channelId']!) : undefined;
  const channelId = channel === undefined ? undefined : Number(channel) + 0;
  return { by: 'session', user, session: text('session'), channelId };
}

const { fired, suppressed, repeatOf, session, actions } = decidedAnswerSchema.properties;
const instant = (description: string) =>
  Type.Unsafe<string>({ type: 'string', description, examples: ['2026-11-21T16:15:30.250Z'] });

export const statusAnswerSchema = Type.Object(
  {
    event: Type.Optional(
      Type.Unsafe<string>({ type: 'string', description: 'Id of the event.', examples: ['evt_1795256130_42'] }),
    ),
    status: Type.Optional(
      choice(
        ['decided', 'pending'],
        '`decided`: the event was decided, and the decision is stored durably; `pending`: it is stored, and not decided. `pending` is no approval.',
      ),
    ),
    repeatOf,
    fired: Type.Optional(fired),
    suppressed,
    actions: Type.Optional(
      Type.Array(
        Type.Object({
          ...actions.items.properties,
          message: Type.Optional(actions.items.properties.message),
          state: choice(
            answeredActionStates,
            '`waiting`: waits for another action of its session; `due`: to be sent; `leased`: being sent; `executed`: answered with code 1; `notExecuted`: code 0; `dead`: every attempt failed; `expired`: too late to send; `capped`: exceeds the cap of its rule, and a person may release it; `dropped`: ended by a person; `observed`: the workspace only observes; `notAddressable`: the event named no client; `erased`: its client was erased.',
          ),
          finishedAt: Type.Optional(instant('When it was finished.')),
        }),
        { description: 'All actions of the event in every state, in order.' },
      ),
    ),
    hold: Type.Optional(answeredHoldSchema),
    session: Type.Optional(
      Type.Object(
        {
          matched: Type.Optional(session.properties.matched),
          mismatch: session.properties.mismatch,
          active: Type.Optional(
            Type.Boolean({
              description: 'Whether the session is active now. Absent if the engine did not answer in time.',
              examples: [true],
            }),
          ),
        },
        { description: 'The session. `matched` and `mismatch` are for decided operations only.' },
      ),
    ),
    client: Type.Optional(
      Type.Object(
        {
          blocked: Type.Boolean({ description: 'Whether the client is blocked now.', examples: [false] }),
          blockedUntil: Type.Optional(instant('When the block ends by itself.')),
        },
        { description: 'The client. Absent if the event names none, or the engine did not answer in time.' },
      ),
    ),
  },
  {
    title: 'Status',
    description:
      'The members about an event are there if, and only if, the request asked about an event or a reference.',
  },
);
