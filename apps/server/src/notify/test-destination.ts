import { Problem } from '@ringfence/contract';
import { adviceOn } from '../deliver/test-action.ts';
import type { ConnectionFacts } from '../deliver/transport/transport.ts';
import type { Destination } from '../notifications/destinations.ts';
import { randomId } from '../platform/secrets/random-id.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { Message } from './message-forms.ts';
import { type SenderDeps, sendMessage, type ShownRequest } from './sent-message.ts';

/** The whole exchange of a test, without secrets. */
export interface NotificationTranscript {
  readonly verdict: 'sent' | 'failed';
  /** Why it failed, and what usually helps. */
  readonly problem?: { readonly reason: string; readonly detail: string; readonly advice: string };
  readonly request: ShownRequest;
  readonly connection: ConnectionFacts;
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  /** The conversation with the mail server, `C:` and `S:`. */
  readonly lines?: readonly string[];
  readonly durationMs: number;
}

export type DestinationTest = (workspace: Workspace, destination: Destination) => Promise<NotificationTranscript>;

/** Characters of an answer that are shown. */
const shownMax = 2_000;

/** Sends a test message, past the outbox, even while the destination is paused. Nothing is stored. */
export function testDestination(deps: SenderDeps & { readonly consoleOrigin: string | undefined }): DestinationTest {
  return async (workspace, destination) => {
    const { id, address, settings } = destination;
    if (address === undefined) throw new Problem('state.conflict', 'The address cannot be decrypted. Enter it again.');
    const message: Message = {
      id: `ntf_${randomId(20)}`,
      workspace,
      notes: [{ event: 'test', atMs: deps.machineMs(), facts: {} }],
      language: settings.language,
      consoleOrigin: deps.consoleOrigin,
      madeAtMs: deps.machineMs(),
    };
    const of = { message, address, workspace, destination: id };
    const { failure, answer, lines, ...sent } = await sendMessage(deps, of, new AbortController().signal);
    return {
      verdict: failure === undefined ? 'sent' : 'failed',
      ...(failure === undefined
        ? {}
        : {
            problem: {
              reason: failure.reason,
              detail: failure.detail,
              advice: mailAdvice[failure.reason] ?? adviceOn(failure.reason, answer?.status),
            },
          }),
      ...sent,
      ...(lines === undefined ? {} : { lines }),
      ...(answer === undefined
        ? {}
        : {
            response: {
              status: answer.status,
              headers: answer.headers,
              body: Buffer.from(answer.body).toString().slice(0, shownMax),
            },
          }),
    };
  };
}

const mailAdvice: Readonly<Record<string, string>> = {
  auth: 'The mail server rejects user or password of notifications.smtp, or needs them.',
  recipient: 'The mail server refuses every recipient: check the addresses, and whether it relays for the sender.',
  noMailServer: 'Name a mail server in notifications.smtp of the configuration file.',
};
