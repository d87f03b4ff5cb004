/** Chains of causes are cut here: a longer one is a circle. */
const causesMax = 5;

interface ErrorLike {
  readonly name: unknown;
  readonly message: unknown;
  readonly stack: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/**
 * An error as it may be logged: its name, message, code, stack and causes. Whatever else hangs on it stays out:
 * database drivers hang rows and parameters on theirs. One that was made plain, as it comes from another thread, stays
 * as it is.
 */
export function plainError(error: unknown, depth = 0): unknown {
  if (!isErrorLike(error)) return typeof error === 'string' ? error : typeof error;
  const { name, message, stack, code, cause } = error;
  return {
    name,
    message,
    ...(typeof code === 'string' ? { code } : {}),
    stack,
    ...(cause === undefined || depth === causesMax ? {} : { cause: plainError(cause, depth + 1) }),
  };
}

/** Whether it is an error, or one that was made plain. */
export function isErrorLike(value: unknown): value is ErrorLike {
  if (value instanceof Error) return true;
  return typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;
}
