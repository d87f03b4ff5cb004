import {
  type DestinationStream,
  type Level,
  type Logger,
  type LoggerOptions as PinoOptions,
  pino,
  stdTimeFunctions,
} from 'pino';
import { serializeError } from './serialize-error.ts';
import type { RepeatedLines } from './repeated-lines.ts';
import { styleText } from 'node:util';

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

const colours = { fatal: 'red', error: 'red', warn: 'yellow', info: 'green', debug: 'gray', trace: 'gray' } as const;
const levelWidth = 5;
const own = new Set(['level', 'time', 'process', 'msg', 'err']);

/** A JSON log line formatted for people: `14:05:09 info  listening host=127.0.0.1 port=8080`. */
function humanLine(line: string): string {
  const fields = parse(line);
  if (fields === undefined) return line;
  const level = String(fields['level']);
  const colour = Object.hasOwn(colours, level) ? colours[level as keyof typeof colours] : 'gray';
  const time = String(fields['time']).slice(11, 19);
  const rest = Object.entries(fields)
    .filter(([key]) => !own.has(key))
    .map(([key, value]) => ` ${paint('gray', `${key}=`)}${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return `${paint('gray', time)} ${paint(colour, level.padEnd(levelWidth))} ${textOf(fields['msg'])}${rest.join('')}\n${errorLines(fields['err'])}`;
}

type Colour = (typeof colours)[keyof typeof colours];

function paint(colour: Colour, text: string): string {
  return styleText(colour, text, { stream: process.stderr });
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function errorLines(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, cause } = error as { readonly stack?: string; readonly cause?: unknown };
  const lines = (stack ?? '').split('\n').map((line) => `         ${line}`);
  return `${paint('gray', lines.join('\n'))}\n${cause === undefined ? '' : errorLines(cause)}`;
}
