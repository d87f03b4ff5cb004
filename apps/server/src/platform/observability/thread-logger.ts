import { serializeError } from './serialize-error.ts';

type Level = 'info' | 'warn' | 'error';

/** Writes lines of fields and a message. */
export type LineLogger = Readonly<Record<Level, (fields: object, message: string) => void>>;

/** A line of a thread on its way to the thread that writes it. */
export interface LoggedLine {
  readonly kind: 'log';
  readonly level: Level;
  readonly fields: object;
  readonly message: string;
}

/** A logger of a thread, whose lines another thread writes. */
export function threadLogger(tell: (line: LoggedLine) => void): LineLogger {
  const at =
    (level: Level) =>
    (fields: object, message: string): void =>
      tell({ kind: 'log', level, fields: printable(fields), message });
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * Errors lose their code between threads and carry fields that the log omits, so they are sent in their logged form.
 */
function printable(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? serializeError(value) : value]),
  );
}
