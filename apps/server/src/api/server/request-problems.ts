import { Problem } from '@ringfence/contract';
import { LogUnavailableError } from '@ringfence/log';
import type { FastifyRequest } from 'fastify';
import { losslessJson } from '../../records/exact-json.ts';
import { frameworkProblem } from '../../platform/http/framework-problem.ts';
import { isDatabaseAway } from '../../platform/observability/database-unavailable.ts';
import type { ManagementLogger } from './management-deps.ts';

/** A policy folder travels in one body. */
export const bodyBytesMax = 1024 * 1024;

/** For a caller while the database is away. */
const retryAfterSeconds = 1;

/** What went wrong, as the caller is told it. What is our own mistake is logged, and told by its request id only. */
export function problemOf(logger: ManagementLogger, error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  const known = frameworkProblem(error, request, bodyBytesMax) ?? fromOutside(error);
  if (known !== undefined) return known;
  const { id, method } = request;
  logger.error({ err: error, requestId: id, method, path: request.routeOptions.url }, 'a management request failed');
  return new Problem('service.failed', `It is logged under request id ${id}.`, { cause: error });
}

function fromOutside(error: unknown): Problem | undefined {
  if (error instanceof LogUnavailableError) {
    const detail = 'The log did not say that it took the change. Make it again.';
    return new Problem('log.unavailable', detail, { cause: error, retryAfterSeconds });
  }
  if (!isDatabaseAway(error)) return undefined;
  const detail = 'Nothing can be read or changed until it does.';
  return new Problem('database.unavailable', detail, { cause: error, retryAfterSeconds });
}

/** Drops a byte order mark, as the door does. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A body as JSON; `undefined` for white space. Members that nobody expects, `__proto__` among them, are refused with the
 * others by `checkRequest`.
 *
 * @throws Problem `json.malformed`
 */
export function parseBody(body: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (cause) {
    // Read all the same, a name would be stored as another one.
    throw malformed(cause, { detail: 'The bytes are not valid UTF-8.', expected: 'UTF-8' });
  }
  if (text.trim() === '') return undefined;
  try {
    return losslessJson(text);
  } catch (cause) {
    // The parser's own words hold a piece of the body, which may be a secret: only the place is told.
    const place = /line \d+ column \d+/.exec(String(cause))?.[0] ?? 'the end';
    throw malformed(cause, { detail: `It cannot be read as JSON, at ${place}.`, expected: 'a JSON object' });
  }
}

function malformed(
  cause: unknown,
  { detail, expected }: { readonly detail: string; readonly expected: string },
): Problem {
  return new Problem('json.malformed', detail, { cause, errors: [{ pointer: '', detail, expected }] });
}
