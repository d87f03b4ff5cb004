import type { ConnectionOptions } from 'node:tls';
import { Client, type ClientConfig } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';

export interface DatabaseAddress {
  /** Plain data: it can be sent to another thread. */
  readonly connection: ClientConfig;
  /** Host and database name, for display. */
  readonly where: string;
}

type Ssl = boolean | ConnectionOptions | undefined;

/** Parses `DATABASE_URL` and reads the files that it names, without connecting. @throws OperatorError */
export function readDatabaseUrl(databaseUrl: string): DatabaseAddress {
  const { host, database, ssl } = readByDriver(databaseUrl);
  const ca = typeof ssl === 'object' ? ssl.ca : undefined;
  // Without a certificate in it, every server would be rejected as signed by an unknown authority.
  if (ca !== undefined && !/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(String(ca)))
    throw new OperatorError('The file that sslrootcert in DATABASE_URL names contains no certificate.', pemMend);
  return { connection: connectionOf(databaseUrl, ssl), where: `${host}/${database ?? ''}` };
}

function readByDriver(databaseUrl: string): { host: string; database?: string | undefined; ssl: Ssl } {
  try {
    return new Client(databaseUrl);
  } catch (cause) {
    const { syscall, message } = cause as NodeJS.ErrnoException;
    if (syscall === undefined) throw cause;
    throw new OperatorError(`A file that DATABASE_URL names cannot be read: ${message}.`, pemMend, { cause });
  }
}

const pemMend = 'Set sslrootcert, sslcert and sslkey to PEM files that the user of the service can read.';
const filesNamed = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * Replaces the names of files by the contents read at the start. The driver would read the files again for each
 * connection, and throw an uncatchable error if one is missing, for example while it is being replaced.
 */
function connectionOf(databaseUrl: string, ssl: Ssl): ClientConfig {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  const namesFiles = filesNamed.some((name) => url?.searchParams.has(name) === true);
  if (url === undefined || typeof ssl !== 'object' || !namesFiles) return { connectionString: databaseUrl };
  for (const name of [...filesNamed, 'sslmode', 'uselibpqcompat']) url.searchParams.delete(name);
  return { connectionString: url.href, ssl };
}
