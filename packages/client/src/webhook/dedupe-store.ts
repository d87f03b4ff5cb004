import type { ActionResponse } from './action.ts';

export type Claim =
  /** Nobody has it: the caller runs the action, then says `complete` or `release`. */
  | { readonly kind: 'claimed' }
  /** It was executed: this was the answer. */
  | { readonly kind: 'answered'; readonly answer: ActionResponse }
  /** Another process is running it. */
  | { readonly kind: 'running' };

/**
 * Remembers which actions were executed, by `webhook-id`, so that one that is sent twice is executed once.
 *
 * A bank with several processes behind one address gives them a shared one (a table with `webhook-id` as its primary
 * key). A claim should lapse after some minutes: the process that held it may have died. Answers are worth keeping
 * for a week: the service stops retrying before that.
 */
export interface DedupeStore {
  /** Atomic: of many callers with one id, one gets `claimed`. */
  claim(id: string): Promise<Claim>;
  complete(id: string, answer: ActionResponse): Promise<void>;
  /**
   * The action failed, or was not executed: the next one that asks gets it. A shared store keeps whose claim it is, and leaves
   * one alone that has lapsed and is another process's now.
   */
  release(id: string): Promise<void>;
}

/** Answers kept in memory: some 20 MB at the most, and more actions than any bank takes in a day. */
const answersMax = 50_000;

/** For one process: forgets at a restart, and the oldest answers beyond `answersMax`. */
export function createMemoryDedupeStore(max: number = answersMax): DedupeStore {
  /** In the order in which they came; `undefined` while it runs. */
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
        // One that runs is not forgotten: its repeat would run beside it.
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
