import type { Breaker } from '@ringfence/delivery';
import { Type } from 'typebox';
import type { Destination } from '../../notifications/destinations.ts';
import { isMailAddress } from '../../notifications/mail-address.ts';
import type { DestinationHealth } from '../../notifications/notification-outbox.ts';
import {
  choiceShape,
  type DestinationSettings,
  destinationKinds,
  destinationSettingsMembers,
} from '../../notifications/notification-settings.ts';
import { shownUrl } from '../../notify/sent-message.ts';
import type { NotificationTranscript } from '../../notify/test-destination.ts';
import { exactly, listOf, oneOf, text, yesOrNo } from '../../platform/shapes/shape.ts';
import { nameShape } from '../../tenancy/workspaces/settings-shape.ts';
import { connectionSchema, endpointSchema, printEndpoint } from '../integration/integration-schema.ts';
import {
  choice,
  count,
  documenting,
  flag,
  instant,
  inWorkspace,
  list,
  mapping,
  nonPersonal,
  nonPersonalWord,
  seldom,
} from '../server/members.ts';

const urlLengthMax = 2_048;
/** A mailing list serves more. */
const recipientsMax = 20;
const recipient = 'a mail address, like fraud@bank.example';

const settingsShape = exactly(destinationSettingsMembers, { description: 'Which events notify it, and when.' });

const addressMembers = {
  url: Type.Optional(
    text({
      maxLength: urlLengthMax,
      secret: true,
      expected: 'a URL',
      description: 'For http, slack and teams. No answer contains it.',
    }),
  ),
  to: Type.Optional(
    listOf(
      text({
        maxLength: 254,
        expected: recipient,
        refine: (address) => (isMailAddress(address) ? undefined : recipient),
      }),
      { minItems: 1, maxItems: recipientsMax, description: 'For email: the recipients.' },
    ),
  ),
};

export const newDestinationBody = exactly({
  name: nameShape,
  kind: oneOf(destinationKinds, { description: 'Where it is sent.' }),
  ...addressMembers,
  settings: settingsShape,
});

export const destinationChangeBody = exactly({
  name: Type.Optional(nameShape),
  ...addressMembers,
  settings: Type.Optional(settingsShape),
  paused: Type.Optional(yesOrNo({ description: 'Its messages wait, for a day at most.' })),
});

export const inDestination = exactly({
  ...inWorkspace.properties,
  destination: text({ maxLength: 64, description: 'Its id: ntd_…', expected: 'the id of a destination' }),
});

export const destinationSchema = Type.Object(
  {
    id: nonPersonalWord('Identifies it.', 'ntd_abc234def567'),
    name: nonPersonalWord('Its name.', 'Fraud desk'),
    kind: choice(destinationKinds, 'Where it is sent.'),
    address: nonPersonalWord(
      'Where it is sent, without the path of a URL, which may be a secret; empty if it cannot be decrypted.',
      'https://hooks.slack.com/…',
    ),
    settings: documenting<DestinationSettings>(nonPersonal(settingsShape)),
    paused: flag('Nothing is sent.', false),
    createdAt: instant('When it was made.'),
    createdBy: nonPersonalWord('Who made it.', 'mara@bank.example'),
    endpoint: endpointSchema,
    waiting: count('Messages to be sent, among the newest 200.', 0),
    dead: count('Messages that were not sent, among the newest 200.', 0),
    lastSentAt: seldom(instant('When a message was last taken.')),
    lastFailure: seldom(
      documenting<{ readonly at: string; readonly reason: string }>(
        Type.Object({
          at: instant('When the message was made.'),
          reason: nonPersonalWord('Why the last attempt failed.', 'refused'),
        }),
      ),
    ),
  },
  { title: 'NotificationDestination', description: 'Where people of a workspace are told.' },
);

export const destinationsSchema = Type.Object({
  items: list(destinationSchema, 'In the order in which they were made.'),
  mail: flag('Whether the configuration names a mail server.'),
});

export const madeDestinationSchema = Type.Object(
  {
    ...destinationSchema.properties,
    signingSecret: seldom(
      nonPersonalWord('Verifies the signature of an http destination. Only this answer contains it.', 'whsec_…'),
    ),
  },
  { title: 'MadeNotificationDestination' },
);

export function printDestination(
  { id, name, kind, address, settings, pausedAtMs, createdAtMs, createdBy }: Destination,
  { breaker, health }: { readonly breaker: Breaker; readonly health: DestinationHealth },
): Type.Static<typeof destinationSchema> {
  const { waiting, dead, lastSentAtMs, lastFailure } = health;
  return {
    id,
    name,
    kind,
    address: printAddress(address),
    settings,
    paused: pausedAtMs !== undefined,
    createdAt: new Date(createdAtMs).toISOString(),
    createdBy,
    endpoint: printEndpoint(breaker),
    waiting,
    dead,
    ...(lastSentAtMs === undefined ? {} : { lastSentAt: new Date(lastSentAtMs).toISOString() }),
    ...(lastFailure === undefined
      ? {}
      : { lastFailure: { at: new Date(lastFailure.atMs).toISOString(), reason: lastFailure.reason } }),
  };
}

function printAddress(address: Destination['address']): string {
  if (address === undefined) return '';
  return address.kind === 'email' ? address.to.join(', ') : shownUrl(address.url);
}

export const notificationTranscriptSchema = documenting<NotificationTranscript>(
  Type.Object(
    {
      verdict: choice(['sent', 'failed'], 'Whether it was taken.'),
      problem: seldom(
        documenting<NonNullable<NotificationTranscript['problem']>>(
          Type.Object({
            reason: nonPersonalWord('Why it failed.', 'refused'),
            detail: nonPersonalWord('What was met.', 'ECONNREFUSED'),
            advice: nonPersonalWord('What usually helps.', 'Nothing listens at this address and port.'),
          }),
        ),
      ),
      request: Type.Object({
        to: nonPersonalWord('Where it was sent, without secrets.', 'https://hooks.slack.com/…'),
        headers: mapping<string>(nonPersonal(Type.String()), 'As sent.', { 'content-type': 'application/json' }),
        body: nonPersonalWord('As sent.', '{"text":"This is a test of Ringfence."}'),
      }),
      connection: connectionSchema,
      response: Type.Optional(
        Type.Object({
          status: count('HTTP status.', 200),
          headers: mapping<string>(nonPersonal(Type.String()), 'As received.', { 'content-type': 'text/plain' }),
          body: nonPersonalWord('Its first 2,000 characters.', 'ok'),
        }),
      ),
      lines: seldom(
        list(nonPersonalWord('`C:` client, `S:` server.', 'S: 250 2.0.0 Ok'), 'The conversation with the mail server.'),
      ),
      durationMs: Type.Unsafe<number>({ type: 'number', description: 'In total, in milliseconds.', examples: [41] }),
    },
    { title: 'NotificationTranscript', description: 'The whole exchange of a test. It is not stored.' },
  ),
);

export { choiceShape as choiceBody };

export const choiceSchema = nonPersonal(
  Type.Object(
    { ...choiceShape.properties, mail: flag('Whether the configuration names a mail server.') },
    { title: 'NotificationChoice', description: 'What you get at your own e-mail address.' },
  ),
);
