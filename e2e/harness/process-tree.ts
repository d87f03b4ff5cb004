import { readdirSync, readFileSync } from 'node:fs';

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The kernel's name of the process, at most 15 characters. */
  readonly name: string;
}

/** All living descendants of `pid`, children first. Reads /proc, so Linux only. */
export function descendantsOf(pid: number): readonly ProcessEntry[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(entryOf);
  const below = (parents: readonly number[]): readonly ProcessEntry[] => {
    const children = all.filter(({ parent }) => parents.includes(parent));
    return children.length === 0 ? [] : [...children, ...below(children.map((child) => child.pid))];
  };
  return below([pid]);
}

/** SIGKILL to a process and all its descendants, so that none can notice and clean up. */
export function killTree(pid: number): void {
  for (const target of [pid, ...descendantsOf(pid).map((entry) => entry.pid)]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has ended by itself since the list was made.
    }
  }
}

/** Empty if the process ended meanwhile. */
function entryOf(pid: string): readonly ProcessEntry[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // `pid (name) state parent …`; a name may contain spaces and parentheses.
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    return [{ pid: Number(pid), parent: Number(parent), name }];
  } catch {
    return [];
  }
}
