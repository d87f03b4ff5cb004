/**
 * How running processes share the partitions: each converges to as many as any other, or one more. There is no leader;
 * every process reads the same table once a second and applies the same rules.
 *
 *   free  --- immediately by a process below its share; by any process, after a while --->  held
 *   held  --- by a process that holds two more than another, after its last checkpoint -->  free
 */

/** A partition owner, as all processes see it. */
export interface Keeper {
  /** Identifies and orders processes. */
  readonly id: number;
  /** Partitions that it holds and means to keep. */
  readonly held: number;
  /** How long it has been registered. */
  readonly ageMs: number;
}

export interface Look {
  readonly selfId: number;
  /** All running processes, including this one. */
  readonly keepers: readonly Keeper[];
  /** The number of all partitions. */
  readonly partitions: number;
  /** Partitions without an owner, and for how long they have been seen free. */
  readonly free: readonly { readonly id: string; readonly freeMs: number }[];
  /** Partitions that this process holds and means to keep, in the order in which they were taken. */
  readonly held: readonly string[];
  /** For how long this process has held two more than another while none was free, according to earlier looks. */
  readonly unevenMs: number;
}

export interface SharePlan {
  readonly take: readonly string[];
  readonly handOver: readonly string[];
  /** This process holds two more than another, none is free, and it waits for the next look to confirm that. */
  readonly isUneven: boolean;
}

/** A partition that stays free this long is taken by any process that sees it: none stays without an owner. */
export const waitForOthersMs = 3_000;
/**
 * Only a process that has run this long is given partitions of others: one that ends right after its start moves none.
 */
export const settledMs = 5_000;
/** The counts of others are up to a second old: partitions move when two looks agree. */
export const unevenForMs = 1_500;
/** Partitions taken per look: 300 ms, so that the next heartbeat is on time. */
const takeMax = 100;
/** Partitions handed over per look: each writes its last checkpoint. */
const handOverMax = 16;

/** Plans what one process should take and hand over now. */
export function planShare(look: Look): SharePlan {
  const take = toTake(look);
  const surplus = surplusOf(look);
  // Free partitions may belong to another's share: they are taken and reported first.
  const isUneven = surplus > 0 && look.free.length === 0;
  const isTime = isUneven && look.unevenMs >= unevenForMs;
  const count = isTime ? Math.min(surplus, handOverMax) : 0;
  // The partition taken last has the least in memory.
  return { take, handOver: look.held.toReversed().slice(0, count), isUneven: isUneven && !isTime };
}

function toTake({ selfId, keepers, partitions, free, held }: Look): readonly string[] {
  const { low, extra } = sharesOf(partitions, keepers.length);
  const fuller = keepers.filter((keeper) => keeper.id !== selfId && keeper.held > low).length;
  const room = low + (fuller < extra ? 1 : 0) - held.length;
  const mine = free.filter(({ freeMs }, place) => place < room || freeMs >= waitForOthersMs);
  return mine.slice(0, takeMax).map(({ id }) => id);
}

/** How many partitions a process should hand over, considering only processes that have settled. */
function surplusOf({ selfId, keepers, partitions, held }: Look): number {
  const others = keepers.filter((keeper) => keeper.id !== selfId && keeper.ageMs >= settledMs);
  const least = Math.min(Infinity, ...others.map((keeper) => keeper.held));
  if (held.length - least < 2) return 0;
  const { low, extra } = sharesOf(partitions, others.length + 1);
  const high = low + (extra > 0 ? 1 : 0);
  if (held.length > high) return held.length - high;
  if (others.some((keeper) => keeper.held > high)) return 0; // these hand over first
  // Several may hold one more than they need: the one with the lowest id hands over first, then they look again.
  const first = Math.min(selfId, ...others.filter((keeper) => keeper.held >= held.length).map(({ id }) => id));
  return first === selfId ? 1 : 0;
}

function sharesOf(partitions: number, keepers: number): { readonly low: number; readonly extra: number } {
  return { low: Math.floor(partitions / keepers), extra: partitions % keepers };
}
