import { problems } from '@ringfence/contract';
import type { Breaker, Pause } from '@ringfence/delivery';
import { Type } from 'typebox';
import type { TestTranscript } from '../../deliver/test-action.ts';
import type { SeenChannel } from '../../console/seen-channels.ts';
import type { RefusedRow, RefusedTotal } from '../../ingest/refused-requests.ts';
import type { Backlog } from '../../platform/observability/backlog.ts';
import type { CountedWarning } from '../../console/event-warning-counts.ts';
import { warningCodes } from '../../console/event-index/event-warnings.ts';
import {
  choice,
  count,
  documenting,
  flag,
  instant,
  list,
  mapping,
  nonPersonal,
  nonPersonalWord,
  pageSchema,
  seldom,
} from '../server/members.ts';

const codes = Object.keys(problems);

const refusedSchema = documenting<RefusedRow>(
  Type.Object(
    {
      id: count('Grows.', 17),
      at: instant('When it was received.'),
      keyId: Type.Optional(nonPersonalWord('The license key that it was sent with.', 'key_abc234def567')),
      requestId: nonPersonalWord('As returned to the sender.', 'req_5gq2m7tzkd_1a'),
      method: nonPersonalWord('Of the request.', 'POST'),
      path: nonPersonalWord('A path of the interface, or `other`.', '/api/v5/analytics/app/login'),
      status: count('HTTP status of the answer.', 422),
      code: choice(codes, 'As in the answer; explained on the errors page.'),
      bodyBytes: Type.Optional(count('Size of the body, as far as it is known.', 213)),
      errors: list(
        Type.Object({
          pointer: nonPersonalWord(
            'The wrong member; names that the interface does not define are shown as `*`.',
            '/user',
          ),
          detail: nonPersonalWord('What is wrong with it.', 'The string is empty.'),
        }),
      ),
    },
    { title: 'RefusedRequest', description: 'A refused request, without any value that was sent.' },
  ),
);

const totalSchema = documenting<RefusedTotal>(
  Type.Object(
    {
      code: choice(codes, 'As in the answers.'),
      path: nonPersonalWord('A path of the interface, or `other`.', '/api/v5/analytics/app/login'),
      lastHour: count('In the hours that began within the last 60 minutes.', 4),
      lastDay: count('The same for 24 hours.', 12),
      last7Days: count('The same for 7 days.', 80),
    },
    { title: 'RefusedCount' },
  ),
);

export const refusedPageSchema = Type.Object({
  ...pageSchema(refusedSchema).properties,
  counts: list(totalSchema, 'All of them, by code and path. The list itself keeps up to 30 per minute.'),
});

const channelSchema = documenting<SeenChannel>(
  Type.Object(
    {
      channelId: count('As sent.', 1),
      configured: flag('False: it is not configured. Its events are accepted all the same.'),
      firstSeenAt: instant('Its first event.'),
      lastSeenAt: instant('Its last event.'),
      events: count('Number of events since the first.', 1_204),
    },
    { title: 'SeenChannel' },
  ),
);

export const endpointSchema = Type.Object(
  {
    state: choice(
      ['closed', 'open', 'disabled'],
      '`closed`: requests are sent, and `failures` shows whether it answers; `open`: it failed, and is retried every 30 s; `disabled`: only failures for five days, and not retried until a person enables it. Waiting actions are not lost.',
    ),
    openedAt: seldom(instant('Since when it is open.')),
    nextProbeAt: seldom(instant('Time of the next attempt.')),
    failingSince: seldom(instant('Since when there have been only failures.')),
    failures: count('Failures since then.', 0),
  },
  { title: 'Endpoint', description: 'State of the webhook.' },
);

export function printEndpoint(breaker: Breaker): Type.Static<typeof endpointSchema> {
  const { state, openedAtMs, probeAtMs, failingSinceMs, failures } = breaker;
  return {
    state,
    ...(openedAtMs === undefined ? {} : { openedAt: new Date(openedAtMs).toISOString() }),
    ...(probeAtMs === undefined ? {} : { nextProbeAt: new Date(probeAtMs).toISOString() }),
    ...(failingSinceMs === undefined ? {} : { failingSince: new Date(failingSinceMs).toISOString() }),
    failures,
  };
}

const pauseSchema = Type.Object(
  {
    scope: choice(['all', 'workspace'], 'All deliveries, or those of one workspace.'),
    workspace: seldom(nonPersonalWord('Its id.', 'k3v7q2ma')),
    since: instant('Since when.'),
  },
  { title: 'Pause' },
);

const warningSchema = documenting<CountedWarning>(
  Type.Object(
    {
      code: choice(warningCodes, 'The likely mistake of the sender.'),
      lastHour: count('Events within the last 60 minutes.', 4),
      lastDay: count('The same for 24 hours.', 12),
      lastAt: instant('When the last of them was received.'),
      event: nonPersonalWord('The last of them.', 'evt_1_42'),
    },
    { title: 'IntegrationWarning' },
  ),
);

export const integrationSchema = Type.Object(
  {
    eventsUrl: seldom(
      nonPersonalWord(
        'Where this process accepts events, as it is bound: banks behind a proxy use another address.',
        'http://127.0.0.1:8080',
      ),
    ),
    channels: list(channelSchema, 'Channels that sent something. A few seconds behind.'),
    refused: list(totalSchema, 'What was refused, by code and path.'),
    warnings: list(
      warningSchema,
      'Events of the last 24 hours that were accepted but look like a mistake. A few seconds behind.',
    ),
    endpoint: endpointSchema,
    pauses: list(pauseSchema, 'What keeps actions of this workspace from being sent.'),
  },
  { title: 'Integration' },
);

export function printPause({ scope, sinceMs }: Pause): Type.Static<typeof pauseSchema> {
  const since = new Date(sinceMs).toISOString();
  return scope.kind === 'all' ? { scope: 'all', since } : { scope: 'workspace', workspace: scope.workspaceId, since };
}

const backlogSchema = documenting<Backlog>(
  Type.Object(
    {
      id: nonPersonalWord('Id of the workspace.', 'k3v7q2ma'),
      name: nonPersonalWord('Its name.', 'acme'),
      environment: choice(['production', 'development'], 'Its environment.'),
      behind: count('Records of the log that are not decided yet.', 0),
      lagMs: count('Age of the oldest of them in milliseconds; 0 if there are none.', 0),
      quarantined: count('Records on which the engine failed three times.', 0),
      paused: seldom(
        nonPersonalWord(
          'Why nothing is decided although events are waiting: this release rejects the active policy.',
          'policy version 4 does not check: rules.yaml:12:7 there is no fact order.amout',
        ),
      ),
    },
    { title: 'Backlog' },
  ),
);

export const statusSchema = Type.Object(
  {
    workspaces: list(backlogSchema, 'Decision progress per workspace.'),
    deliveries: mapping<number>({ type: 'integer' }, 'Unfinished actions, by state.', { due: 3 }),
    pauses: list(pauseSchema, 'What is paused.'),
  },
  { title: 'Status' },
);

const text = (description: string, example: string): Type.TOptional<Type.TUnsafe<string>> =>
  Type.Optional(nonPersonalWord(description, example));
const milliseconds = (description: string): Type.TOptional<Type.TUnsafe<number>> =>
  Type.Optional(
    Type.Unsafe<number>({ type: 'number', description: `${description}, in milliseconds.`, examples: [3] }),
  );

/** How a connection was established. */
export const connectionSchema = Type.Object({
  resolved: list(nonPersonalWord('An address.', '203.0.113.9'), 'Addresses that the name resolved to.'),
  address: text('The address that was connected to.', '203.0.113.9'),
  proxy: seldom(nonPersonalWord('The forward proxy.', 'proxy.bank.internal:3128')),
  tls: Type.Optional(
    Type.Object({
      protocol: nonPersonalWord('TLS version.', 'TLSv1.3'),
      subject: nonPersonalWord('Subject of the certificate.', 'CN=bank.example'),
      issuer: nonPersonalWord('Who issued it.', 'CN=Bank CA'),
      validTo: nonPersonalWord('Expiry of the certificate.', 'Jan 31 12:00:00 2027 GMT'),
    }),
  ),
  resolveMs: milliseconds('Looking up the name'),
  connectMs: milliseconds('Connecting'),
  tlsMs: milliseconds('The TLS handshake'),
  reused: flag('The connection was reused from an earlier request.', false),
});

export const transcriptSchema = documenting<TestTranscript>(
  Type.Object(
    {
      verdict: choice(
        ['executed', 'notExecuted', 'failed'],
        '`executed` and `notExecuted` both mean that the webhook works.',
      ),
      problem: seldom(
        documenting(
          Type.Object({
            reason: nonPersonalWord('Why it failed.', 'refused'),
            detail: nonPersonalWord('What was met.', 'ECONNREFUSED'),
            advice: nonPersonalWord(
              'What usually helps.',
              'Nothing listens at this address and port, or a firewall rejects connections.',
            ),
          }),
        ),
      ),
      request: Type.Object({
        method: choice(['POST'], 'Always POST.'),
        url: nonPersonalWord('The URL of the request.', 'https://bank.example/smartid/webhook'),
        headers: mapping<string>(nonPersonal(Type.String()), 'As sent, without the license key.', {
          authorization: 'Bearer [the license key]',
        }),
        body: nonPersonalWord('As sent.', '{"action":6,"channel":1}'),
      }),
      connection: connectionSchema,
      response: Type.Optional(
        Type.Object({
          status: count('HTTP status.', 200),
          headers: mapping<string>(nonPersonal(Type.String()), 'As received.', { 'content-type': 'application/json' }),
          body: nonPersonalWord('At most 64 KiB.', '{"code":0,"message":"unknown client"}'),
          truncated: flag('The body was longer.', false),
          message: text('`message` of the answer.', 'unknown client'),
        }),
      ),
      durationMs: Type.Unsafe<number>({ type: 'number', description: 'Total time, in milliseconds.', examples: [12] }),
    },
    { title: 'TestTranscript', description: 'The whole exchange with the webhook. It is not stored.' },
  ),
);
