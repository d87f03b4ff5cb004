import type { Content } from '../content.ts';
import { limits } from '../limits.ts';
import type { ValueSchema } from './about.ts';
import { absentReasons } from './absent-reasons.ts';
import { abouts } from './abouts.ts';

/** A part of a JSON Schema. */
type Schema = Readonly<Record<string, unknown>>;

const random16 = '^[A-Za-z0-9_-]{22}$';
const reasons = Object.keys(absentReasons);
const seconds = { type: 'integer', minimum: 0, maximum: 99_999_999_999 };

const device: Schema = {
  description: 'The id that this device stores for this bank, or why it stores none; `off`: the bank disabled it.',
  oneOf: [
    {
      type: 'object',
      properties: {
        id: { description: '16 random bytes, base64url.', type: 'string', pattern: random16 },
        createdAt: { description: 'Seconds since 1970 when the id was made, by the clock of the device.', ...seconds },
        found: {
          description: 'Stores that contained the id before this token was made. Empty: the id is new.',
          type: 'array',
          items: { type: 'string', maxLength: 64 },
          maxItems: 8,
        },
        proof: {
          description:
            "Compact JWS, ES256, with the public key of the device in its header (`jwk`), over {id, nonce, iat, origin} of this token. Missing if the device can't store keys.",
          type: 'string',
          maxLength: 2_048,
          pattern: String.raw`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}$`,
        },
      },
      required: ['id', 'createdAt', 'found'],
    },
    { type: 'object', properties: { absent: { enum: [...reasons, 'off'] } }, required: ['absent'] },
  ],
};

const members: Readonly<Record<keyof Content, Schema>> = {
  format: { description: 'Version of this content. Another number is another format.', const: 1 },
  iat: { description: 'Seconds since 1970 when the token was made, by the clock of the device.', ...seconds },
  nonce: { description: '16 random bytes, base64url. A token can be used once.', type: 'string', pattern: random16 },
  origin: {
    description: 'Origin of the page, as in `location.origin`; for an app `android:` or `ios:` and the id of the app.',
    type: 'string',
    maxLength: limits.textLengthMax,
  },
  sdk: {
    description: 'Name and version of the SDK: `ringfence-web/0.1.0`.',
    type: 'string',
    pattern: String.raw`^[a-z0-9-]{1,32}/[0-9A-Za-z.+-]{1,32}$`,
  },
  channelId: { description: 'The digital channel, the same number as in the login.', type: 'integer' },
  profile: { description: 'Which signals were requested, before single switches.', enum: ['essential', 'full'] },
  tookMs: { description: 'From the call to the encryption.', type: 'integer', minimum: 0 },
  device,
  signals: {
    description: 'Values by the names of the signals. A reader ignores names that it does not know.',
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(abouts).map(([name, { what, schema }]) => [name, named(what, schema)]),
    ),
    maxProperties: 128,
  },
  absent: {
    description: 'Why a requested signal has no value, by its name. A signal in neither was not requested.',
    type: 'object',
    additionalProperties: { enum: reasons },
    maxProperties: 128,
  },
};

/** JSON Schema (2020-12) of a token's content: what every SDK writes and every reader may expect. */
export function contentSchema(): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:ringfence:device-content:1',
    title: 'Content of a device token',
    description: `UTF-8, at most ${limits.contentBytesMax} bytes, at most 256 keys and 8 levels, without NUL and lone surrogates. Anyone who can create a page can encrypt anything: these are unverified claims.`,
    type: 'object',
    properties: members,
    required: Object.keys(members),
  };
}

function named(description: string, schema: ValueSchema): Schema {
  return { description, ...schema };
}
