import { readLagSeconds } from './answer.ts';
import type { TransportAnswer } from './transport.ts';

/** A live rule that fired. */
export interface FiredRule {
  readonly reason: number;
  readonly name: string;
}

/** An action, the same as in the webhook request. */
export interface DecidedAction {
  /** The requested action: see `actions`. */
  readonly action: number;
  readonly message: string;
  /** The rule that requested it. */
  readonly reason: number;
  /** The `id` of the same action in the webhook request. An action that is executed here must not be executed there. */
  readonly webhookId: string;
}

/**
 * An action that a live rule would have requested. `cooldown`: the rule fired shortly before; `exception`: a person made
 * an exception; `control`: the event is in the control group of a model; `cap`: the rule has reached its cap on actions.
 */
export interface SuppressedAction {
  readonly reason: number;
  readonly why: string;
  readonly action: number;
}

/** The decision about an event. */
export interface Decided {
  readonly status: 'decided';
  readonly id: string;
  /** The event that this one repeats; the decision belongs to that event. */
  readonly repeatOf?: string;
  readonly fired: readonly FiredRule[];
  readonly actions: readonly DecidedAction[];
  /** Absent if there is none. With one, a decision without actions is no approval. */
  readonly suppressed?: readonly SuppressedAction[];
  /** For operations: whether it belongs to an active session, and the reason if it does not. */
  readonly session?: { readonly matched: boolean; readonly mismatch?: string };
  /** How long the oldest undecided event had waited for its decision; absent if the service did not say. */
  readonly lagSeconds?: number;
}

/** Not known in time, for any reason. This is not an approval: a later decision arrives at the webhook. */
export interface Pending {
  readonly status: 'pending';
  /** How long the oldest undecided event had waited for its decision; absent without an answer of the service. */
  readonly lagSeconds?: number;
}

export type Decision = Decided | Pending;

export const pending: Pending = { status: 'pending' };

/** Parses the decision in a 200. Anything incomplete is `pending`. */
export function readDecision({ body, lag }: Pick<TransportAnswer, 'body' | 'lag'>): Decision {
  const lagSeconds = readLagSeconds(lag);
  const told = lagSeconds === undefined ? {} : { lagSeconds };
  try {
    const answer: unknown = JSON.parse(body);
    return isDecided(answer) ? { ...answer, ...told } : { ...pending, ...told };
  } catch {
    return { ...pending, ...told };
  }
}

function isDecided(answer: unknown): answer is Decided {
  return (
    has(answer, { status: 'string', id: 'string' }) &&
    answer['status'] === 'decided' &&
    isListOf(answer['fired'], { reason: 'number', name: 'string' }) &&
    isListOf(answer['actions'], { action: 'number', message: 'string', reason: 'number', webhookId: 'string' }) &&
    (answer['suppressed'] === undefined ||
      isListOf(answer['suppressed'], { reason: 'number', why: 'string', action: 'number' }))
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
