import type { SeenAction, SeenEvent } from './management.ts';

/** What the service is asked, over and over. */
export interface Watched {
  events(): Promise<readonly SeenEvent[]>;
  actions(): Promise<readonly SeenAction[]>;
}

export interface Quiescence {
  /** Events that the service has accepted. */
  readonly accepted: number;
  /** How often to look before giving up. */
  readonly looksMax: number;
  /** Waits between two looks; rejects when somebody wants it to end. */
  readonly pause: () => Promise<unknown>;
}

/** Events that something is still to come of. */
const openStatuses = new Set(['waiting']);
/** Actions that are still to be sent. */
const openStates = new Set(['waiting', 'due', 'leased']);

/**
 * Waits until nothing more can come: every accepted event is decided, none waits for its login, and no action is left
 * in the outbox, in two looks after each other. Actions are made by decisions only, so that what is quiet once stays
 * quiet; the second look is for the first one's lists, which are read one after the other.
 *
 * @returns `undefined`, or after `looksMax` looks a sentence that says what is still open
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
