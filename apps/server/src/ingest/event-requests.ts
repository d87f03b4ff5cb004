import { type EventKind, Problem } from '@ringfence/contract';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, writeAnswer } from './answer.ts';
import { type AwaitedDecision, awaitDecision } from './awaited-decision.ts';
import { type Caller, Callers } from './callers.ts';
import { type IngestDeps, ingestLimits } from './ingest-deps.ts';
import type { Drain } from '../platform/http/drain.ts';
import { type Accepted, EventIntake } from './event-intake.ts';
import { requirePlainJson } from '../platform/http/media-type.ts';
import { readBody } from './read-body.ts';
import type { Refusals } from './refusals.ts';
import { requireClearHeaders, requireOnce } from '../platform/http/header-check.ts';
import type { EventRoute } from './routes.ts';

/** One request while ingest processes it. */
interface Passage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly kind: EventKind;
  readonly sinceMs: number;
  caller: Caller | undefined;
  bodyBytes: number | undefined;
}

/** Handles the requests that report events, from their headers to their response. */
export class EventRequests {
  readonly #deps: IngestDeps;
  readonly #callers: Callers;
  readonly #intake: EventIntake;
  readonly #refusals: Refusals;
  readonly #drain: Drain;
  readonly #bodyBytesMax: number;

  constructor(deps: IngestDeps, refusals: Refusals, drain: Drain) {
    this.#deps = deps;
    this.#callers = new Callers(deps);
    this.#intake = new EventIntake(deps);
    this.#refusals = refusals;
    this.#drain = drain;
    this.#bodyBytesMax = deps.limits?.bodyBytesMax ?? ingestLimits.bodyBytesMax;
  }

  /** Takes over a request of which only the headers have been read. */
  take(
    { kind, environment }: EventRoute,
    { request, response, id }: Pick<Passage, 'request' | 'response' | 'id'>,
  ): void {
    const sinceMs = performance.now();
    const passage: Passage = { request, response, id, kind, sinceMs, caller: undefined, bodyBytes: undefined };
    try {
      requireClearHeaders(request);
      const caller = this.#callers.authenticate(request, environment);
      passage.caller = caller;
      this.#callers.checkRate(caller);
      requireOnce(request.rawHeaders, 'content-type');
      requireOnce(request.rawHeaders, 'idempotency-key');
      requirePlainJson(request.headers);
    } catch (error) {
      this.#refuse(passage, error);
      return;
    }
    readBody(request, this.#bodyBytesMax, (problem, body, bytes) => {
      passage.bodyBytes = bytes;
      if (problem === undefined) void this.#store(passage, body);
      else this.#refuse(passage, problem);
    });
  }

  async #store(passage: Passage, body: Buffer): Promise<void> {
    const { workspace } = passage.caller!;
    try {
      const { 'idempotency-key': idempotencyKey, prefer } = passage.request.headers;
      const accepted = await this.#intake.take({ workspace, kind: passage.kind, body, idempotencyKey });
      const { decisions, logHealth } = this.#deps;
      logHealth.stored();
      const awaited =
        prefer === undefined
          ? undefined
          : await awaitDecision(decisions, { ...passage, prefer, workspace, id: accepted.id });
      this.#answer(passage, this.#acceptance(passage.id, accepted, awaited));
    } catch (error) {
      if (error instanceof Problem && error.code === 'log.unavailable')
        this.#deps.logHealth.refused(workspace.id, error);
      this.#refuse(passage, error);
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

  #answer({ response, kind, sinceMs }: Passage, answer: Answer): void {
    writeAnswer(response, answer);
    this.#deps.metrics.answered({ route: kind, status: answer.status, durationMs: performance.now() - sinceMs });
  }
}
