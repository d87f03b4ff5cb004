import { Problem } from '@ringfence/contract';
import type { Server } from 'node:http';
import { writeAnswer } from './answer.ts';
import { answerConnect } from './client-errors.ts';
import type { DoorDeps } from './door-deps.ts';
import type { Refusals } from './refusals.ts';
import { requestIdOf } from './request-id.ts';

/** Answers the requests that Node keeps from Fastify, and would refuse without a word for the sender. */
export function answerForNode(server: Server, deps: DoorDeps, refusals: Refusals): void {
  server.on('checkExpectation', (request, response) => {
    const id = requestIdOf(request.headers, deps.makeRequestId);
    writeAnswer(response, refusals.refuse(expectationProblem(), { request, id }));
  });
  server.on('connect', (request) => answerConnect(deps, request));
}

export function expectationProblem(): Problem {
  return new Problem('expectation.unknown', 'The one expectation that is met is 100-continue.');
}
