/**
 * Where an action is in its life, and every move it can make:
 *
 *       insert           insert            insert          insert             insert
 *         |                |                 |               |                  |
 *         v   its turn     v    lease        |               v                  v
 *      waiting -------->  due <---------> leased           held            observed   notAddressable
 *         |                |   retry, lost   |               |  release        |
 *         |                |   lease, given  |               +------> due      +------> due (sent after all)
 *         | too late       |   back          |               |  drop
 *         '--> expired <---'                 |               '------> dropped
 *                ^---- too late, lease lost -|
 *                                            |---> executed        code 1
 *                                            |---> notExecuted     code 0
 *                                            |---> dead            the schedule is used up
 *                                            '---> erased          its client was erased: nothing is left to send
 *
 *      expired, dead, notExecuted, observed ---- sent again by a person ----> due
 *      due, leased by another, notExecuted, expired, dead, erased ---- code 1 of a lease that was lost ----> executed
 *
 * `waiting`: an earlier action of its session has not had its first attempt. `due`: to be sent at or after its time,
 * be it the first attempt or a retry. `leased`: one process is sending it; a lease ends by itself.
 */
export type ActionState =
  | 'waiting'
  | 'due'
  | 'leased'
  | 'executed'
  | 'notExecuted'
  | 'expired'
  | 'dead'
  | 'erased'
  | 'held'
  | 'dropped'
  | 'observed'
  | 'notAddressable';

/** Every legal move. `leased` to `leased` is another process taking over a lost lease. */
export const moves: Readonly<Record<ActionState, readonly ActionState[]>> = {
  waiting: ['due', 'expired'],
  due: ['leased', 'expired', 'executed'],
  leased: ['leased', 'due', 'executed', 'notExecuted', 'dead', 'erased', 'expired'],
  executed: [],
  notExecuted: ['due', 'executed'],
  expired: ['due', 'executed'],
  dead: ['due', 'executed'],
  erased: ['executed'],
  held: ['due', 'dropped'],
  dropped: [],
  observed: ['due'],
  notAddressable: [],
};

/** Where an action may be when it is told late, by a process that lost its lease, that the client executed it. */
export const executedLateFrom = [
  'due',
  'leased',
  'notExecuted',
  'expired',
  'dead',
  'erased',
] as const satisfies readonly ActionState[];

/** States from which a person may send an action again. An executed one is never sent again. */
export const redeliverable = ['expired', 'dead', 'notExecuted', 'observed'] as const satisfies readonly ActionState[];
export type Redeliverable = (typeof redeliverable)[number];
/** Those that are sent again when nobody says which: what ended without being executed, but not what was only observed. */
export const redeliveredByDefault: readonly Redeliverable[] = ['expired', 'dead', 'notExecuted'];

/** States in which nothing happens to an action any more, unless a person sends it again. */
export const finished = [
  'executed',
  'notExecuted',
  'expired',
  'dead',
  'erased',
  'dropped',
  'observed',
  'notAddressable',
] as const satisfies readonly ActionState[];

/** The states that an insert may begin in; `waiting` is found out by the outbox. */
export type FirstState = 'due' | 'held' | 'observed' | 'notAddressable';
