import type { SeenAction, SeenEvent, SeenHold, SeenOutcome } from './management.ts';

/** Repeated queries to the service. */
export interface Watched {
  events(): Promise<readonly SeenEvent[]>;
  actions(): Promise<readonly SeenAction[]>;
  openHolds(): Promise<readonly SeenHold[]>;
  outcomes(state: 'waiting'): Promise<readonly SeenOutcome[]>;
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
 * Waits until the service is idle: every accepted event is decided, none waits for its login, no hold is about to end,
 * the outbox is empty, and no outcome waits for its event, in two consecutive checks. Only decisions and ends of holds
 * create actions, so an idle service stays idle; the second check is needed because the lists of the first are read in
 * sequence.
 *
 * @returns `undefined`, or after `looksMax` checks a sentence about what is unfinished
 */
export async function waitForQuiescence(watched: Watched, options: Quiescence): Promise<string | undefined> {
  let wasQuiet = false;
  for (let look = 1; ; look++) {
    const open = await whatIsOpen(watched, options.accepted);
    if (open === undefined && wasQuiet) return undefined;
    if (open !== undefined && look >= options.looksMax) return open;
    wasQuiet = open === undefined;
    await options.pause();
  }
}

async function whatIsOpen(watched: Watched, accepted: number): Promise<string | undefined> {
  const events = await watched.events();
  if (events.length < accepted) return `${accepted - events.length} of ${accepted} events are not decided yet`;
  const waiting = events.filter(({ status }) => openStatuses.has(status)).length;
  if (waiting > 0) return `${waiting} operations wait for their login`;
  // The others stay held until a person decides.
  const ending = (await watched.openHolds()).filter(
    ({ otherwise, decision }) => otherwise !== 'keep' || decision !== undefined,
  ).length;
  if (ending > 0) return `${ending} held payments are neither released nor rejected yet`;
  const unsent = (await watched.actions()).filter(({ state }) => openStates.has(state)).length;
  if (unsent > 0) return `${unsent} actions are not delivered yet`;
  const unmatched = (await watched.outcomes('waiting')).length;
  return unmatched > 0 ? `${unmatched} outcomes wait for their event` : undefined;
}
