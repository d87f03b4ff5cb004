import type { Server } from 'node:http';
import { answerConnect, expectationProblem, type Listening } from '../platform/http/client-errors.ts';
import { requestIdOf } from '../platform/http/request-id.ts';
import { writeAnswer } from './answer.ts';
import { type IngestDeps, ingestLimits } from './ingest-deps.ts';
import type { Refusals } from './refusals.ts';

/** Answers the requests that Node handles before Fastify and would reject without a response body. */
export function answerForNode(server: Server, deps: IngestDeps, refusals: Refusals): void {
  server.on('checkExpectation', (request, response) => {
    const id = requestIdOf(request.headers, deps.makeRequestId);
    writeAnswer(response, refusals.refuse(expectationProblem(), { request, id }));
  });
  server.on('connect', (request) => answerConnect(doorListening(deps), request));
}

/** Connections that the listener cuts are recorded like other refused requests. */
export function doorListening({ limits, makeRequestId, refused, now }: IngestDeps): Listening {
  const { headersMs, requestMs } = { ...ingestLimits, ...limits };
  return {
    headersMs,
    requestMs,
    makeRequestId,
    onCut: ({ problem: { status, code }, requestId, method }) =>
      refused.note({
        atMs: now(),
        workspaceId: undefined,
        keyId: undefined,
        requestId,
        method,
        path: 'other',
        status,
        code,
        bodyBytes: undefined,
        errors: [],
      }),
  };
}
