import {
  eventSchemas,
  type FieldError,
  Problem,
  problemDetails,
  problemMediaType,
  secondMs,
} from '@ringfence/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { frameworkProblem } from '../http/framework-problem.ts';
import { type DoorDeps, doorLimits } from './door-deps.ts';
import type { Drain } from './drain.ts';
import type { RefusedMember } from './refused-request.ts';
import { routeAt } from './routes.ts';

/** Answers every request that is not accepted: problem details to the sender, a redacted note for us. */
export class Refusals {
  readonly #deps: DoorDeps;
  readonly #drain: Drain;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: DoorDeps, drain: Drain) {
    this.#deps = deps;
    this.#drain = drain;
  }

  /** Fastify's error handler: whatever was thrown. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = error instanceof Problem ? error : this.#problemOf(error, request);
    if (problem.code === 'log.unavailable') this.#logUnavailable(problem, request);
    // A connection that was cut for its slowness was answered and noted then; what follows is its body breaking off.
    if (!request.raw.socket.writableEnded) this.#note(problem, request);
    this.#drain.mark(reply);
    // Whoever tries keys pays for a new connection with each.
    if (problem.code === 'rate.limited' && request.caller === undefined) reply.header('connection', 'close');
    return send(problem, request, reply);
  }

  /** What matches no route: another method of a path of the wire, or no path of ours. */
  answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const route = routeAt(request.url);
    if (route === undefined)
      return this.answer(new Problem('path.unknown', 'The paths are listed in /openapi.json.'), request, reply);
    reply.header('allow', 'POST');
    return this.answer(new Problem('method.wrong', 'Events are sent by POST.'), request, reply);
  }

  /** Every event is refused while the database is away; a line a second says so. */
  #logUnavailable(problem: Problem, request: FastifyRequest): void {
    const nowMs = this.#deps.now();
    if (nowMs - this.#loggedAtMs < secondMs) return;
    this.#loggedAtMs = nowMs;
    this.#deps.logger.error({ err: problem.cause, requestId: request.id }, 'events could not be stored');
  }

  #problemOf(error: unknown, request: FastifyRequest): Problem {
    const bodyBytesMax = this.#deps.limits?.bodyBytesMax ?? doorLimits.bodyBytesMax;
    const known = frameworkProblem(error, request, bodyBytesMax);
    if (known !== undefined) return known;
    this.#deps.logger.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'a request failed');
    return new Problem('service.failed', 'Tell us the request id if it happens again.', { cause: error });
  }

  #note(problem: Problem, request: FastifyRequest): void {
    const caller = request.caller;
    this.#deps.refused.note({
      atMs: this.#deps.now(),
      workspaceId: caller?.workspace.id,
      keyId: caller?.keyId,
      requestId: request.id,
      method: request.method,
      path: routeAt(request.url)?.path ?? 'other',
      status: problem.status,
      code: problem.code,
      bodyBytes: bodyBytesOf(request),
      errors: problem.errors.map(redacted),
    });
  }
}

function send(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (problem.code === 'key.invalid') reply.header('www-authenticate', 'Bearer');
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
  return reply
    .code(problem.status)
    .header('content-type', `${problemMediaType}; charset=utf-8`)
    .header('cache-control', 'no-store')
    .send(JSON.stringify(problemDetails(problem, request.id)));
}

function bodyBytesOf(request: FastifyRequest): number | undefined {
  if (Buffer.isBuffer(request.body)) return request.body.length;
  const length = Number(request.headers['content-length']);
  return Number.isSafeInteger(length) ? length : undefined;
}

/** Names of the wire, and nothing that a sender made up: such a name may be a client's. */
const wireNames: ReadonlySet<string> = new Set(
  Object.values(eventSchemas).flatMap(({ properties }) => [
    ...Object.keys(properties),
    ...Object.values(properties).flatMap((member) => Object.keys((member as { properties?: object }).properties ?? {})),
  ]),
);

function redacted({ pointer, detail }: FieldError): RefusedMember {
  const parts = pointer.split('/').map((part) => (part === '' || wireNames.has(part) ? part : '*'));
  return { pointer: parts.join('/'), detail };
}
