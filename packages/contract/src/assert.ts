/** A broken invariant, which is a bug of ours. Caught only at the process boundary and around the engine's step. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Stored data has a form that this release does not know, because a newer release wrote it. After a downgrade this is
 * not a bug; damaged data looks the same.
 */
export class NewerFormError extends Error {
  override readonly name = 'NewerFormError';
}

/** Throws `InvariantError` unless `condition` holds. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Makes a switch over a union exhaustive: it does not compile while a kind is missing. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${String(value)}`);
}
