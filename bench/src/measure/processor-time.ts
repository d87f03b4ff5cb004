import { readdirSync, readFileSync } from 'node:fs';
import { descendantsOf } from '@ringfence/e2e';

/** Linux counts in hundredths of a second (USER_HZ), regardless of its own clock's resolution. */
const msPerTick = 10;

/** Processor time in ms of each part of a service since its start: its threads by name, and its database. */
export type ProcessorTimes = ReadonlyMap<string, number>;

/** Milliseconds of processor time that the parts of a service used in an interval, largest first. */
export type Used = readonly (readonly [part: string, ms: number])[];

/** Reads /proc, so Linux only. */
export function processorTimes(pid: number): ProcessorTimes {
  const times = new Map<string, number>();
  const add = (part: string, ms: number): void => void times.set(part, (times.get(part) ?? 0) + ms);
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { name, ms } = readStat(`/proc/${pid}/task/${thread}/stat`);
    add(thread === String(pid) ? 'main thread' : `thread ${name}`, ms);
  }
  for (const child of descendantsOf(pid)) add(child.name, readStat(`/proc/${child.pid}/stat`).ms);
  return times;
}

/** The difference of two readings. A process that ended in between is omitted. */
export function usedBetween(before: ProcessorTimes, after: ProcessorTimes): Used {
  return [...after]
    .map(([part, ms]) => [part, ms - (before.get(part) ?? 0)] as const)
    .filter(([, ms]) => ms > 0)
    .toSorted(([, a], [, b]) => b - a);
}

/** Processor time in ms of a process since its start, with its threads that have ended, and of its living descendants. */
export function processorMs(pid: number): number {
  const all = [pid, ...descendantsOf(pid).map((child) => child.pid)];
  return all.reduce((sum, one) => sum + readStat(`/proc/${one}/stat`).ms, 0);
}

/** Milliseconds of processor time of all processes that this one started and that have ended, with theirs. */
export function endedChildrenMs(): number {
  const fields = statFields('/proc/self/stat').values;
  return (Number(fields[13]) + Number(fields[14])) * msPerTick;
}

function readStat(path: string): { readonly name: string; readonly ms: number } {
  try {
    const { name, values } = statFields(path);
    return { name, ms: (Number(values[11]) + Number(values[12])) * msPerTick };
  } catch {
    return { name: '', ms: 0 };
  }
}

/** The values after the name. In proc(5) the first is field 3; utime is 14, stime 15, cutime 16, cstime 17. */
function statFields(path: string): { readonly name: string; readonly values: readonly string[] } {
  const stat = readFileSync(path, 'latin1');
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  return { name, values: stat.slice(stat.lastIndexOf(')') + 2).split(' ') };
}
