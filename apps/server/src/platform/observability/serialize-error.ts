/** Limit for chains of causes: a longer one is a cycle. */
const causesMax = 5;

interface ErrorLike {
  readonly name: unknown;
  readonly message: unknown;
  readonly stack: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/**
 * An error in loggable form: its name, message, code, stack and causes. All other properties are dropped, because
 * database drivers attach rows and parameters. An error already in plain form, as it comes from another thread, is kept
 * as it is.
 */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!isErrorLike(error)) return typeof error === 'string' ? error : typeof error;
  const { name, message, stack, code, cause } = error;
  return {
    name,
    message,
    ...(typeof code === 'string' ? { code } : {}),
    stack,
    ...(cause === undefined || depth === causesMax ? {} : { cause: serializeError(cause, depth + 1) }),
  };
}

/** Whether the value is an error, or an error in plain form. */
export function isErrorLike(value: unknown): value is ErrorLike {
  if (value instanceof Error) return true;
  return typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;
}
