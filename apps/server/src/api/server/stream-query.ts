import { assert, Problem, problems } from '@ringfence/contract';
import type { Type } from 'typebox';
import { nameOf } from '../../access/caller.ts';
import type { Heard, Query } from '../../backtest/queries/query.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { RequestContext } from './request-context.ts';
import type { ManagementDeps } from './management-deps.ts';
import { masked, type Masking } from './masking.ts';
import { isStreamAuthorized } from './stream-authorization.ts';

/** Interval of the heartbeat that keeps proxies from closing the connection, and of the session check. */
const beatMs = 5_000;

/** An event of the stream; the last one ends it. */
export interface Sent {
  readonly event: string;
  readonly data: unknown;
  readonly isLast?: true;
}

type Answered = Exclude<Heard, { kind: 'progress' | 'failed' }>;

/**
 * Answers a query of the log as a stream: progress, results, and at the end the answer or a problem. Closing the stream
 * cancels the query.
 *
 * @param print converts a result into events, in the order in which results arrive
 * @throws Problem `rate.limited`
 */
export function streamInquiry(
  deps: ManagementDeps,
  of: {
    readonly workspace: Workspace;
    readonly exchange: RequestContext;
    /** Whether the answers are masked. */
    readonly view: Masking;
    readonly inquiry: Query;
    /** The data of the events of the stream, as members by event name. */
    readonly events: Type.TObject;
  },
  print: (heard: Answered) => Promise<readonly Sent[]>,
): void {
  const { workspace, exchange, view, inquiry, events } = of;
  const needs = view.isMasked ? 'see' : 'show';
  /** Chains the outputs, because printing reads from the database and must not reorder them. */
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
        const schema = events.properties[event];
        assert(schema !== undefined, `the stream has a schema of ${event}`);
        stream.send({ event, data: view.isMasked ? masked(schema, data) : data });
        if (isLast === true) stream.end();
      }
    }
  }
  async function beat(): Promise<void> {
    if (await isStreamAuthorized(deps, { workspace, exchange, needs })) stream.beat();
    else end(new Problem('session.missing', 'The session has ended, or lost the right to see this.'));
  }
  function fail(error: unknown): void {
    deps.logger.error({ workspace: workspace.id, err: error }, 'a query of the log failed');
    end(new Problem('service.failed', `The error is logged under request id ${exchange.requestId}.`));
  }
  function end({ code, detail }: Problem): void {
    const { status, title } = problems[code];
    stream.send({ event: 'problem', data: { code, status, title, detail } });
    stream.end();
  }
}
