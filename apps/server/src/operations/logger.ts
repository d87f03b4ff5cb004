import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../config/file-shape.ts';
import { humanLine } from './human-line.ts';
import { plainError } from './plain-error.ts';

/**
 * Members that are never written, at the top and one or two levels below it: secrets, and what events say about
 * people. A net, not the rule: code logs ids, counts and codes, and does not hand over bodies.
 */
const secretMembers =
  `authorization cookie password secret pepper token adminToken masterKey licenseKey licenseKeys databaseUrl
   connectionString clientKeyPem keyPem proxy body payload user client clientRSA session publicIp data account
   accountTo debitFrom creditTo creditCard order transaction email phoneNumber accountNumber`.split(/\s+/);

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Where lines go; standard error when left out. */
  readonly to?: DestinationStream;
  /** One readable line instead of JSON: for a person at a terminal. */
  readonly human?: boolean;
}

/** The log of this process: one JSON object per line on standard error, secrets and personal data left out. */
export function makeLogger(options: LoggerOptions): Logger {
  const to = options.to ?? process.stderr;
  const destination = options.human === true ? { write: (line: string) => to.write(humanLine(line)) } : to;
  return pino(
    {
      level: options.level,
      base: { process: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: plainError, error: plainError },
      redact: { paths: secretMembers.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    },
    destination,
  );
}
