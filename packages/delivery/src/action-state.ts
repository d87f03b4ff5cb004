/**
 * The states of an action, with all legal moves:
 *
 *       insert           insert            insert          insert             insert
 *         |                |                 |               |                  |
 *         v  predecessor   v    lease        |               v                  v
 *      waiting -------->  due <---------> leased           held            observed   notAddressable
 *         |     done       |   retry, lost   |               |  release        |
 *         |                |   lease, given  |               +------> due      +------> due (redelivered)
 *         | too late       |   back          |               |  drop
 *         '--> expired <---'                 |               '------> dropped
 *                ^---- too late, lease lost -|
 *                                            |---> executed        code 1
 *                                            |---> notExecuted     code 0
 *                                            |---> dead            the retry schedule is used up
 *                                            |---> erased          its client was erased: there is nothing to send
 *                                            '---> dropped         it would end a hold that the bank does not have
 *
 *      expired, dead, notExecuted, observed ---- redelivered by a person ----> due
 *      executed ---- sent again by a person who says so: the bank lost it ----> due
 *      due, leased by another, notExecuted, expired, dead, erased ---- code 1 under a lost lease ----> executed
 *
 * `waiting`: an earlier action of its session has not had its first attempt. `due`: to be sent at or after its due
 * time, as a first attempt or a retry. `leased`: one process is sending it; the lease ends by timeout. `held`: capped
 * by its rule. `waiting` and `due` become `dropped` before the first attempt when a hold ends that was never asked for.
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

/** Every legal move. `leased` to `leased` is another process that takes over a lost lease. */
export const moves: Readonly<Record<ActionState, readonly ActionState[]>> = {
  waiting: ['due', 'expired', 'dropped'],
  due: ['leased', 'expired', 'executed', 'dropped'],
  leased: ['leased', 'due', 'executed', 'notExecuted', 'dead', 'erased', 'expired', 'dropped'],
  executed: ['due'],
  notExecuted: ['due', 'executed'],
  expired: ['due', 'executed'],
  dead: ['due', 'executed'],
  erased: ['executed'],
  held: ['due', 'dropped'],
  dropped: [],
  observed: ['due'],
  notAddressable: [],
};

/** States from which an action can still become executed when a process that lost its lease reports it late. */
export const executedLateFrom = [
  'due',
  'leased',
  'notExecuted',
  'expired',
  'dead',
  'erased',
] as const satisfies readonly ActionState[];

/** States from which a person can send an action again. */
export const redeliverable = ['expired', 'dead', 'notExecuted', 'observed'] as const satisfies readonly ActionState[];
/**
 * The same for a person who means executed actions too. A bank that was restored from a backup has forgotten that it
 * executed them; any other bank may execute them twice.
 */
export const redeliverableAgain = [...redeliverable, 'executed'] as const satisfies readonly ActionState[];
export type Redeliverable = (typeof redeliverableAgain)[number];
/** The default states of a redelivery: ended without being executed. `observed` must be requested explicitly. */
export const redeliveredByDefault: readonly Redeliverable[] = ['expired', 'dead', 'notExecuted'];

/** Final states, unless a person sends the action again. */
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

/** States in which an action can be inserted; the outbox itself decides between `due` and `waiting`. */
export type FirstState = 'due' | 'held' | 'observed' | 'notAddressable';
