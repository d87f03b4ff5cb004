import { eventSchemas, type FieldError, Problem, problemDetails, problemMediaType } from '@ringfence/contract';
import type { IncomingMessage } from 'node:http';
import { frameworkProblem } from '../platform/http/framework-problem.ts';
import type { Answer } from './answer.ts';
import type { Caller } from './callers.ts';
import { type DoorDeps, doorLimits } from './ingest-deps.ts';
import type { Drain } from '../platform/http/drain.ts';
import { idempotencyHeader } from './idempotency.ts';
import type { RefusedMember } from './refused-request.ts';
import { routeAt } from './routes.ts';

/** A request that is to be refused. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly id: string;
  /** Whose license key came with it, once that is known. */
  readonly caller?: Caller | undefined;
  /** Size of the body, as far as it was read. */
  readonly bodyBytes?: number | undefined;
}

/** Makes the answer of every request that is not accepted: problem details for the sender, a redacted note for us. */
export class Refusals {
  readonly #deps: DoorDeps;
  readonly #drain: Drain;

  constructor(deps: DoorDeps, drain: Drain) {
    this.#deps = deps;
    this.#drain = drain;
  }

  /** @param error whatever was thrown */
  refuse(error: unknown, asked: Asked): Answer {
    const problem = error instanceof Problem ? error : this.#problemOf(error, asked);
    // Without the request's id: every event is refused while the database is away, and the log counts lines that are alike.
    if (problem.code === 'log.unavailable')
      this.#deps.logger.error({ err: problem.cause }, 'events could not be stored');
    // A connection that was cut for its slowness was answered and noted then; what follows is its body breaking off.
    if (!asked.request.socket.writableEnded) this.#note(problem, asked);
    const headers = headersOf(problem, asked);
    if (this.#drain.closing || endsConnection(problem, asked)) headers.push('connection', 'close');
    return { status: problem.status, headers, body: JSON.stringify(problemDetails(problem, asked.id)) };
  }

  /** For what matches no route: another method than the `methods` of the path, or no path of ours when there are none. */
  refuseUnknown(asked: Asked, methods: readonly string[]): Answer {
    if (methods.length === 0)
      return this.refuse(new Problem('path.unknown', 'The paths are listed in /openapi.json.'), asked);
    const allow = methods.join(', ');
    const detail = routeAt(asked.request.url!) === undefined ? `This path takes ${allow}.` : 'Events are sent by POST.';
    const { headers, ...answer } = this.refuse(new Problem('method.wrong', detail), asked);
    return { ...answer, headers: [...headers, 'allow', allow] };
  }

  #problemOf(error: unknown, { request, id }: Asked): Problem {
    const bodyBytesMax = this.#deps.limits?.bodyBytesMax ?? doorLimits.bodyBytesMax;
    const known = frameworkProblem(error, { raw: request }, bodyBytesMax);
    if (known !== undefined) return known;
    this.#deps.logger.error({ err: error, requestId: id, route: pathOf(request) }, 'a request failed');
    return new Problem('service.failed', 'Tell us the request id if it happens again.', { cause: error });
  }

  #note(problem: Problem, { request, id, caller, bodyBytes }: Asked): void {
    this.#deps.refused.note({
      atMs: this.#deps.now(),
      workspaceId: caller?.workspace.id,
      keyId: caller?.keyId,
      requestId: id,
      method: request.method!,
      path: pathOf(request),
      status: problem.status,
      code: problem.code,
      bodyBytes: bodyBytes ?? statedBytes(request),
      errors: problem.errors.map(redacted),
    });
  }
}

function headersOf(problem: Problem, { id }: Asked): string[] {
  const headers = [
    'content-type',
    `${problemMediaType}; charset=utf-8`,
    'cache-control',
    'no-store',
    'x-request-id',
    id,
  ];
  if (problem.code === 'key.invalid') headers.push('www-authenticate', 'Bearer');
  if (problem.retryAfterSeconds !== undefined) headers.push('retry-after', String(problem.retryAfterSeconds));
  return headers;
}

/** After these nothing more is read: what is left of a body may still follow, or not. */
const lastCodes: ReadonlySet<string> = new Set([
  'body.tooLarge',
  'http.malformed',
  'expectation.unknown',
  'coding.unknown',
]);

/** Whoever tries keys pays for a new connection with each. */
function endsConnection({ code }: Problem, { caller }: Asked): boolean {
  return lastCodes.has(code) || (code === 'rate.limited' && caller === undefined);
}

/** A path of the wire, and nothing else: what stands in other paths is not ours to keep. */
function pathOf(request: IncomingMessage): string {
  return routeAt(request.url!)?.path ?? 'other';
}

function statedBytes(request: IncomingMessage): number | undefined {
  const length = Number(request.headers['content-length']);
  return Number.isSafeInteger(length) ? length : undefined;
}

/** Names of the wire, and nothing that a sender made up: such a name may be a client's. */
const wireNames: ReadonlySet<string> = new Set([
  idempotencyHeader,
  ...Object.values(eventSchemas).flatMap(({ properties }) => [
    ...Object.keys(properties),
    ...Object.values(properties).flatMap((member) => Object.keys((member as { properties?: object }).properties ?? {})),
  ]),
]);

function redacted({ pointer, detail }: FieldError): RefusedMember {
  const parts = pointer.split('/').map((part) => (part === '' || wireNames.has(part) ? part : '*'));
  return { pointer: parts.join('/'), detail };
}
