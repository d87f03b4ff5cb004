import type { DecidedAnswer, PendingAnswer } from '@ringfence/contract';
import type { ServerResponse } from 'node:http';
import { parseEventId } from '../records/event-id.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { IngestDeps } from './ingest-deps.ts';
import { preferredWaitSeconds } from './prefer-wait.ts';

/** The answer to a request that asked to wait for its decision. */
export interface AwaitedDecision {
  readonly body: string;
  /** The header `Preference-Applied`; `undefined` if the request did not wait. */
  readonly applied: string | undefined;
}

export interface AskedAtOnce {
  readonly prefer: string | readonly string[];
  readonly workspace: Workspace;
  /** Id of the event; for a retry, the id of the first event. */
  readonly id: string;
  readonly response: ServerResponse;
  /** When the request arrived, on the clock of `performance`. */
  readonly sinceMs: number;
}

/**
 * Waits for the decision as long as the request's `Prefer` header allows. Stops when the client disconnects. A client
 * that only half-closes its socket looks the same from here, so it is answered immediately.
 */
export async function awaitDecision(
  decisions: IngestDeps['decisions'],
  { prefer, workspace, id, response, sinceMs }: AskedAtOnce,
): Promise<AwaitedDecision | undefined> {
  const seconds = preferredWaitSeconds(prefer);
  if (seconds === undefined) return undefined;
  const hangUp = new AbortController();
  const gone = (): void => hangUp.abort();
  if (response.destroyed || response.socket?.readableEnded === true) gone();
  response.once('close', gone);
  response.socket?.once('end', gone);
  const waitMs = Math.max(0, sinceMs + seconds * 1_000 - performance.now());
  const { offset } = parseEventId(id);
  const waited = await decisions.wait({ workspace, offset, waitMs, gone: hangUp.signal });
  response.off('close', gone);
  response.socket?.off('end', gone);
  const applied = waited.kind === 'decided' || waited.waited ? `wait=${seconds}` : undefined;
  return { body: bodyOf(id, waited), applied };
}

function bodyOf(id: string, waited: Awaited<ReturnType<IngestDeps['decisions']['wait']>>): string {
  if (waited.kind === 'pending') return JSON.stringify({ id, status: 'pending' } satisfies PendingAnswer);
  return JSON.stringify({ id, status: 'decided', ...waited.conclusion } satisfies DecidedAnswer);
}
