import { type DecidedAnswer, type EventKind, type PendingAnswer, Problem } from '@ringfence/contract';
import { PartitionClosedError } from '@ringfence/log';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, writeAnswer } from './answer.ts';
import type { Caller, Callers } from './callers.ts';
import { type IngestDeps, ingestLimits } from './ingest-deps.ts';
import type { Drain } from '../platform/http/drain.ts';
import { type Accepted, EventIntake } from './event-intake.ts';
import { requirePlainJson } from '../platform/http/media-type.ts';
import { unavailable } from './or-unavailable.ts';
import type { Refusals } from './refusals.ts';
import { requireClearHeaders, requireOnce } from '../platform/http/header-check.ts';
import { takeOutcome } from './outcome-intake.ts';
import type { IngestRoute, RequestKind } from './routes.ts';
import { readBody } from './request-body.ts';
import { parseEventId } from '../records/event-id.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { preferredWaitSeconds } from './prefer-wait.ts';

/** How often a request looks for its workspace that is moved. */
const movingLookMs = 50;

/** One request while ingest processes it. */
interface Passage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly kind: RequestKind;
  readonly sinceMs: number;
  caller: Caller | undefined;
  bodyBytes: number | undefined;
}

/** How requests are refused, and whether connections are kept. */
export interface Answering {
  readonly refusals: Refusals;
  readonly drain: Drain;
}

/** Handles the requests that report events and outcomes, from their headers to their response. */
export class EventRequests {
  readonly #deps: IngestDeps;
  readonly #callers: Callers;
  readonly #intake: EventIntake;
  readonly #refusals: Refusals;
  readonly #drain: Drain;
  readonly #bodyBytesMax: number;

  constructor(deps: IngestDeps, callers: Callers, { refusals, drain }: Answering) {
    this.#deps = deps;
    this.#callers = callers;
    this.#intake = new EventIntake(deps);
    this.#refusals = refusals;
    this.#drain = drain;
    this.#bodyBytesMax = deps.limits?.bodyBytesMax ?? ingestLimits.bodyBytesMax;
  }

  /** Takes over a request of which only the headers have been read. */
  take(
    { kind, environment }: IngestRoute,
    { request, response, id }: Pick<Passage, 'request' | 'response' | 'id'>,
  ): void {
    const sinceMs = performance.now();
    const passage: Passage = { request, response, id, kind, sinceMs, caller: undefined, bodyBytes: undefined };
    try {
      requireClearHeaders(request);
      const caller = this.#callers.authenticate(request, environment);
      passage.caller = caller;
      this.#callers.checkRate(caller);
      if (kind !== 'outcome') this.#checkLag(caller);
      requireOnce(request.rawHeaders, 'content-type');
      requireOnce(request.rawHeaders, 'idempotency-key');
      requirePlainJson(request.headers);
    } catch (error) {
      this.#refuse(passage, error);
      return;
    }
    readBody(request, this.#bodyBytesMax, (problem, body, bytes) => {
      passage.bodyBytes = bytes;
      if (problem !== undefined) this.#refuse(passage, problem);
      else if (passage.kind === 'outcome') void this.#storeOutcome(passage, body);
      else void this.#store(passage, passage.kind, body);
    });
  }

  async #store(passage: Passage, kind: EventKind, body: Buffer): Promise<void> {
    try {
      const { 'idempotency-key': idempotencyKey, prefer } = passage.request.headers;
      const accepted = await this.#following(passage, (of) => this.#intake.take({ ...of, kind, body, idempotencyKey }));
      const { workspace, cell } = passage.caller!;
      const { decisions, logHealth } = cell;
      logHealth.stored();
      const awaited =
        prefer === undefined
          ? undefined
          : await awaitDecision(decisions, { ...passage, prefer, workspace, id: accepted.id });
      this.#answer(passage, this.#acceptance(passage.id, accepted, awaited));
    } catch (error) {
      const { workspace, cell } = passage.caller!;
      const isMoving = error instanceof Problem && error.cause instanceof PartitionClosedError;
      if (error instanceof Problem && error.code === 'log.unavailable' && !isMoving)
        cell.logHealth.refused(workspace.id, error);
      this.#refuse(passage, error);
    }
  }

  async #storeOutcome(passage: Passage, body: Buffer): Promise<void> {
    try {
      const idempotencyKey = passage.request.headers['idempotency-key'];
      const accepted = await this.#following(passage, (caller) => takeOutcome({ caller, body, idempotencyKey }));
      this.#answer(passage, this.#acceptance(passage.id, accepted, undefined));
    } catch (error) {
      this.#refuse(passage, error);
    }
  }

  /**
   * A database takes nothing more of a workspace that moves: its requests wait until another one has it.
   *
   * @throws Problem `log.unavailable` if that takes too long
   */
  async #following<Result>(passage: Passage, take: (caller: Caller) => Promise<Result>): Promise<Result> {
    const endMs = performance.now() + (this.#deps.limits?.movingMs ?? ingestLimits.movingMs);
    for (;;) {
      const caller = passage.caller!;
      try {
        return await take(caller);
      } catch (error) {
        if (!(error instanceof PartitionClosedError)) throw error;
        if (performance.now() >= endMs) throw unavailable(error);
      }
      await sleep(movingLookMs);
      const found = await this.#deps.findMoved?.(caller.workspace.id, caller.cell);
      if (found !== undefined) passage.caller = { ...caller, ...found };
    }
  }

  #acceptance(requestId: string, { id, isReplay, warnings }: Accepted, awaited: AwaitedDecision | undefined): Answer {
    const headers = ['content-type', 'application/json; charset=utf-8', 'x-request-id', requestId];
    if (isReplay) headers.push('idempotency-replayed', 'true');
    // 299 is the code for miscellaneous persistent warnings (RFC 7234, 5.5.7).
    if (warnings.length > 0)
      headers.push('warning', warnings.map(({ detail }) => `299 ringfence "${detail}"`).join(', '));
    if (awaited?.applied !== undefined) headers.push('preference-applied', awaited.applied);
    if (this.#drain.closing) headers.push('connection', 'close');
    return { status: 200, headers, body: awaited?.body ?? `{"id":"${id}","status":"accepted"}` };
  }

  #refuse(passage: Passage, error: unknown): void {
    this.#answer(passage, this.#refusals.refuse(error, passage));
  }

  /** @throws Problem `lag.exceeded` */
  #checkLag({ workspace, cell }: Caller): void {
    const retryAfterSeconds = cell.lag.refusedSeconds(workspace);
    if (retryAfterSeconds === undefined) return;
    this.#deps.metrics.refusedForLag(workspace.id);
    const detail = `An event that is sent now would wait more than ${workspace.settings.lagMax} seconds for its decision.`;
    throw new Problem('lag.exceeded', detail, { retryAfterSeconds });
  }

  #answer({ response, kind, sinceMs, caller }: Passage, answer: Answer): void {
    writeAnswer(response, answer, caller && caller.cell.lag.lagMs(caller.workspace.id));
    this.#deps.metrics.answered({ route: kind, status: answer.status, durationMs: performance.now() - sinceMs });
  }
}

/** The answer to a request that asked to wait for its decision. */
interface AwaitedDecision {
  readonly body: string;
  /** The header `Preference-Applied`; `undefined` if the request did not wait. */
  readonly applied: string | undefined;
}

interface AskedAtOnce {
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
async function awaitDecision(
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
  const { offset } = parseEventId(id, workspace);
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
