import Type from 'typebox';
import { bodyCheck } from './check-body.ts';
import { survivesAsDouble } from './decimal.ts';
import { optionalText, requiredInteger, requiredText } from './field-schema.ts';
import { parseJson } from './json.ts';
import { isJsonObject, numberText } from './json-value.ts';
import type { FieldError } from './problem.ts';
import { bodyRead } from './read-body.ts';
import { nodeOf } from './schema-node.ts';

/** The body of a webhook request, spec 2.4. */
export interface ActionRequest {
  readonly action: number;
  readonly channel: number;
  /** ISO 8601; with zone by default, local without zone when the workspace says so. */
  readonly date: string;
  readonly message: string;
  readonly reason: number;
  readonly session: string;
  /** Hex HMAC-SHA-256 of the client under the workspace's pepper, or plain SHA-256 by setting. */
  readonly client: string;
  /** RSA-OAEP of the client, base64; only when the workspace has a public key. */
  readonly clientRSA?: string;
}

/** The body of a webhook response, spec 2.5. */
export interface ActionResponse {
  /** 1 = executed, 0 = not executed. */
  readonly code: 0 | 1;
  readonly message?: string;
}

/** Of a message to a user, or of an HTML template. */
export const actionMessageLengthMax = 16_384;
/** Of what the client's side tells about the result. More is cut off: too long a text must not undo an action. */
export const responseMessageLengthMax = 4_096;
const int32Max = 2_147_483_647;

export const actionRequestSchema = Type.Object(
  {
    action: requiredInteger({
      minimum: 1,
      maximum: int32Max,
      description:
        'Action to execute: 1 block the user, 2 close the session, 3 send an e-mail, 4 send an SMS, 5 send both, 6 and above as agreed.',
      example: 2,
    }),
    channel: requiredInteger({ minimum: 0, maximum: int32Max, description: 'Channel identifier.', example: 1 }),
    date: requiredText({
      description: 'Date and time at which the rule was triggered, ISO 8601.',
      example: '2026-11-21T10:15:30.123-06:00',
    }),
    message: requiredText({
      lengthMax: actionMessageLengthMax,
      description: 'Message to the user, or an HTML template.',
      example: 'Your session was closed.',
    }),
    reason: requiredInteger({
      minimum: 0,
      maximum: int32Max,
      description: 'Identifier of the rule that was triggered.',
      example: 101,
    }),
    session: requiredText({ description: 'Session identifier; "" for an unnamed session.', example: '3f0c2c1e-7a34' }),
    client: requiredText({
      description: 'Hashed user identifier, hexadecimal.',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
    clientRSA: optionalText({
      lengthMax: 2_048,
      description: 'RSA-encrypted user identifier, base64.',
      example: 'YmFzZTY0',
    }),
  },
  { title: 'Action request', description: 'Sent when a rule was triggered.' },
);

export const actionResponseSchema = Type.Object(
  {
    code: Type.Unsafe<0 | 1>({
      type: 'integer',
      enum: [0, 1],
      minimum: 0,
      maximum: 1,
      description: '1 = the action was executed, 0 = it was not.',
      examples: [1],
    }),
    message: optionalText({
      lengthMax: responseMessageLengthMax,
      description: 'Description of the result or of the error.',
      example: 'The session was closed.',
    }),
  },
  { title: 'Action response', description: 'What became of the action.' },
);

/** Members in the order of the specification. */
export function printActionRequest(request: ActionRequest): string {
  const { action, channel, date, message, reason, session, client, clientRSA } = request;
  return JSON.stringify({ action, channel, date, message, reason, session, client, clientRSA });
}

export type ActionRequestParse =
  | { readonly ok: true; readonly request: ActionRequest }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const checkRequest = bodyCheck(nodeOf(actionRequestSchema));
const readRequest = bodyRead(nodeOf(actionRequestSchema));

/** For receivers. Unknown members are ignored. */
export function parseActionRequest(bytes: Uint8Array | string): ActionRequestParse {
  const body = parseJson(bytes);
  if (!body.ok) return { ok: false, errors: [body.error] };
  const { errors } = checkRequest(body.value, 'keep');
  if (errors.length > 0 || !isJsonObject(body.value)) return { ok: false, errors };
  return { ok: true, request: readRequest(body.value) as unknown as ActionRequest };
}

export type ActionResponseParse =
  | { readonly ok: true; readonly response: ActionResponse }
  /** What is wrong; holds nothing of what was received. */
  | { readonly ok: false; readonly error: FieldError };

/**
 * Reads the answer to a webhook request, from a stranger's server: strict about `code`, because everything else than
 * 1 and 0 is no answer; a `message` that is no string counts as none, and one that is too long is cut.
 */
export function parseActionResponse(bytes: Uint8Array | string): ActionResponseParse {
  const body = parseJson(bytes);
  if (!body.ok) return body;
  if (!isJsonObject(body.value))
    return { ok: false, error: { pointer: '', detail: 'This is no object.', expected: 'an object' } };
  const digits = numberText(body.value['code'] ?? null);
  // Adding zero makes 0 of -0.
  const code = digits !== undefined && survivesAsDouble(digits) ? Number(digits) + 0 : undefined;
  if (code !== 0 && code !== 1)
    return { ok: false, error: { pointer: '/code', detail: 'This is no result.', expected: '0 or 1' } };
  const message = body.value['message'];
  // Cutting may part a surrogate pair; what is left of it is replaced.
  if (typeof message !== 'string' || message === '') return { ok: true, response: { code } };
  return { ok: true, response: { code, message: message.slice(0, responseMessageLengthMax).toWellFormed() } };
}
