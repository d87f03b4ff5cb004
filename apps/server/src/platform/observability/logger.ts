import {
  type DestinationStream,
  type Level,
  type Logger,
  type LoggerOptions as PinoOptions,
  pino,
  stdTimeFunctions,
} from 'pino';
import { humanLine } from './human-line.ts';
import { serializeError } from './serialize-error.ts';
import type { RepeatedLines } from './repeated-lines.ts';

/**
 * Members that are redacted at the top level and one or two levels below it: secrets and personal data of events. This
 * is a safety net: code should log ids, counts and codes, and never bodies.
 */
const secretMembers =
  `authorization cookie password secret pepper token adminToken masterKey licenseKey licenseKeys databaseUrl
   connectionString clientKeyPem keyPem proxy body payload user client clientRSA session publicIp data account
   accountTo debitFrom creditTo creditCard order transaction email phoneNumber accountNumber`.split(/\s+/);

export interface LoggerOptions {
  readonly level: Level;
  /** Where lines are written; default: standard error. */
  readonly to?: DestinationStream;
  /** One readable line instead of JSON, for a terminal. */
  readonly human?: boolean;
  /** Counts repeated warnings and errors. Omitted: each is written. */
  readonly repeats?: RepeatedLines;
}

/** The log of this process: one JSON object per line on standard error, without secrets and personal data. */
export function makeLogger(options: LoggerOptions): Logger {
  const to = options.to ?? process.stderr;
  const destination = options.human === true ? { write: (line: string) => to.write(humanLine(line)) } : to;
  return pino(
    {
      level: options.level,
      base: { process: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError, error: serializeError },
      ...(options.repeats === undefined ? {} : { hooks: counting(options.repeats) }),
      redact: { paths: secretMembers.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    },
    destination,
  );
}

/** Only warnings and errors are counted: a line about a success is written each time. */
const countedLevels: ReadonlySet<number> = new Set(
  [pino.levels.values['warn'], pino.levels.values['error']].map(Number),
);

function counting(repeats: RepeatedLines): NonNullable<PinoOptions['hooks']> {
  return {
    logMethod(args, method, level) {
      if (!countedLevels.has(level)) return method.apply(this, args);
      const [first, second] = args as readonly unknown[];
      const fields = typeof first === 'object' && first !== null ? first : {};
      const message = String(fields === first ? second : first);
      repeats.take({ level, fields, message }, (written, words) => method.apply(this, [written, words]));
    },
  };
}
