import type { SubjectId } from './record.ts';
import type { EngineState } from './state.ts';

/**
 * Takes what holds personal data of erased clients out of a stored state that stands before their `erase` record:
 * operations that wait, and items of live lists that name them. What is stepped from there no longer decides or finds
 * them.
 */
export function forgetErased(state: EngineState, subjects: readonly SubjectId[]): void {
  for (const subject of subjects) {
    for (const operation of state.waiting.ofSubject(subject)) state.waiting.remove(operation);
    state.lists.forget(subject);
  }
}
