/** A broken invariant: our bug. Never caught below the process boundary, but around the engine's step. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * What is stored has a form that this release does not know: a newer one wrote it. No bug, where that one was there first;
 * damage looks the same.
 */
export class NewerFormError extends Error {
  override readonly name = 'NewerFormError';
}

/** Throws `InvariantError` unless `condition` holds. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Closes a switch over a union: does not compile while a kind is left out. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${String(value)}`);
}
