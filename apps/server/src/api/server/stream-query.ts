import { Problem, problems } from '@ringfence/contract';
import { nameOf } from '../../access/accounts/caller.ts';
import type { Heard, Inquiry } from '../../backtest/queries/query.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { Exchange } from './request-context.ts';
import type { ManagementDeps } from './management-deps.ts';
import type { View } from './masking.ts';
import { mayStay } from './stream-authorization.ts';

/** How often a proxy sees that the connection lives, and the session is looked at. */
const beatMs = 5_000;

/** What is sent of what was heard; the last one ends the stream. */
export interface Sent {
  readonly event: string;
  readonly data: unknown;
  readonly isLast?: true;
}

type Answered = Exclude<Heard, { kind: 'progress' | 'failed' }>;

/**
 * Answers a question about the log as a stream: how far it is, what is found, and at its end the answer or the problem.
 * Whoever closes the stream ends the question.
 *
 * @param print what is sent of it, in the order in which it was heard
 * @throws Problem `rate.limited`
 */
export function streamInquiry(
  deps: ManagementDeps,
  of: {
    readonly workspace: Workspace;
    readonly exchange: Exchange;
    /** How much of the answers is shown. */
    readonly view: View;
    readonly inquiry: Inquiry;
  },
  print: (heard: Answered) => Promise<readonly Sent[]>,
): void {
  const { workspace, exchange, view, inquiry } = of;
  const needs = view.isMasked ? 'see' : 'show';
  /** One after the other, though what is printed is read from the database. */
  let before: Promise<void> = Promise.resolve();
  const stop = deps.inquiries.begin({ workspace, inquiry, by: nameOf(exchange.caller) }, (heard) => {
    before = before.then(() => tell(heard)).catch((error: unknown) => fail(error));
  });
  const stream = exchange.openStream();
  stream.onClose(stop);
  stream.every(beatMs, () => void beat().catch((error: unknown) => fail(error)));

  async function tell(heard: Heard): Promise<void> {
    if (heard.kind === 'progress') {
      stream.send({ event: 'progress', data: { done: heard.done, total: heard.total } });
    } else if (heard.kind === 'failed') {
      end(new Problem(heard.code, heard.detail));
    } else {
      for (const { event, data, isLast } of await print(heard)) {
        stream.send({ event, data });
        if (isLast === true) stream.end();
      }
    }
  }
  async function beat(): Promise<void> {
    if (await mayStay(deps, { workspace, exchange, needs })) stream.beat();
    else end(new Problem('session.missing', 'The session has ended, or lost the right to see this.'));
  }
  function fail(error: unknown): void {
    deps.logger.error({ workspace: workspace.id, err: error }, 'an answer about the log could not be given');
    end(new Problem('service.failed', `It is logged under request id ${exchange.requestId}.`));
  }
  function end({ code, detail }: Problem): void {
    const { status, title } = problems[code];
    stream.send({ event: 'problem', data: { code, status, title, detail } });
    stream.end();
  }
}
