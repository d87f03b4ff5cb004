/** A live rule that fired. */
export interface FiredRule {
  readonly reason: number;
  readonly name: string;
}

/** An action, as the webhook carries it too. */
export interface DecidedAction {
  /** What to do: see `actions`. */
  readonly action: number;
  readonly message: string;
  /** The rule that asks for it. */
  readonly reason: number;
  /** The `id` of the same action at the webhook: what is executed here must not be executed there. */
  readonly webhookId: string;
}

/** What was decided about an event. */
export interface Decided {
  readonly status: 'decided';
  readonly id: string;
  /** The event that this one repeats; the decision is that one's. */
  readonly repeatOf?: string;
  readonly fired: readonly FiredRule[];
  readonly actions: readonly DecidedAction[];
  /** Of operations: whether it belongs to an active session, and why not. */
  readonly session?: { readonly matched: boolean; readonly mismatch?: string };
}

/** Not known in time, for whatever reason. It is no approval; what is decided later comes to the webhook. */
export interface Pending {
  readonly status: 'pending';
}

export type Decision = Decided | Pending;

export const pending: Pending = { status: 'pending' };

/** The decision in the body of a 200. Anything that is not a whole one is `pending`. */
export function readDecision(body: string): Decision {
  try {
    const answer: unknown = JSON.parse(body);
    return isDecided(answer) ? answer : pending;
  } catch {
    return pending;
  }
}

function isDecided(answer: unknown): answer is Decided {
  return (
    has(answer, { status: 'string', id: 'string' }) &&
    answer['status'] === 'decided' &&
    isListOf(answer['fired'], { reason: 'number', name: 'string' }) &&
    isListOf(answer['actions'], { action: 'number', message: 'string', reason: 'number', webhookId: 'string' })
  );
}

type Members = Readonly<Record<string, 'string' | 'number'>>;

function isListOf(value: unknown, members: Members): boolean {
  return Array.isArray(value) && value.every((item) => has(item, members));
}

function has(value: unknown, members: Members): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(members).every(([name, type]) => typeof (value as Record<string, unknown>)[name] === type);
}
