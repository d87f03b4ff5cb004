import type { EpochMs } from '@ringfence/contract';
import { MemoryOutbox } from '@ringfence/delivery/memory';
import type { Outcome } from '@ringfence/engine';
import { MemoryLog } from '@ringfence/log/memory';
import fc from 'fast-check';
import { onTestFinished } from 'vitest';
import { Dispatcher } from '../../../src/deliver/dispatcher.ts';
import type { DispatcherDeps } from '../../../src/deliver/dispatcher-deps.ts';
import type { Endpoint, Sent, Transport } from '../../../src/deliver/transport/transport.ts';
import type { WebhookRequest } from '../../../src/deliver/webhook-request.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { startMs, subjectKey } from './test-actions.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface SentRequest {
  readonly atMs: number;
  readonly endpoint: Endpoint;
  readonly headers: WebhookRequest['headers'];
  readonly body: { readonly action: number; readonly session: string; readonly message: string; readonly date: string };
  readonly id: string;
}

/** Produces an endpoint's answer; it may take time on the virtual clock. */
export type Respond = (request: SentRequest, stop: AbortSignal) => Sent | Promise<Sent>;

const connection = {
  resolved: ['192.0.2.1'],
  address: '192.0.2.1',
  proxy: undefined,
  tls: undefined,
  resolveMs: undefined,
  connectMs: undefined,
  tlsMs: undefined,
  reused: false,
};

export function answer(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Sent {
  return {
    kind: 'answer',
    status,
    headers,
    body: Buffer.from(body),
    truncated: false,
    firstByteMs: 1,
    durationMs: 1,
    connection,
  };
}

export const code1 = answer(200, '{"code":1}');
export const code0 = answer(200, '{"code":0,"message":"unknown client"}');
export const down: Sent = { kind: 'failure', reason: 'refused', detail: 'ECONNREFUSED', durationMs: 1, connection };

/** A request that only ends when it is aborted. */
export const hang: Respond = (_, stop) =>
  new Promise((resolve) => {
    const interrupted: Sent = { kind: 'failure', reason: 'interrupted', detail: 'stopped', durationMs: 1, connection };
    stop.addEventListener('abort', () => resolve(interrupted));
  });

export interface Harness {
  readonly clock: VirtualClock;
  readonly outbox: MemoryOutbox;
  readonly log: MemoryLog;
  readonly sent: SentRequest[];
  readonly alerts: string[];
  readonly attempted: string[];
  readonly erased: Set<string>;
  respond: Respond;
  readonly deps: DispatcherDeps;
  /** Starts a dispatcher on the shared outbox; stopped with the test. */
  readonly start: (change?: Partial<DispatcherDeps>) => Dispatcher;
  /** The outcome records in the log of a workspace, in order. */
  readonly outcomes: (workspaceId: string) => Promise<readonly Outcome[]>;
}

/** A dispatcher's environment in one process: virtual time, outbox and log in memory, endpoints as functions. */
export async function makeHarness(workspaces: readonly Workspace[], outbox = new MemoryOutbox()): Promise<Harness> {
  const clock = new VirtualClock(startMs);
  const log = new MemoryLog({ clock: () => clock.nowMs() as EpochMs });
  for (const { id } of workspaces) await log.createPartition(id);
  const random = fc.sample(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { seed: 1, numRuns: 997 });
  const [sent, alerts, attempted]: [SentRequest[], string[], string[]] = [[], [], []];
  const erased = new Set<string>();
  let drawn = 0;

  const transport: Transport = {
    send: async (endpoint, { headers, body }, stop) => {
      const id = headers['webhook-id'] ?? '';
      const request = { atMs: clock.nowMs(), endpoint, headers, body: JSON.parse(body) as SentRequest['body'], id };
      sent.push(request);
      return harness.respond(request, stop);
    },
    close: () => Promise.resolve(),
  };
  const deps: DispatcherDeps = {
    outbox,
    registry: {
      all: () => workspaces,
      byId: (id) => workspaces.find((workspace) => workspace.id === id),
      sendingKey: (id) => `license key of ${id}`,
      onChange: () => () => {},
    },
    subjects: {
      bySubject: (_, subjects) =>
        Promise.resolve(
          new Map(subjects.filter((one) => !erased.has(one)).map((subject) => [subject, subjectKey(subject)])),
        ),
    },
    log,
    transport,
    clock,
    random: () => random[drawn++ % random.length] ?? 0,
    metrics: { attempted: ({ result }) => attempted.push(result) },
    logger: {
      info: (_, message) => alerts.push(`info ${message}`),
      warn: (_, message) => alerts.push(`warn ${message}`),
      error: (_, message) => alerts.push(`error ${message}`),
    },
  };
  const harness: Harness = {
    clock,
    outbox,
    log,
    sent,
    alerts,
    attempted,
    erased,
    deps,
    respond: () => code1,
    start: (change = {}) => {
      const dispatcher = new Dispatcher({ ...deps, ...change });
      dispatcher.start();
      onTestFinished(async () => {
        const stopping = dispatcher.stop(0);
        await clock.advance(5_000);
        await stopping;
      });
      return dispatcher;
    },
    outcomes: async (workspaceId) => {
      const records = await log.read(workspaceId, 0, 10_000);
      return records.map((record) => JSON.parse(Buffer.from(record.payload).toString()) as Outcome);
    },
  };
  return harness;
}
