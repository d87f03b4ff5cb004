import { Problem } from '@ringfence/contract';
import type { FastifyError, FastifyRequest } from 'fastify';

/**
 * What Fastify refuses before a handler runs, as both listeners tell it; `undefined` for everything else.
 *
 * @param bodyBytesMax the listener's own limit
 */
export function frameworkProblem(
  error: unknown,
  { raw }: Pick<FastifyRequest, 'raw'>,
  bodyBytesMax: number,
): Problem | undefined {
  const { code } = error as Partial<FastifyError>;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(bodyBytesMax);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('type.unsupported', 'Send "Content-Type: application/json".');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return cutBody();
    case 'ECONNRESET':
      // A connection to the database says the same of itself; by then the body has long arrived.
      return raw.complete ? undefined : cutBody();
    case 'FST_ERR_BAD_URL':
      return new Problem('path.unknown', 'The path is not well-formed.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('path.unknown', 'A part of the path is longer than any name.');
    default:
      return undefined;
  }
}

export function bodyTooLarge(bytesMax: number): Problem {
  return new Problem('body.tooLarge', `Send at most ${bytesMax.toLocaleString('en')} bytes.`);
}

export function cutBody(): Problem {
  return new Problem('http.malformed', 'The body is not as long as Content-Length says.');
}
