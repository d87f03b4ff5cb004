import { problems } from '@ringfence/contract';
import type { Breaker, Pause } from '@ringfence/delivery';
import { Type } from 'typebox';
import type { TestTranscript } from '../../deliver/test-action.ts';
import type { SeenChannel } from '../../ingest/channel-sightings.ts';
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
  pageSchema,
  seldom,
  word,
} from '../server/members.ts';

const codes = Object.keys(problems);

const refusedSchema = documenting<RefusedRow>(
  Type.Object(
    {
      id: count('Grows.', 17),
      at: instant('When it came.'),
      keyId: Type.Optional(word('The license key that it came with.', 'key_abc234def567')),
      requestId: word('As the sender was told.', 'req_5gq2m7tzkd_1a'),
      method: word('Of the request.', 'POST'),
      path: word('A path of the interface, or `other`.', '/api/v5/analytics/app/login'),
      status: count('HTTP status of the answer.', 422),
      code: choice(codes, 'As in the answer; explained in the page of errors.'),
      bodyBytes: Type.Optional(count('Size of the body, as far as it is known.', 213)),
      errors: list(
        Type.Object({
          pointer: word('The wrong member; names that are not the interface’s own are `*`.', '/user'),
          detail: word('What is wrong with it.', 'The string is empty.'),
        }),
      ),
    },
    { title: 'RefusedRequest', description: 'A request that was refused, without any value that was sent.' },
  ),
);

const totalSchema = documenting<RefusedTotal>(
  Type.Object(
    {
      code: choice(codes, 'As in the answers.'),
      path: word('A path of the interface, or `other`.', '/api/v5/analytics/app/login'),
      lastHour: count('In the hours that began within the last 60 minutes.', 4),
      lastDay: count('The same for 24 hours.', 12),
      last7Days: count('The same for 7 days.', 80),
    },
    { title: 'RefusedCount' },
  ),
);

export const refusedPageSchema = Type.Object({
  ...pageSchema(refusedSchema).properties,
  counts: list(totalSchema, 'All of them, by code and path. Of the list itself, up to 30 a minute are kept.'),
});

const channelSchema = documenting<SeenChannel>(
  Type.Object(
    {
      channelId: count('As sent.', 1),
      configured: flag('False: nobody configured it. Its events are taken all the same.'),
      firstSeenAt: instant('Its first event.'),
      lastSeenAt: instant('Its last event.'),
      events: count('How many, since the first.', 1_204),
    },
    { title: 'SeenChannel' },
  ),
);

export const endpointSchema = Type.Object(
  {
    state: choice(
      ['closed', 'open', 'disabled'],
      '`closed`: it is sent to, and `failures` says whether it answers; `open`: it failed, and is tried every 30 s; `disabled`: nothing but failures for five days, and is not tried until somebody enables it. Nothing that waits is lost.',
    ),
    openedAt: seldom(instant('Since when it is open.')),
    nextProbeAt: seldom(instant('When it is tried next.')),
    failingSince: seldom(instant('Since when there was nothing but failures.')),
    failures: count('How many since then.', 0),
  },
  { title: 'Endpoint', description: 'What is known of the webhook’s health.' },
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
    scope: choice(['all', 'workspace'], 'Everything outgoing, or that of one workspace.'),
    workspace: seldom(word('Its id.', 'k3v7q2ma')),
    since: instant('Since when.'),
  },
  { title: 'Pause' },
);

const warningSchema = documenting<CountedWarning>(
  Type.Object(
    {
      code: choice(warningCodes, 'What looks like a mistake of the sender.'),
      lastHour: count('Events within the last 60 minutes.', 4),
      lastDay: count('The same for 24 hours.', 12),
      lastAt: instant('When the last of them came.'),
      event: word('The last of them.', 'evt_1_42'),
    },
    { title: 'IntegrationWarning' },
  ),
);

export const integrationSchema = Type.Object(
  {
    eventsUrl: seldom(
      word(
        'Where this process takes events, as it is bound: behind a proxy banks use another address.',
        'http://127.0.0.1:8080',
      ),
    ),
    channels: list(channelSchema, 'Channels that sent something.'),
    refused: list(totalSchema, 'What was refused, by code and path.'),
    warnings: list(
      warningSchema,
      'What was accepted in the last 24 hours and is most likely a mistake. A few seconds late.',
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
      id: word('Id of the workspace.', 'k3v7q2ma'),
      name: word('Its name.', 'acme'),
      environment: choice(['production', 'development'], 'Its environment.'),
      behind: count('Records of the log that are not decided yet.', 0),
      lagMs: count('Age of the oldest of them in milliseconds; 0 when there is none.', 0),
      quarantined: count('Records on which the engine failed three times.', 0),
      paused: seldom(
        word(
          'Why nothing is decided while events wait in the log: this release refuses the policy in force.',
          'policy version 4 does not check: rules.yaml:12:7 there is no fact order.amout',
        ),
      ),
    },
    { title: 'Backlog' },
  ),
);

export const statusSchema = Type.Object(
  {
    workspaces: list(backlogSchema, 'How far each is decided.'),
    deliveries: mapping<number>({ type: 'integer' }, 'Actions that are still moving, by state.', { due: 3 }),
    pauses: list(pauseSchema, 'What is paused.'),
  },
  { title: 'Status' },
);

const text = (description: string, example: string): Type.TOptional<Type.TUnsafe<string>> =>
  Type.Optional(word(description, example));
const milliseconds = (description: string): Type.TOptional<Type.TUnsafe<number>> =>
  Type.Optional(
    Type.Unsafe<number>({ type: 'number', description: `${description}, in milliseconds.`, examples: [3] }),
  );

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
            reason: word('Why it failed.', 'refused'),
            detail: word('What was met.', 'ECONNREFUSED'),
            advice: word('What usually helps.', 'Nothing listens at this address and port, or a firewall says so.'),
          }),
        ),
      ),
      request: Type.Object({
        method: choice(['POST'], 'Always POST.'),
        url: word('Where it went.', 'https://bank.example/smartid/webhook'),
        headers: mapping<string>(Type.String(), 'As sent, but for the license key.', {
          authorization: 'Bearer [the license key]',
        }),
        body: word('As sent.', '{"action":6,"channel":1}'),
      }),
      connection: Type.Object({
        resolved: list(word('An address.', '203.0.113.9'), 'Addresses that the name stood for.'),
        address: text('The one that was connected to.', '203.0.113.9'),
        proxy: seldom(word('The forward proxy.', 'proxy.bank.internal:3128')),
        tls: Type.Optional(
          Type.Object({
            protocol: word('Of TLS.', 'TLSv1.3'),
            subject: word('Whose certificate it is.', 'CN=bank.example'),
            issuer: word('Who issued it.', 'CN=Bank CA'),
            validTo: word('Until when.', 'Jan 31 12:00:00 2027 GMT'),
          }),
        ),
        resolveMs: milliseconds('Looking up the name'),
        connectMs: milliseconds('Connecting'),
        tlsMs: milliseconds('The TLS handshake'),
        reused: flag('The connection had served a request before.', false),
      }),
      response: Type.Optional(
        Type.Object({
          status: count('HTTP status.', 200),
          headers: mapping<string>(Type.String(), 'As they came.', { 'content-type': 'application/json' }),
          body: word('At most 64 KiB.', '{"code":0,"message":"unknown client"}'),
          truncated: flag('The body was longer.', false),
          message: text('`message` of the answer.', 'unknown client'),
        }),
      ),
      durationMs: Type.Unsafe<number>({ type: 'number', description: 'All in all, in milliseconds.', examples: [12] }),
    },
    { title: 'TestTranscript', description: 'The whole conversation with the webhook. Nothing of it is kept.' },
  ),
);
