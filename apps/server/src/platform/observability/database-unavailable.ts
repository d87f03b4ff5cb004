import { isErrorLike } from './serialize-error.ts';

/**
 * Classes and codes of SQLSTATE: connection lost; role or host not let in, as where a password was changed; no such database;
 * shutting down or starting up, ended as idle, out of connections.
 */
const sqlStates = /^(?:08...|28...|3D000|57P0[1235]|25P03|53300)$/;
/** Of TLS, by Node and OpenSSL: a certificate that was exchanged for one that is not trusted, or is out of its time. */
const tlsCodes = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|ERR_OSSL_)/;
const systemCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);
/** What the driver and its pool say without a code. */
const words =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired$|Query read timeout|Cannot use a pool after)/;

/** Out of room, of memory or of locks; its disk fails; it became a copy that only reads. */
const unableStates = /^(?:53...|58...|25006)$/;

/** Whether an error says that the database answers and cannot do now what it did before. */
export function isDatabaseUnable(error: unknown): boolean {
  if (!isErrorLike(error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (typeof code === 'string' && unableStates.test(code)) || isDatabaseUnable(error.cause);
}

/** Whether an error, or one that was made plain, says that the database cannot be reached, rather than that a statement was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!isErrorLike(error)) return false;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  // A socket that is not there, not a file that somebody named.
  if (code === 'ENOENT') return syscall === 'connect';
  if (typeof code === 'string' && (sqlStates.test(code) || systemCodes.has(code) || tlsCodes.test(code))) return true;
  return words.test(message) || isDatabaseAway(error.cause);
}
