import { randomBytes } from 'node:crypto';
import { Problem } from '@ringfence/contract';
import { type Deliveries, isPauseOf, verdictOf } from '@ringfence/delivery';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';
import type { ConnectionFacts, Sent } from './transport/transport.ts';
import { webhookRequest } from './webhook-request.ts';

/**
 * Content of a test: reason 0, which no rule has, and a client that no bank has. The action is 6, the first that
 * clients define themselves: a conforming receiver answers code 0 for the unknown client, or code 1 and does nothing.
 */
const testReason = 0;
const testAction = 6;
const testClient = 'ringfence-webhook-test';
const testMessage = 'Ringfence test: nothing needs to be done.';

/** The complete exchange of a test, without the license key. */
export interface TestTranscript {
  /** `executed` and `notExecuted` both mean that the webhook works. */
  readonly verdict: 'executed' | 'notExecuted' | 'failed';
  /** Why it failed, and what usually helps. */
  readonly problem?: { readonly reason: string; readonly detail: string; readonly advice: string };
  readonly request: {
    readonly method: 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly connection: ConnectionFacts;
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly truncated: boolean;
    readonly message?: string;
  };
  readonly durationMs: number;
}

/**
 * Sends one test action, bypassing queue, breaker and `deliver: observe`, and returns the whole exchange. Nothing is
 * stored.
 *
 * @throws Problem `state.conflict` if the workspace has no webhook or no key to send, or deliveries are paused: then
 *   nothing is sent at all
 */
export async function sendTestAction(
  deps: Pick<DispatcherDeps, 'transport' | 'clock'> & { readonly deliveries: Pick<Deliveries, 'pauses'> },
  workspace: Workspace,
  sendingKey: string | undefined,
): Promise<TestTranscript> {
  const settings = workspace.settings.webhook;
  if (settings === undefined)
    throw new Problem('state.conflict', 'The workspace has no webhook. Set `webhook.url` in its settings.');
  if (sendingKey === undefined)
    throw new Problem('state.conflict', 'The workspace has no license key to send with the webhook.');
  await refuseWhilePaused(deps.deliveries, workspace.id);
  const nowMs = deps.clock.machineMs();
  const request = webhookRequest(
    {
      id: `test_${workspace.id}_${randomBytes(8).toString('hex')}`,
      event: undefined,
      action: testAction,
      reason: testReason,
      channelId: [...workspace.channels.keys()][0] ?? 1,
      client: testClient,
      session: '',
      message: testMessage,
      decidedAtMs: nowMs,
    },
    { workspace, settings, sendingKey },
    nowMs,
  );
  const { id: workspaceId, name, environment } = workspace;
  const endpoint = { workspaceId, name, environment, settings };
  const sent = await deps.transport.send(endpoint, request, new AbortController().signal);
  return {
    ...conclusionOf(sent, deps.clock.machineMs()),
    request: {
      method: 'POST',
      url: settings.url,
      headers: { ...request.headers, authorization: 'Bearer [the license key]' },
      body: request.body,
    },
    connection: sent.connection,
    durationMs: sent.durationMs,
  };
}

async function refuseWhilePaused(deliveries: Pick<Deliveries, 'pauses'>, workspaceId: string): Promise<void> {
  const pauses = await deliveries.pauses();
  if (pauses.some((pause) => isPauseOf(pause, workspaceId))) {
    throw new Problem('state.conflict', 'Deliveries are paused: nothing is sent until they are resumed.');
  }
}

function conclusionOf(sent: Sent, nowMs: number): Pick<TestTranscript, 'verdict' | 'problem' | 'response'> {
  if (sent.kind === 'failure') {
    const { reason, detail } = sent;
    return { verdict: 'failed', problem: { reason, detail, advice: adviceOn(reason, undefined) } };
  }
  const { status, headers, truncated } = sent;
  const verdict = verdictOf({ ...sent, retryAfter: headers['retry-after'] }, nowMs);
  const response = { status, headers, body: Buffer.from(sent.body).toString(), truncated };
  if (verdict.kind === 'executed' || verdict.kind === 'notExecuted') {
    const message = verdict.message === undefined ? {} : { message: verdict.message };
    return { verdict: verdict.kind, response: { ...response, ...message } };
  }
  return {
    verdict: 'failed',
    problem: { reason: verdict.reason, detail: `HTTP ${status}`, advice: adviceOn(verdict.reason, status) },
    response,
  };
}

const advice: Readonly<Record<string, string>> = {
  answer: 'The answer must be JSON with code 1 (executed) or 0 (not executed), as in spec 2.5.',
  answerTooLong: 'The answer is longer than 64 KiB; {"code":1} is enough.',
  redirect: 'Redirects are never followed; configure the final URL.',
  blocked:
    'The address is not public. If that is intended, the operator adds it to allowPrivateWebhooks; for development on one machine: --allow-local-webhooks.',
  insecure: 'Production requires https. Plain http is allowed only for ranges in allowPrivateWebhooks.',
  dns: 'The host name has no address here. Check the spelling, and the name servers of this machine.',
  refused: 'Nothing listens at this address and port, or a firewall rejects connections.',
  tls: "The certificate is not trusted, has expired or is another host's. A private CA goes into the webhook's caFile.",
  connectTimeout: 'No connection within 5 s: usually a firewall that drops packets.',
  timeout: 'No complete answer within 15 s. Answer first and work afterwards.',
  reset: 'The connection was closed before an answer arrived.',
  protocol: 'The server does not answer in valid HTTP; is this the right port?',
  proxy: 'The forward proxy did not open a tunnel. Check its address, its rules and its credentials.',
};

/** What usually helps against a failure of the transport, or of this HTTP status. */
export function adviceOn(reason: string, status: number | undefined): string {
  if (status === 401 || status === 403)
    return 'The receiver rejects the license key, the signature or its timestamp: compare the key and the signing secret with those of the receiver, and the clocks of both machines.';
  if (status === 404 || status === 405 || status === 410) return 'The server exists, but accepts no POST at this path.';
  return advice[reason] ?? 'The receiver answered with an error; see its own log.';
}
