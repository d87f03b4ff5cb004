import type { SubjectId } from '../record.ts';
import type { EngineState } from '../state.ts';

/**
 * Takes the operations of erased clients out of those that wait, in a stored state that stands before their `erase`
 * record: they hold personal data. What is stepped from there no longer decides them. Returns how many went.
 */
export function forgetWaiting(state: EngineState, subjects: readonly SubjectId[]): number {
  let forgotten = 0;
  for (const subject of subjects) {
    for (const operation of state.waiting.ofSubject(subject)) {
      state.waiting.remove(operation);
      forgotten += 1;
    }
  }
  return forgotten;
}
