import type { DecidedAnswer, PendingAnswer } from '@ringfence/contract';
import type { ServerResponse } from 'node:http';
import { parseEventId } from '../records/event-id.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { DoorDeps } from './ingest-deps.ts';
import { preferredWaitSeconds } from './prefer-wait.ts';

/** What is answered to a request that asked to wait for its decision. */
export interface AwaitedDecision {
  readonly body: string;
  /** The header `Preference-Applied`; `undefined` when there was no waiting. */
  readonly applied: string | undefined;
}

export interface AskedAtOnce {
  readonly prefer: string | readonly string[];
  readonly workspace: Workspace;
  /** Id of the event: of the first one, for a retry. */
  readonly id: string;
  readonly response: ServerResponse;
  /** When the request came, on the clock of `performance`. */
  readonly sinceMs: number;
}

/**
 * Waits as long as the request asks, if it does; a client that hangs up is not waited for. From here it looks like one that
 * has only said that nothing more is sent: that one is answered at once.
 */
export async function awaitDecision(
  decisions: DoorDeps['decisions'],
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

function bodyOf(id: string, waited: Awaited<ReturnType<DoorDeps['decisions']['wait']>>): string {
  if (waited.kind === 'pending') return JSON.stringify({ id, status: 'pending' } satisfies PendingAnswer);
  return JSON.stringify({ id, status: 'decided', ...waited.conclusion } satisfies DecidedAnswer);
}
