import type { ActionResponse } from './action.ts';

export type Claim =
  /** New: the caller executes the action, then calls `complete` or `release`. */
  | { readonly kind: 'claimed' }
  /** Already executed, with this answer. */
  | { readonly kind: 'answered'; readonly answer: ActionResponse }
  /** Another process is executing it. */
  | { readonly kind: 'running' };

/**
 * Remembers executed actions by `webhook-id`, so that an action that is sent twice is executed once.
 *
 * A bank with several processes behind one address needs a shared store (a table with `webhook-id` as its primary key).
 * A claim should expire after some minutes, because its process may have died. Keep answers for a week: the service
 * stops retrying before that.
 */
export interface DedupeStore {
  /** Atomic: of several callers with one id, one gets `claimed`. */
  claim(id: string): Promise<Claim>;
  complete(id: string, answer: ActionResponse): Promise<void>;
  /**
   * The action failed, or was not executed: the next caller gets it. A shared store must record the owner of a claim,
   * and ignore the release of one that expired and now belongs to another process.
   */
  release(id: string): Promise<void>;
}

/** Answers kept in memory: at most about 20 MB, and more actions than any bank receives in a day. */
const answersMax = 50_000;

/** For a single process: loses its content at a restart, and the oldest answers beyond `answersMax`. */
export function createMemoryDedupeStore(max: number = answersMax): DedupeStore {
  /** In the order of arrival; `undefined` while the action runs. */
  const answers = new Map<string, ActionResponse | undefined>();
  return {
    claim: (id) => {
      const answer = answers.get(id);
      if (answer !== undefined) return Promise.resolve({ kind: 'answered', answer });
      if (answers.has(id)) return Promise.resolve({ kind: 'running' });
      answers.set(id, undefined);
      return Promise.resolve({ kind: 'claimed' });
    },
    complete: (id, answer) => {
      answers.delete(id);
      answers.set(id, answer);
      for (const [oldest, kept] of answers) {
        if (answers.size <= max) break;
        // A running action is kept: otherwise a repeat would run concurrently.
        if (kept !== undefined) answers.delete(oldest);
      }
      return Promise.resolve();
    },
    release: (id) => {
      answers.delete(id);
      return Promise.resolve();
    },
  };
}
