/** One attempt to send a message to its address, and what came of it. */
import { refusalOf, type WebhookOwner } from '@ringfence/delivery';
import type { Address } from '../notifications/destinations.ts';
import type { ConnectionRules, ConnectionStep } from '../deliver/transport/guarded-connector.ts';
import { connectionFacts } from '../deliver/transport/connection.ts';
import type { ConnectionFacts, Sent, Transport } from '../deliver/transport/transport.ts';
import { signedHeaders, type WebhookRequest } from '../deliver/webhook-request.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type MailFailure, type MailSettings, sendMail } from './mail-server.ts';
import { httpBody, mailOf, type Message, slackBody, teamsBody } from './message-forms.ts';

/** Why a message was not sent. `noMailServer`: the configuration names none. */
type NotificationFailure = MailFailure | 'noMailServer';

export interface SenderDeps {
  readonly transport: Transport;
  readonly rules: ConnectionRules;
  /** `undefined`: the configuration names no mail server. */
  readonly mail: MailSettings | undefined;
  /** The machine's wall clock: receivers compare it with theirs. */
  readonly machineMs: () => number;
}

/** What was sent, without secrets: the address of a chat is shown without its path. */
export interface ShownRequest {
  readonly to: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SentMessage {
  readonly request: ShownRequest;
  readonly connection: ConnectionFacts;
  readonly durationMs: number;
  /** The conversation with a mail server. */
  readonly lines?: readonly string[];
  readonly answer?: Extract<Sent, { readonly kind: 'answer' }>;
  /** `undefined`: it was taken. */
  readonly failure:
    | {
        readonly reason: NotificationFailure;
        readonly detail: string;
        readonly retryAfterMs?: number | undefined;
        readonly overloaded?: boolean;
      }
    | undefined;
}

/** Sends a message. Never rejects because of the receiver. */
export async function sendMessage(
  deps: SenderDeps,
  of: {
    readonly message: Message;
    readonly address: Address;
    readonly workspace: Workspace;
    readonly destination: string;
  },
  stop: AbortSignal,
): Promise<SentMessage> {
  const { address, message, workspace } = of;
  if (address.kind === 'email') return sendByMail(deps, { message, workspace, to: address.to }, stop);
  const request = requestOf(message, address, deps.machineMs());
  const { id: workspaceId, name, environment, settings } = workspace;
  const { destination } = of;
  const proxy = settings.webhook?.proxy;
  const endpoint = {
    workspaceId,
    destination,
    name,
    environment,
    settings: { url: address.url, ...(proxy === undefined ? {} : { proxy }) },
  };
  const sent = await deps.transport.send(endpoint, request, stop);
  return {
    request: { to: shownUrl(address.url), headers: request.headers, body: request.body },
    connection: sent.connection,
    durationMs: sent.durationMs,
    ...(sent.kind === 'answer' ? { answer: sent } : {}),
    failure: failureOf(sent, deps.machineMs()),
  };
}

function requestOf(message: Message, address: Exclude<Address, { kind: 'email' }>, nowMs: number): WebhookRequest {
  const secrets = address.kind === 'http' ? [Buffer.from(address.secret, 'base64')] : [];
  const body = { http: httpBody, slack: slackBody, teams: teamsBody }[address.kind](message);
  const timestampSeconds = Math.floor(nowMs / 1_000);
  return { body, headers: signedHeaders({ id: message.id, timestampSeconds, body }, secrets) };
}

/** Scheme and host: the rest of such a URL is often all that it takes to write there. */
export function shownUrl(url: string): string {
  return `${new URL(url).origin}/…`;
}

function failureOf(sent: Sent, nowMs: number): SentMessage['failure'] {
  if (sent.kind === 'failure') return { reason: sent.reason, detail: sent.detail };
  const refusal = refusalOf({ status: sent.status, retryAfter: sent.headers['retry-after'] }, nowMs);
  return refusal && { ...refusal, detail: `HTTP ${sent.status}` };
}

async function sendByMail(
  { mail: settings, rules }: SenderDeps,
  of: { readonly message: Message; readonly workspace: WebhookOwner; readonly to: readonly string[] },
  stop: AbortSignal,
): Promise<SentMessage> {
  const { message, workspace, to } = of;
  const mail = mailOf(message);
  const request: ShownRequest = {
    to: to.join(', '),
    headers: { subject: mail.subject, from: settings?.from ?? '' },
    body: mail.text,
  };
  const begunAtMs = performance.now();
  const steps: readonly ConnectionStep[] = [];
  if (settings === undefined) {
    const failure = { reason: 'noMailServer', detail: 'notifications.smtp is not set' } as const;
    return { request, connection: connectionFacts(steps, { begunAtMs, proxy: undefined }), durationMs: 0, failure };
  }
  const owner = { name: workspace.name, environment: workspace.environment };
  const dateMs = message.madeAtMs;
  const sent = await sendMail({ settings, rules, owner }, { ...mail, id: message.id, to, dateMs }, stop);
  return {
    request,
    connection: connectionFacts(sent.steps, { begunAtMs, proxy: undefined }),
    durationMs: performance.now() - begunAtMs,
    lines: sent.lines,
    failure: sent.ok ? undefined : { reason: sent.reason, detail: sent.detail },
  };
}
