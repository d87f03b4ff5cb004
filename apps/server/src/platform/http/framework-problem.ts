import { Problem } from '@ringfence/contract';
import type { FastifyError, FastifyRequest } from 'fastify';

/**
 * The problem for an error that Fastify throws before a handler runs, the same on both listeners; `undefined` for
 * everything else.
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
      // A database connection fails with the same code, but by then the body is complete.
      return raw.complete ? undefined : cutBody();
    case 'FST_ERR_BAD_URL':
      return new Problem('path.unknown', 'The path is malformed.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('path.unknown', 'A segment of the path is too long.');
    default:
      return undefined;
  }
}

export function bodyTooLarge(bytesMax: number): Problem {
  return new Problem('body.tooLarge', `Send at most ${bytesMax.toLocaleString('en')} bytes.`);
}

export function cutBody(): Problem {
  return new Problem('http.malformed', 'The body does not match its Content-Length.');
}
