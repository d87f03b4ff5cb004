import type { SubjectId } from './record.ts';
import type { EngineState } from './state.ts';

/**
 * Removes the personal data of erased clients from a restored state that is older than their `erase` record: waiting
 * operations, and items of live lists that name them. Records stepped from there no longer decide or find them.
 */
export function forgetErased(state: EngineState, subjects: readonly SubjectId[]): void {
  for (const subject of subjects) {
    for (const operation of state.waiting.ofSubject(subject)) state.waiting.remove(operation);
    state.lists.forget(subject);
  }
}
