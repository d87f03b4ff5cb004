import { fraudCodesDefault, secondMs, timeZone } from '@ringfence/contract';
import { checkPublicKey } from '@ringfence/delivery';
import { sessionGraceMsMax } from '@ringfence/engine/limits';
import { isPlaceZone, zoneMeant } from '@ringfence/policy/zones';
import { Type } from 'typebox';
import { exactly, listOf, oneOf, type Refusal, text, wholeNumber, yesOrNo } from '../../platform/shapes/shape.ts';
import { retentionDefault, retentionExpected, retentionMs } from './retention-period.ts';
import { clockMinutes, weekdays } from './workspace.ts';
import { certificateRefusal, clientKeyRefusal, keyBelongsTo } from './pem.ts';

/** The longest PEM accepted: a chain of about twenty certificates. */
const pemLengthMax = 65_536;

/** The most channels of one workspace. */
export const channelsMax = 1_000;
const int32Max = 2_147_483_647;
const day = 1_440;

/** Whole units of a currency. */
const secondAboveMax = 1_000_000_000_000;

/** A name given by a person: shown in lists, typed in commands. */
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
    description: 'A session expires after this time without an event.',
  }),
  absoluteHours: wholeNumber({
    minimum: 1,
    maximum: 168,
    unit: 'hours',
    default: 12,
    description: 'A session expires this long after its login, even if it is active.',
  }),
  sessions: oneOf(['required', 'optional'], {
    default: 'required',
    description: '`optional`: operations of this channel are not expected to have a session.',
  }),
  device: Type.Optional(
    oneOf(['token', 'none'], {
      description:
        '`none`: `data` of this channel’s logins is not a device token, for example because the app uses another product’s SDK; there are then no device facts. Default: `token`.',
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

export const timezoneShape = text({
  maxLength: 64,
  default: 'UTC',
  expected: 'an IANA time zone, like America/Mexico_City',
  description: 'For dates without a zone, and for local dates in webhooks.',
  refine: (zone) => (isTimezone(zone) ? undefined : `an IANA time zone, like ${zoneExample(zone)}`),
});

function isTimezone(zone: string): boolean {
  // The zone must be known to the runtime, which reads dates at ingest, and to the engine's table of zones. Offsets
  // like +02:00 are not accepted: with daylight saving time they are wrong for half the year.
  return isPlaceZone(zone) && timeZone(zone) !== undefined;
}

/** The zone that was probably meant. */
function zoneExample(zone: string): string {
  const meant = zoneMeant(zone);
  return isPlaceZone(meant) ? meant : 'America/Mexico_City';
}

function keptShape(description: string, byDefault?: string): Type.TString {
  return text({
    maxLength: 8,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    expected: retentionExpected,
    description,
    refine: (written) => (retentionMs(written) === undefined ? retentionExpected : undefined),
  });
}

/** The most origins of one workspace: pages, apps and their test versions. */
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

/** A quick takeover leaves a backlog of a few seconds, which must refuse nothing. */
const lagSecondsMin = 5;

/** The card schemes together have about two hundred codes. */
const fraudCodesMax = 200;
const fraudCodeExpected = 'a chargeback code, such as 10.4 or 4837';

const fraudCodeShape = text({
  maxLength: 64,
  expected: fraudCodeExpected,
  refine: (code) => (code.trim() === code ? undefined : `${fraudCodeExpected}, without spaces around it`),
});

/** A list from which a person chooses. */
const fraudTypesMax = 100;
const fraudTypeExpected = 'a code of 1 to 64 letters, digits, dots, hyphens and underscores';

const fraudTypeShape = exactly({
  code: text({
    maxLength: 64,
    expected: fraudTypeExpected,
    refine: (code) => (/^[\w.-]+$/.test(code) ? undefined : fraudTypeExpected),
  }),
  name: text({ maxLength: 100, expected: 'a name for people' }),
});
const clockExpected = 'a time of day, like 09:00, at most 24:00';

function clockShape(description: string): Type.TString {
  return text({
    maxLength: 5,
    expected: clockExpected,
    description,
    refine: (clock) => (/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(clock) ? undefined : clockExpected),
  });
}

const businessHoursShape = exactly(
  {
    days: listOf(oneOf(weekdays), {
      minItems: 1,
      maxItems: weekdays.length,
      description: 'Days of the week: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`.',
      refine: (days) => (new Set(days).size === days.length ? undefined : 'each day once'),
    }),
    from: clockShape('When they begin.'),
    to: clockShape('When they end: at least an hour later, on the same day; `24:00` is midnight.'),
  },
  {
    description: 'The time until an alert is due passes only in these hours, by the workspace’s time zone.',
    refine: ({ from, to }) =>
      clockMinutes(to) - clockMinutes(from) >= openMinutesMin
        ? undefined
        : [{ path: ['to'], expected: `a time at least an hour after ${from}` }],
  },
);

/** Shorter hours would make due times lie years ahead. */
const openMinutesMin = 60;

/** Settings that have the same form in the configuration file and the management API. */
export const generalMembers = {
  timezone: timezoneShape,
  cards: oneOf(['mask', 'refuse'], {
    default: 'mask',
    description:
      'Card numbers in free text: mask them, or refuse the event. With `refuse`, a reference or a CLABE that looks like a card number is kept as sent.',
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
    description: 'How long a client stays blocked after an executed block.',
  }),
  keepEvents: keptShape(
    'How long events and their decisions are kept: days like `400d`, or `forever`.',
    retentionDefault,
  ),
  keepActions: keptShape(
    'How long finished actions and their attempts are kept: days like `400d`, or `forever`.',
    retentionDefault,
  ),
  keepDeviceTokens: Type.Optional(
    keptShape(
      'The longest time for which the content of device tokens stays readable: days, or `forever`. The device key is rotated automatically at half this period, so pages must load it at run time. Without it: no automatic rotation.',
    ),
  ),
  fourEyes: Type.Optional(
    yesOrNo({
      description:
        'A policy becomes active only after someone other than its requester has approved it. Default: false.',
    }),
  ),
  rateLimit: Type.Optional(
    exactly(
      {
        perSecond: wholeNumber({ minimum: 1, maximum: 100_000, unit: 'requests' }),
        burst: wholeNumber({ minimum: 1, maximum: 1_000_000, unit: 'requests' }),
      },
      { description: 'Requests per second of one license key, in each process. Without it: no limit.' },
    ),
  ),
  lagMax: Type.Optional(
    wholeNumber({
      minimum: lagSecondsMin,
      maximum: 3_600,
      unit: 'seconds',
      description:
        'Events are refused with 429 while an event that is sent now would wait longer for its decision. A backlog from a start, a takeover or a pause does not count. Without it: no event is refused for lag.',
    }),
  ),
  outcomes: Type.Optional(
    exactly(
      {
        keyMayLabel: yesOrNo({
          default: false,
          description:
            'The license key may report fraud, legitimate, chargeback, unblocked and retracted. The key travels in every webhook; otherwise these need a token with the scope `outcomes:write`.',
        }),
        fraudCodes: listOf(fraudCodeShape, {
          maxItems: fraudCodesMax,
          default: [...fraudCodesDefault],
          description:
            'Chargeback codes that label the event as fraud. Default: those of the card schemes for fraud, without codes such as "goods not received".',
        }),
        fraudTypes: Type.Optional(
          listOf(fraudTypeShape, {
            maxItems: fraudTypesMax,
            description:
              'Types of fraud that analysts can choose, in addition to those of the FraudClassifier and ScamClassifier.',
          }),
        ),
      },
      { description: 'Outcomes that the bank reports. Without it: the defaults.' },
    ),
  ),
  holds: Type.Optional(
    exactly(
      {
        secondAbove: Type.Optional(
          Type.Unsafe<Readonly<Record<string, number>>>({
            type: 'object',
            patternProperties: { '^[A-Z]{3}$': wholeNumber({ minimum: 0, maximum: secondAboveMax }) },
            additionalProperties: false,
            expected: 'a mapping from currency to amount',
            description:
              'Releasing held payments above this amount, by currency, needs a second person. A currency that is not listed, and a payment without an amount, always need one.',
          }),
        ),
        heldAgainHours: Type.Optional(
          wholeNumber({
            minimum: 0,
            maximum: 720,
            unit: 'hours',
            description: 'How long the same payment is held again after it was rejected. Default: 24.',
          }),
        ),
      },
      { description: 'Held payments: who may release them, and how long a rejected one is held again.' },
    ),
  ),
  alerts: Type.Optional(
    exactly(
      {
        dueMinutes: Type.Optional(
          wholeNumber({
            minimum: 1,
            maximum: 7 * day,
            unit: 'minutes',
            description: 'An alert is due this long after it was opened. Without it: alerts are never due.',
          }),
        ),
        businessHours: Type.Optional(businessHoursShape),
      },
      { description: 'When alerts are due.' },
    ),
  ),
  deviceOrigins: Type.Optional(
    listOf(originShape, {
      maxItems: originsMax,
      description:
        'Origins of the pages and apps that create device tokens; a token from another origin is `foreign`. Without it: any origin.',
    }),
  ),
};

const webhookUrlShape = text({
  maxLength: 2_048,
  expected: 'an https:// address',
  description:
    'Where actions are sent. Plain http:// is allowed in development, and in production for addresses in `allowPrivateWebhooks`.',
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

/** 1 to 99,999: action numbers; 6 and above are defined by the bank. */
const actionPattern = '^[1-9][0-9]{0,4}$';

/** Webhook settings that have the same form in the configuration file and the management API. */
export const webhookMembers = {
  url: webhookUrlShape,
  oaepMgf1Hash: oneOf(['sha256', 'sha1'], {
    default: 'sha256',
    description: 'Hash of the mask generation function in `clientRSA`; sha1 is the default of Java.',
  }),
  dateStyle: oneOf(['zone', 'local'], {
    default: 'zone',
    description: '`date` with a zone, or in local time without one.',
  }),
  clientHash: oneOf(['hmac', 'sha256'], {
    default: 'hmac',
    description:
      '`client` as HMAC-SHA-256 keyed with the pepper, or plain SHA-256, which anyone who knows the user names can reverse.',
  }),
  proxy: Type.Optional(proxyShape),
  retryNotExecuted: yesOrNo({ default: false, description: 'Retry after the answer code 0.' }),
  sendReference: yesOrNo({
    default: false,
    description:
      'Send `transaction.reference` of a payment in the header `ringfence-reference`. Proxies may log headers.',
  }),
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

/** The webhook in the management API and the database: with PEM texts instead of files. */
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
  description: '`observe`: decide, but send nothing.',
});

/** All settings of a workspace except its channels. */
export const settingsShape = exactly(
  { ...generalMembers, deliver: deliverShape, webhook: Type.Optional(webhookShape) },
  { refine: liveNeedsWebhook },
);

function liveNeedsWebhook(settings: { deliver: string; webhook?: unknown }): readonly Refusal[] | undefined {
  if (settings.deliver === 'observe' || settings.webhook !== undefined) return undefined;
  return [{ path: ['deliver'], expected: 'observe, unless a webhook is set' }];
}
