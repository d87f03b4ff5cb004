import Type from 'typebox';
import { optionalText, requiredInteger, requiredText, sessionLengthMax } from './field-schema.ts';

/** The body of a webhook request, spec 2.4. */
export interface ActionRequest {
  readonly action: number;
  readonly channel: number;
  /** ISO 8601, with zone by default; local time without zone if the workspace is configured so. */
  readonly date: string;
  readonly message: string;
  readonly reason: number;
  readonly session: string;
  /** Hex HMAC-SHA-256 of the client under the workspace's pepper, or plain SHA-256 if configured. */
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

/** Limit of a message to a user or an HTML template. */
const actionMessageLengthMax = 16_384;
/**
 * Limit of the client's description of the result. More is cut off: a long text must not make an executed action fail.
 */
const responseMessageLengthMax = 4_096;
const int32Max = 2_147_483_647;

/** The limit after filling in a template of maximal length with fifty values in which every character is escaped. */
const renderedMessageLengthMax = 4 * actionMessageLengthMax;

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
      lengthMax: renderedMessageLengthMax,
      description: 'Message to the user, or an HTML template.',
      example: 'Your session was closed.',
    }),
    reason: requiredInteger({
      minimum: 0,
      maximum: int32Max,
      description: 'Identifier of the rule that was triggered.',
      example: 101,
    }),
    session: requiredText({
      lengthMax: sessionLengthMax,
      description: 'Session identifier; "" for an unnamed session.',
      example: '3f0c2c1e-7a34',
    }),
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
      format: 'int32',
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
  { title: 'Action response', description: 'The result of the action.' },
);
