import {
  eventSchemas,
  type FieldError,
  outcomeSchema,
  Problem,
  problemDetails,
  problemMediaType,
  statusRequestSchema,
} from '@ringfence/contract';
import type { IncomingMessage } from 'node:http';
import { frameworkProblem } from '../platform/http/framework-problem.ts';
import type { Answer } from './answer.ts';
import type { Caller } from './callers.ts';
import { type IngestDeps, ingestLimits } from './ingest-deps.ts';
import type { Drain } from '../platform/http/drain.ts';
import { idempotencyHeader } from './idempotency.ts';
import type { RefusedMember } from './refused-request.ts';
import { routeAt } from './routes.ts';

/** A request to be refused. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly id: string;
  /** The workspace and license key of the request, once authenticated. */
  readonly caller?: Caller | undefined;
  /** Size of the body, as far as it was read. */
  readonly bodyBytes?: number | undefined;
}

/**
 * Builds the response for every refused request: problem details for the sender, a redacted record for the operator.
 */
export class Refusals {
  readonly #deps: IngestDeps;
  readonly #drain: Drain;

  constructor(deps: IngestDeps, drain: Drain) {
    this.#deps = deps;
    this.#drain = drain;
  }

  /** @param error anything that was thrown */
  refuse(error: unknown, asked: Asked): Answer {
    const problem = error instanceof Problem ? error : this.#problemOf(error, asked);
    // Without the request id: during a database outage every event is refused, and the logger counts identical lines.
    if (problem.code === 'log.unavailable')
      this.#deps.logger.error({ err: problem.cause }, 'events could not be stored');
    // A connection cut for slowness was answered and recorded then; this error is only its body breaking off.
    if (!asked.request.socket.writableEnded) this.#note(problem, asked);
    const headers = headersOf(problem, asked);
    if (this.#drain.closing || endsConnection(problem, asked)) headers.push('connection', 'close');
    return { status: problem.status, headers, body: JSON.stringify(problemDetails(problem, asked.id)) };
  }

  /** For a request that matches no route: `methods` are those of its path, empty for an unknown path. */
  refuseUnknown(asked: Asked, methods: readonly string[]): Answer {
    if (methods.length === 0)
      return this.refuse(new Problem('path.unknown', 'The paths are listed in /openapi.json.'), asked);
    const allow = methods.join(', ');
    const detail = routeAt(asked.request.url!) === undefined ? `This path takes ${allow}.` : 'Events are sent by POST.';
    const { headers, ...answer } = this.refuse(new Problem('method.wrong', detail), asked);
    return { ...answer, headers: [...headers, 'allow', allow] };
  }

  #problemOf(error: unknown, { request, id }: Asked): Problem {
    const bodyBytesMax = this.#deps.limits?.bodyBytesMax ?? ingestLimits.bodyBytesMax;
    const known = frameworkProblem(error, { raw: request }, bodyBytesMax);
    if (known !== undefined) return known;
    this.#deps.logger.error({ err: error, requestId: id, route: pathOf(request) }, 'a request failed');
    return new Problem('service.failed', 'If it happens again, report the request id.', { cause: error });
  }

  #note(problem: Problem, { request, id, caller, bodyBytes }: Asked): void {
    (caller?.cell ?? this.#deps).refused.note({
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

/** After these problems nothing more is read; the rest of a body may or may not follow. */
const lastCodes: ReadonlySet<string> = new Set([
  'body.tooLarge',
  'http.malformed',
  'expectation.unknown',
  'coding.unknown',
]);

/** A client that tries keys has to open a new connection for each. */
function endsConnection({ code }: Problem, { caller }: Asked): boolean {
  return lastCodes.has(code) || (code === 'rate.limited' && caller === undefined);
}

/** A path of the API, or `other`: other paths may contain anything and are not stored. */
function pathOf(request: IncomingMessage): string {
  return routeAt(request.url!)?.path ?? 'other';
}

function statedBytes(request: IncomingMessage): number | undefined {
  const length = Number(request.headers['content-length']);
  return Number.isSafeInteger(length) ? length : undefined;
}

/** The names of the wire contract. A name that a sender made up may be a client's. */
const wireNames: ReadonlySet<string> = new Set([
  idempotencyHeader,
  ...Object.keys(statusRequestSchema.properties),
  ...[...Object.values(eventSchemas), outcomeSchema].flatMap(({ properties }) => [
    ...Object.keys(properties),
    ...Object.values(properties).flatMap((member) => Object.keys((member as { properties?: object }).properties ?? {})),
  ]),
]);

function redacted({ pointer, detail }: FieldError): RefusedMember {
  const parts = pointer.split('/').map((part) => (part === '' || wireNames.has(part) ? part : '*'));
  return { pointer: parts.join('/'), detail };
}
