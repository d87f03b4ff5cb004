import type { ConnectionOptions } from 'node:tls';
import { Client, type ClientConfig } from 'pg';
import { OperatorError } from '../observability/operator-error.ts';

export interface DatabaseAddress {
  /** Plain data: it can be handed to another thread. */
  readonly connection: ClientConfig;
  /** Host and database name, for people. */
  readonly where: string;
}

type Ssl = boolean | ConnectionOptions | undefined;

/** Reads `DATABASE_URL`, with the files that it names, and connects to nothing yet. @throws OperatorError */
export function readDatabaseUrl(databaseUrl: string): DatabaseAddress {
  const { host, database, ssl } = readByDriver(databaseUrl);
  const ca = typeof ssl === 'object' ? ssl.ca : undefined;
  // Where there is none in it, everybody would be refused as if somebody else had signed.
  if (ca !== undefined && !/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(String(ca)))
    throw new OperatorError('The file that sslrootcert in DATABASE_URL names holds no certificate.', pemMend);
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

const pemMend = 'Let sslrootcert, sslcert and sslkey name PEM files that the user of the service can read.';
const filesNamed = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * The driver would read the files for each connection, and throw where nobody catches it when one is away: while it is being
 * exchanged, say. So what was read at the start takes their place.
 */
function connectionOf(databaseUrl: string, ssl: Ssl): ClientConfig {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  const namesFiles = filesNamed.some((name) => url?.searchParams.has(name) === true);
  if (url === undefined || typeof ssl !== 'object' || !namesFiles) return { connectionString: databaseUrl };
  for (const name of [...filesNamed, 'sslmode', 'uselibpqcompat']) url.searchParams.delete(name);
  return { connectionString: url.href, ssl };
}
