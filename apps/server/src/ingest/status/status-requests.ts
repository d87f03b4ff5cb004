import { parseJson, parseStatusRequest, Problem, type StatusRequest } from '@ringfence/contract';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requireClearHeaders, requireOnce } from '../../platform/http/header-check.ts';
import { requirePlainJson } from '../../platform/http/media-type.ts';
import { isDatabaseUnavailable } from '../../platform/observability/database-unavailable.ts';
import { type Answer, writeAnswer } from '../answer.ts';
import type { Caller, Callers } from '../callers.ts';
import type { Answering } from '../event-requests.ts';
import { type IngestDeps, ingestLimits } from '../ingest-deps.ts';
import { readBody } from '../request-body.ts';
import type { StatusRoute } from '../routes.ts';
import { readStatus, type Status } from './read-status.ts';

/** One question while it is processed. */
interface Passage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly sinceMs: number;
  caller: Caller | undefined;
  bodyBytes: number | undefined;
}

/** For a sender whose question could not be answered. */
const retryAfterSeconds = 1;
const notLive = '299 ringfence "the engine did not answer in time; session.active and client are missing"';

/** Answers senders that ask for the status of an event or a session. Stores nothing. */
export class StatusRequests {
  readonly #deps: IngestDeps;
  readonly #callers: Callers;
  readonly #answering: Answering;
  readonly #bodyBytesMax: number;

  constructor(deps: IngestDeps, callers: Callers, answering: Answering) {
    this.#deps = deps;
    this.#callers = callers;
    this.#answering = answering;
    this.#bodyBytesMax = deps.limits?.bodyBytesMax ?? ingestLimits.bodyBytesMax;
  }

  /** Takes over a request of which only the headers have been read. */
  take({ environment }: StatusRoute, { request, response, id }: Pick<Passage, 'request' | 'response' | 'id'>): void {
    const sinceMs = performance.now();
    const passage: Passage = { request, response, id, sinceMs, caller: undefined, bodyBytes: undefined };
    try {
      requireClearHeaders(request);
      const caller = this.#callers.authenticate(request, environment);
      passage.caller = caller;
      this.#callers.checkRate(caller);
      requireOnce(request.rawHeaders, 'content-type');
      requirePlainJson(request.headers);
    } catch (error) {
      this.#refuse(passage, error);
      return;
    }
    readBody(request, this.#bodyBytesMax, (problem, body, bytes) => {
      passage.bodyBytes = bytes;
      if (problem === undefined) void this.#read(passage, body);
      else this.#refuse(passage, problem);
    });
  }

  async #read(passage: Passage, body: Buffer): Promise<void> {
    try {
      const { workspace, cell } = passage.caller!;
      const status = await readStatus(cell.status, workspace, requestIn(body));
      this.#send(passage, this.#answerOf(passage.id, status));
    } catch (error) {
      this.#refuse(passage, isDatabaseUnavailable(error) ? unavailable(error) : error);
    }
  }

  #answerOf(requestId: string, { answer, isLive }: Status): Answer {
    const headers = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'];
    headers.push('x-request-id', requestId);
    if (!isLive) headers.push('warning', notLive);
    if (this.#answering.drain.closing) headers.push('connection', 'close');
    return { status: 200, headers, body: JSON.stringify(answer) };
  }

  #refuse(passage: Passage, error: unknown): void {
    this.#send(passage, this.#answering.refusals.refuse(error, passage));
  }

  #send({ response, sinceMs, caller }: Passage, answer: Answer): void {
    writeAnswer(response, answer, caller && caller.cell.lag.lagMs(caller.workspace.id));
    const durationMs = performance.now() - sinceMs;
    this.#deps.metrics.answered({ route: 'status', status: answer.status, durationMs });
  }
}

/** @throws Problem with all mistakes */
function requestIn(body: Buffer): StatusRequest {
  const json = parseJson(body);
  if (!json.ok) throw new Problem('json.malformed', json.error.detail, { errors: [json.error] });
  const parsed = parseStatusRequest(json.value);
  if (parsed.ok) return parsed.request;
  throw new Problem('request.invalid', 'The request is not a question for a status.', { errors: parsed.errors });
}

function unavailable(cause: unknown): Problem {
  const detail = 'The status cannot be read until the database answers again.';
  return new Problem('database.unavailable', detail, { cause, retryAfterSeconds });
}
