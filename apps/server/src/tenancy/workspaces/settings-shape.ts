import { secondMs, timeZone } from '@ringfence/contract';
import { checkPublicKey } from '@ringfence/delivery';
import { sessionGraceMsMax } from '@ringfence/engine';
import { isZoneName } from '@ringfence/policy';
import { Type } from 'typebox';
import { exactly, listOf, oneOf, type Refusal, text, wholeNumber, yesOrNo } from '../../platform/shapes/shape.ts';
import { keptByDefault, keptExpected, keptMs } from './retention-period.ts';
import { certificateRefusal, clientKeyRefusal, keyBelongsTo } from './pem.ts';

/** Longest PEM that is taken: a chain of some twenty certificates. */
const pemLengthMax = 65_536;

/** Most channels of one workspace. */
export const channelsMax = 1_000;
const int32Max = 2_147_483_647;
const day = 1_440;

/** A person's name for a thing: shown in lists, typed in commands. */
export const nameShape = text({
  maxLength: 64,
  expected: 'a name of 1 to 64 letters, digits, spaces, ".", "_" or "-", beginning with a letter or digit',
  refine: (name) =>
    /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u.test(name)
      ? undefined
      : 'a name of letters, digits, spaces, ".", "_" or "-", beginning with a letter or digit',
});

export const environmentShape = oneOf(['production', 'development']);

export const channelShape = exactly({
  id: wholeNumber({ minimum: 0, maximum: int32Max, description: 'The `channelId` that events carry.' }),
  name: nameShape,
  idleMinutes: wholeNumber({
    minimum: 1,
    maximum: day,
    unit: 'minutes',
    default: 30,
    description: 'A session without an event for so long has expired.',
  }),
  absoluteHours: wholeNumber({
    minimum: 1,
    maximum: 168,
    unit: 'hours',
    default: 12,
    description: 'A session expires so long after its login, whatever happens.',
  }),
  sessions: oneOf(['required', 'optional'], {
    default: 'required',
    description: '`optional`: operations of this channel are not expected to have a session.',
  }),
  device: Type.Optional(
    oneOf(['token', 'none'], {
      description:
        '`none`: `data` of its logins is no device token, like that of an app with the SDK of another product; there are no device facts then. Left out: `token`.',
    }),
  ),
});

export const channelsShape = listOf(channelShape, {
  maxItems: channelsMax,
  refine: (channels) => repeated(channels.map((channel) => channel.id)),
});

function repeated(ids: readonly number[]): readonly Refusal[] | undefined {
  const refusals = ids.flatMap((id, i) =>
    ids.indexOf(id) < i ? [{ path: [i, 'id'], expected: `another id: ${id} is the id of a channel above` }] : [],
  );
  return refusals.length === 0 ? undefined : refusals;
}

const timezoneShape = text({
  maxLength: 64,
  default: 'UTC',
  expected: 'an IANA time zone, like America/Mexico_City',
  description: 'For dates that come without a zone, and for local dates in webhooks.',
  refine: (zone) => (isTimezone(zone) ? undefined : 'an IANA time zone, like America/Mexico_City'),
});

function isTimezone(zone: string): boolean {
  // Known to the runtime, which reads dates at the door, and to the table by which rules go. Offsets like +02:00 are
  // wrong half the year where clocks change: not offered.
  return isZoneName(zone) && timeZone(zone) !== undefined;
}

function keptShape(description: string, byDefault?: string): Type.TString {
  return text({
    maxLength: 8,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    expected: keptExpected,
    description,
    refine: (written) => (keptMs(written) === undefined ? keptExpected : undefined),
  });
}

/** Most origins of one workspace: pages, apps and their versions for tests. */
const originsMax = 32;
const originExpected = 'an origin, like https://bank.example or android:com.bank.app, without a path';

const originShape = text({
  maxLength: 512,
  expected: originExpected,
  refine: (origin) => (isOrigin(origin) ? undefined : originExpected),
});

function isOrigin(text: string): boolean {
  return /^(?:android|ios):[A-Za-z0-9._-]+$/.test(text) || (/^https?:/.test(text) && URL.parse(text)?.origin === text);
}

/** What the file and the management API write the same way. */
export const generalMembers = {
  timezone: timezoneShape,
  cards: oneOf(['mask', 'refuse'], {
    default: 'mask',
    description: 'What to do with card numbers in free text: mask them, or refuse the event.',
  }),
  sessionGraceSeconds: wholeNumber({
    minimum: 0,
    maximum: sessionGraceMsMax / secondMs,
    unit: 'seconds',
    default: 5,
    description: 'How long an operation waits for its login.',
  }),
  blockHours: wholeNumber({
    minimum: 1,
    maximum: 8_760,
    unit: 'hours',
    default: 24,
    description: 'How long an executed block of a client lasts.',
  }),
  keepEvents: keptShape(
    'How long events are kept, with their decisions: days like `400d`, or `forever`.',
    keptByDefault,
  ),
  keepActions: keptShape(
    'How long actions are kept after their end, with their attempts: days, or `forever`.',
    keptByDefault,
  ),
  keepDeviceTokens: Type.Optional(
    keptShape(
      'How long what device tokens hold can be read, at the longest: days, or `forever`. Their key is rotated every half of that, so pages must ask for it at run time. Left out: no key is rotated by itself.',
    ),
  ),
  fourEyes: Type.Optional(
    yesOrNo({
      description:
        'A policy of this workspace decides only once somebody else has approved it than who asked for it. Left out: false.',
    }),
  ),
  rateLimit: Type.Optional(
    exactly(
      {
        perSecond: wholeNumber({ minimum: 1, maximum: 100_000, unit: 'requests' }),
        burst: wholeNumber({ minimum: 1, maximum: 1_000_000, unit: 'requests' }),
      },
      { description: 'Requests per second of one license key, in each process. Left out: no limit.' },
    ),
  ),
  deviceOrigins: Type.Optional(
    listOf(originShape, {
      maxItems: originsMax,
      description:
        'Origins of the pages and apps that make device tokens; a token of another one is `foreign`. Left out: any.',
    }),
  ),
};

const webhookUrlShape = text({
  maxLength: 2_048,
  expected: 'an https:// address',
  description:
    'Where actions are sent. Plain http:// is taken in development, and in production for addresses that `allowPrivateWebhooks` names.',
});

const proxyShape = text({
  maxLength: 2_048,
  secret: true,
  expected: 'a forward proxy, http://host:port',
  refine: (proxy) => {
    const url = URL.parse(proxy);
    const right = url?.protocol === 'http:' && url.pathname === '/' && url.search === '' && url.hash === '';
    return right ? undefined : 'a forward proxy, http://host:port (http://user:password@host:port)';
  },
});

/** 1 to 99,999: actions are numbers, and 6 and above are the bank's own. */
const actionPattern = '^[1-9][0-9]{0,4}$';

/** What the file and the management API write the same way about the webhook. */
export const webhookMembers = {
  url: webhookUrlShape,
  oaepMgf1Hash: oneOf(['sha256', 'sha1'], {
    default: 'sha256',
    description: 'Hash of the mask generation in `clientRSA`; sha1 is what Java does unless told.',
  }),
  dateStyle: oneOf(['zone', 'local'], { default: 'zone', description: '`date` with its zone, or local without.' }),
  clientHash: oneOf(['hmac', 'sha256'], {
    default: 'hmac',
    description: '`client` as HMAC-SHA-256 under the pepper, or plain SHA-256 (can be guessed by who knows the users).',
  }),
  proxy: Type.Optional(proxyShape),
  retryNotExecuted: yesOrNo({ default: false, description: 'Try again when the answer is code 0.' }),
  expiryMinutes: Type.Optional(
    Type.Unsafe<Readonly<Record<string, number>>>({
      type: 'object',
      patternProperties: {
        [actionPattern]: wholeNumber({ minimum: 1, maximum: 7 * day, unit: 'minutes' }),
      },
      additionalProperties: false,
      expected: 'a mapping from action number to minutes',
      description: 'Minutes until an action is no longer sent, by action.',
    }),
  ),
};

function publicKeyRefusal(pem: string): string | undefined {
  const check = checkPublicKey(pem);
  return check.ok ? undefined : `the PEM of an RSA public key (${check.reason})`;
}

function pem(expected: string, refine: (pem: string) => string | undefined): Type.TOptional<Type.TString> {
  return Type.Optional(text({ maxLength: pemLengthMax, expected, refine, secret: true }));
}

/** The webhook as the management API and the database write it: with the PEM texts in place. */
const webhookShape = exactly(
  {
    ...webhookMembers,
    publicKeyPem: pem('the PEM of an RSA public key', publicKeyRefusal),
    caPem: pem('the PEM of one or more certificates', certificateRefusal),
    clientCertificatePem: pem('the PEM of a certificate', certificateRefusal),
    clientKeyPem: pem('the PEM of a private key', clientKeyRefusal),
  },
  { refine: clientCertificatePair },
);

interface ClientCertificate {
  readonly clientCertificatePem?: string;
  readonly clientKeyPem?: string;
}

function clientCertificatePair(webhook: ClientCertificate): readonly Refusal[] | undefined {
  const { clientCertificatePem, clientKeyPem } = webhook;
  if (clientCertificatePem === undefined && clientKeyPem === undefined) return undefined;
  if (clientCertificatePem === undefined || clientKeyPem === undefined) {
    const path = [clientKeyPem === undefined ? 'clientCertificatePem' : 'clientKeyPem'];
    return [{ path, expected: 'both a client certificate and its key, or neither' }];
  }
  if (keyBelongsTo(clientCertificatePem, clientKeyPem)) return undefined;
  return [{ path: ['clientKeyPem'], expected: 'the private key that belongs to the client certificate' }];
}

export const deliverShape = oneOf(['live', 'observe'], {
  default: 'observe',
  description: '`observe`: decide and send nothing.',
});

/** All that can be set of a workspace, but its channels. */
export const settingsShape = exactly(
  { ...generalMembers, deliver: deliverShape, webhook: Type.Optional(webhookShape) },
  { refine: liveNeedsWebhook },
);

function liveNeedsWebhook(settings: { deliver: string; webhook?: unknown }): readonly Refusal[] | undefined {
  if (settings.deliver === 'observe' || settings.webhook !== undefined) return undefined;
  return [{ path: ['deliver'], expected: 'observe, as long as there is no webhook to send to' }];
}
