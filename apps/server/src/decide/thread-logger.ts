import { serializeError } from '../platform/observability/serialize-error.ts';
import type { HostLogger } from './host-deps.ts';
import type { FromWorker } from './messages.ts';

/** A logger of a thread, whose lines another thread writes. */
export function threadLogger(tell: (message: Extract<FromWorker, { readonly kind: 'log' }>) => void): HostLogger {
  const at =
    (level: 'info' | 'warn' | 'error') =>
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
