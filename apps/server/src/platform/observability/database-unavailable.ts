import { isErrorLike } from './serialize-error.ts';

/**
 * SQLSTATE classes and codes: connection lost; role or host rejected, for example after a password change; no such
 * database; shutting down or starting up; ended as idle; out of connections.
 */
const sqlStates = /^(?:08...|28...|3D000|57P0[1235]|25P03|53300)$/;
/** TLS errors of Node and OpenSSL: the certificate was replaced by one that is untrusted, expired or not yet valid. */
const tlsCodes = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|ERR_OSSL_)/;
const systemCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);
/** Messages of the driver and its pool that have no code. */
const words =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired$|Query read timeout|Cannot use a pool after)/;

/** Out of disk, memory or locks; its disk fails; it became a read-only standby. */
const unableStates = /^(?:53...|58...|25006)$/;

/** Whether an error means that the database answers but cannot serve requests that it served before. */
export function isDatabaseUnable(error: unknown): boolean {
  if (!isErrorLike(error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (typeof code === 'string' && unableStates.test(code)) || isDatabaseUnable(error.cause);
}

/**
 * Whether an error, or its plain form, means that the database cannot be reached, rather than that a statement was
 * wrong.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isErrorLike(error)) return false;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  // A missing socket of the database, not a missing file.
  if (code === 'ENOENT') return syscall === 'connect';
  if (typeof code === 'string' && (sqlStates.test(code) || systemCodes.has(code) || tlsCodes.test(code))) return true;
  return words.test(message) || isDatabaseUnavailable(error.cause);
}
