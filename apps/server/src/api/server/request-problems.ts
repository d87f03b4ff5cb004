import { Problem } from '@ringfence/contract';
import { LogUnavailableError, PartitionClosedError } from '@ringfence/log';
import type { FastifyRequest } from 'fastify';
import { memberMistake, membersMax } from '../../platform/http/member-mistake.ts';
import { losslessJson } from '../../records/exact-json.ts';
import { frameworkProblem } from '../../platform/http/framework-problem.ts';
import { hasLeft } from '../../tenancy/move/has-left.ts';
import { isDatabaseUnavailable } from '../../platform/observability/database-unavailable.ts';
import type { ManagementLogger } from './management-deps.ts';

export const bodyBytesMax = 1024 * 1024;
/** A policy folder with the files of its models, each of which may have 1 MiB. */
export const policyBytesMax = 4 * 1024 * 1024;
/** Before authentication: ten times the longest log-in. */
export const openBodyBytesMax = 8 * 1024;

/** Retry-After while the database is unavailable. */
const retryAfterSeconds = 1;

/**
 * Converts an error into the problem for the caller. Internal errors are logged, and the caller gets only the request
 * id.
 */
export function problemOf(logger: ManagementLogger, error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  const known = ofFramework(error, request) ?? fromOutside(error);
  if (known !== undefined) return known;
  const { id, method } = request;
  logger.error({ err: error, requestId: id, method, path: request.routeOptions.url }, 'a management request failed');
  return new Problem('service.failed', `The error is logged under request id ${id}.`, { cause: error });
}

/** The problem of a request that could not be read. */
export function ofFramework(error: unknown, request: FastifyRequest): Problem | undefined {
  return frameworkProblem(error, request, request.routeOptions.bodyLimit ?? bodyBytesMax);
}

function fromOutside(error: unknown): Problem | undefined {
  if (error instanceof LogUnavailableError) {
    const detail = 'The log did not confirm the change. Make it again.';
    return new Problem('log.unavailable', detail, { cause: error, retryAfterSeconds });
  }
  if (error instanceof PartitionClosedError || hasLeft(error)) {
    const detail = 'The workspace is being moved to another database. Nothing was changed; try again.';
    return new Problem('log.unavailable', detail, { cause: error, retryAfterSeconds });
  }
  if (!isDatabaseUnavailable(error)) return undefined;
  const detail = 'Nothing can be read or changed until the database answers again.';
  return new Problem('database.unavailable', detail, { cause: error, retryAfterSeconds });
}

/** Drops a byte order mark, as the ingest listener does. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a body as JSON; `undefined` for white space. Unknown members, `__proto__` included, are refused later by
 * `checkRequest`.
 *
 * @throws Problem `json.malformed`
 */
export function parseBody(body: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (cause) {
    // Decoded leniently, a name would be stored as a different one.
    throw malformed(cause, { detail: 'The bytes are not valid UTF-8.', expected: 'UTF-8' });
  }
  if (text.trim() === '') return undefined;
  // First: to parse an object of a hundred thousand members blocks the thread.
  const mistake = memberMistake(text);
  if (mistake === undefined) return parseText(text);
  const place = `at character ${mistake.at + 1}`;
  throw malformed(
    undefined,
    mistake.kind === 'duplicate'
      ? { detail: `A member is a duplicate, ${place}.`, expected: 'each member once' }
      : { detail: `There are too many members, ${place}.`, expected: `at most ${membersMax} members` },
  );
}

function parseText(text: string): unknown {
  try {
    return losslessJson(text);
  } catch (cause) {
    // The parser's message quotes a piece of the body, which may be a secret: only the position is reported.
    const place = /line \d+ column \d+/.exec(String(cause))?.[0] ?? 'the end';
    throw malformed(cause, { detail: `The body is not valid JSON, at ${place}.`, expected: 'a JSON object' });
  }
}

function malformed(
  cause: unknown,
  { detail, expected }: { readonly detail: string; readonly expected: string },
): Problem {
  return new Problem('json.malformed', detail, { cause, errors: [{ pointer: '', detail, expected }] });
}
