import { secondMs } from '@ringfence/contract';
import {
  type ActionPayload,
  type Completion,
  decodeActionPayload,
  type EndingReadiness,
  type LeasedAction,
} from '@ringfence/delivery';
import { sandboxReasons } from '@ringfence/engine';
import { openUndamaged } from '../platform/secrets/seal.ts';
import { eventId } from '../records/event-id.ts';
import { clientPlace } from '../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { sealTranscript } from './attempt-transcript.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';
import { judgeAttempt } from './judge-attempt.ts';
import type { Sent } from './transport/transport.ts';
import { type Sender, webhookRequest } from './webhook-request.ts';

export interface Delivery {
  readonly lease: LeasedAction;
  readonly sender: Sender;
  /** The key that opens the action; `undefined` when its client was erased. */
  readonly key: Uint8Array | undefined;
  /** Aborts the request. */
  readonly stop: AbortSignal;
}

/** Makes one attempt and returns its result. Never rejects because of the endpoint or the client's erasure. */
export async function deliverAction(
  deps: Pick<DispatcherDeps, 'outbox' | 'transport' | 'clock' | 'random' | 'metrics' | 'logger'>,
  { lease, sender, key, stop }: Delivery,
): Promise<Completion> {
  const { id, token } = lease;
  const nothingSent = { id, token, attempt: undefined, health: undefined };
  // An erased client has no name and no session any more: there is nothing to send.
  if (key === undefined) return { ...nothingSent, next: { state: 'erased' } };
  const payload = openPayload(lease, sender.workspace, key);
  if (payload === undefined) {
    deps.logger.error({ action: id }, 'an action does not open under its key and cannot be sent');
    return { ...nothingSent, next: { state: 'dead' } };
  }

  const readiness = lease.resolves === undefined ? 'send' : await readinessOf(deps, lease.resolves);
  if (readiness === 'unneeded') return { ...nothingSent, next: { state: 'dropped' } };
  if (readiness === 'wait') return { ...nothingSent, next: { state: 'due', dueAtMs: deps.clock.nowMs() + askAgainMs } };

  const { workspace, settings } = sender;
  const startedAtMs = deps.clock.nowMs();
  const { id: workspaceId, name, environment } = workspace;
  const endpoint = { workspaceId, name, environment, settings };
  const request = webhookRequest(
    { ...lease, ...payload, event: eventId(lease, workspace) },
    sender,
    deps.clock.machineMs(),
  );
  const isSimulated = isToTimeOut(lease, workspace);
  const sent = isSimulated ? timedOut : await deps.transport.send(endpoint, request, stop);
  const ended = { lease, sent, startedAtMs, endedAtMs: deps.clock.nowMs(), machineMs: deps.clock.machineMs() };
  const { result, reason, health, next, transcript } = judgeAttempt(ended, {
    retryNotExecuted: settings.retryNotExecuted,
    jitter: deps.random(),
  });
  deps.metrics.attempted({ result: reason ?? result, durationMs: sent.durationMs });
  const detail = sealTranscript(transcript, {
    workspace,
    subject: lease.subject,
    key,
    action: id,
    number: lease.attempts + 1,
  });
  const status = sent.kind === 'answer' ? sent.status : undefined;
  const attempt = { startedAtMs, durationMs: sent.durationMs, result, reason, status, detail };
  // A simulated failure says nothing about the endpoint.
  return { id, token, attempt, health: isSimulated ? undefined : health, next };
}

/** How often the end of a hold is tried while the bank is still being asked to hold the payment. */
const askAgainMs = secondMs;

/** A database that does not answer means only that it is too early to say. */
async function readinessOf(
  { outbox, clock, logger }: Pick<DispatcherDeps, 'outbox' | 'clock' | 'logger'>,
  holdId: string,
): Promise<EndingReadiness> {
  try {
    return await outbox.readiness(holdId, clock.nowMs());
  } catch (error) {
    logger.error({ err: error, hold: holdId }, 'could not read the state of a hold; will retry');
    return 'wait';
  }
}

/** Whether a developer asked for an action whose first attempt fails. */
function isToTimeOut({ reason, attempts }: LeasedAction, { environment }: Workspace): boolean {
  return environment === 'development' && reason === sandboxReasons.failTimeout && attempts === 0;
}

const timedOut: Sent = {
  kind: 'failure',
  reason: 'timeout',
  detail: 'simulated by ringfence.test: nothing was sent',
  durationMs: 0,
  connection: {
    resolved: [],
    address: undefined,
    proxy: undefined,
    tls: undefined,
    resolveMs: undefined,
    connectMs: undefined,
    tlsMs: undefined,
    reused: false,
  },
};

function openPayload(lease: LeasedAction, workspace: Workspace, key: Uint8Array): ActionPayload | undefined {
  const opened = openUndamaged(
    key,
    lease.payload,
    clientPlace('action', { workspaceId: workspace.id, subject: lease.subject }, lease.id),
  );
  return opened && decodeActionPayload(opened);
}
