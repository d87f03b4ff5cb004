import type { SeenAction, SeenEvent } from './management.ts';

/** Repeated queries to the service. */
export interface Watched {
  events(): Promise<readonly SeenEvent[]>;
  actions(): Promise<readonly SeenAction[]>;
}

export interface Quiescence {
  /** Number of accepted events. */
  readonly accepted: number;
  /** How often to check before giving up. */
  readonly looksMax: number;
  /** Waits between two checks; rejects if the demo is stopped. */
  readonly pause: () => Promise<unknown>;
}

/** Unfinished events. */
const openStatuses = new Set(['waiting']);
/** Unsent actions. */
const openStates = new Set(['waiting', 'due', 'leased']);

/**
 * Waits until the service is idle: every accepted event is decided, none waits for its login, and the outbox is empty,
 * in
 * two consecutive checks. Only decisions create actions, so an idle service stays idle; the second check is needed
 * because
 * the lists of the first are read in sequence.
 *
 * @returns `undefined`, or after `looksMax` checks a sentence about what is unfinished
 */
export async function waitForQuiescence(watched: Watched, options: Quiescence): Promise<string | undefined> {
  let wasQuiet = false;
  for (let look = 1; ; look++) {
    const open = whatIsOpen(await watched.events(), await watched.actions(), options.accepted);
    if (open === undefined && wasQuiet) return undefined;
    if (open !== undefined && look >= options.looksMax) return open;
    wasQuiet = open === undefined;
    await options.pause();
  }
}

function whatIsOpen(
  events: readonly SeenEvent[],
  actions: readonly SeenAction[],
  accepted: number,
): string | undefined {
  if (events.length < accepted) return `${accepted - events.length} of ${accepted} events are not decided yet`;
  const waiting = events.filter(({ status }) => openStatuses.has(status)).length;
  if (waiting > 0) return `${waiting} operations wait for their login`;
  const unsent = actions.filter(({ state }) => openStates.has(state)).length;
  return unsent > 0 ? `${unsent} actions are not delivered yet` : undefined;
}
