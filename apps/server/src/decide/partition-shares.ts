/**
 * How living processes share the partitions: each comes to hold as many as any other, or one more. There is no leader;
 * every process looks at the same table once a second and follows the same rules.
 *
 *   free  --- by a process that holds less than its share, at once; by any, when nobody took it --->  held
 *   held  --- by a process that holds two more than another: after its last checkpoint ------------->  free
 */

/** A process that decides, as all see it. */
export interface Keeper {
  /** Tells processes apart and orders them. */
  readonly id: number;
  /** Partitions that it holds and means to keep. */
  readonly held: number;
  /** How long it has been here. */
  readonly ageMs: number;
}

export interface Look {
  readonly selfId: number;
  /** Those that live, oneself among them. */
  readonly keepers: readonly Keeper[];
  /** All partitions there are. */
  readonly partitions: number;
  /** Those that nobody holds, and for how long that was seen. */
  readonly free: readonly { readonly id: string; readonly freeMs: number }[];
  /** One's own that one means to keep, in the order in which they were taken. */
  readonly held: readonly string[];
  /** For how long one has held two more than another while nothing was free, as the looks before saw it. */
  readonly unevenMs: number;
}

export interface SharePlan {
  readonly take: readonly string[];
  readonly handOver: readonly string[];
  /** One holds two more than another, nothing is free, and one waits for the next look to say so too. */
  readonly isUneven: boolean;
}

/** A partition that those with room left free so long is taken by whoever sees it: nothing stays undecided. */
export const waitForOthersMs = 3_000;
/** Only a process that has lived so long is given partitions of others: one that ends as soon as it starts moves nothing. */
export const settledMs = 5_000;
/** What others hold was said up to a second ago: partitions move when two looks agree. */
export const unevenForMs = 1_500;
/** Taken at one look: 300 ms, so that the next heartbeat is in time. */
const takeMax = 100;
/** Handed over at one look: each writes its last checkpoint. */
const handOverMax = 16;

/** What one process should do now. */
export function planShare(look: Look): SharePlan {
  const take = toTake(look);
  const surplus = surplusOf(look);
  // What is free may be another's share: first that is taken, and said to be.
  const isUneven = surplus > 0 && look.free.length === 0;
  const isTime = isUneven && look.unevenMs >= unevenForMs;
  const count = isTime ? Math.min(surplus, handOverMax) : 0;
  // The last one taken has the least in memory.
  return { take, handOver: look.held.toReversed().slice(0, count), isUneven: isUneven && !isTime };
}

function toTake({ selfId, keepers, partitions, free, held }: Look): readonly string[] {
  const { low, extra } = sharesOf(partitions, keepers.length);
  const fuller = keepers.filter((keeper) => keeper.id !== selfId && keeper.held > low).length;
  const room = low + (fuller < extra ? 1 : 0) - held.length;
  const mine = free.filter(({ freeMs }, place) => place < room || freeMs >= waitForOthersMs);
  return mine.slice(0, takeMax).map(({ id }) => id);
}

/** How many more than its share a process holds, seen by those that have settled. */
function surplusOf({ selfId, keepers, partitions, held }: Look): number {
  const others = keepers.filter((keeper) => keeper.id !== selfId && keeper.ageMs >= settledMs);
  const least = Math.min(Infinity, ...others.map((keeper) => keeper.held));
  if (held.length - least < 2) return 0;
  const { low, extra } = sharesOf(partitions, others.length + 1);
  const high = low + (extra > 0 ? 1 : 0);
  if (held.length > high) return held.length - high;
  if (others.some((keeper) => keeper.held > high)) return 0; // these give first
  // Several may hold one more than they need: the first of them gives, and then they look again.
  const first = Math.min(selfId, ...others.filter((keeper) => keeper.held >= held.length).map(({ id }) => id));
  return first === selfId ? 1 : 0;
}

function sharesOf(partitions: number, keepers: number): { readonly low: number; readonly extra: number } {
  return { low: Math.floor(partitions / keepers), extra: partitions % keepers };
}
