import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { descendantsOf, eventually } from '@ringfence/e2e';

/*
 * Grants of processor time by Linux's control groups, version 2 or 1. Needs root, on a machine or in a container that
 * may make groups.
 */

const root = '/sys/fs/cgroup';
/** The kernel's default. With shorter ones a process is stopped in the midst of its work, and finds cold caches after it. */
const periodUs = 100_000;
/** The most weight that a group can have: a grant must be available beside other work. And the least. */
const weights = isV2() ? { most: '10000', least: '1' } : { most: '262144', least: '2' };
const removedWithinMs = 10_000;

/** In version 1, limits, the count of what was used, and stops are separate trees. */
const trees = isV2() ? [''] : ['cpu', 'cpuacct', 'freezer'];
let made = 0;

function isV2(): boolean {
  return existsSync(join(root, 'cgroup.controllers'));
}

/** Processes that together get a grant of processor time. */
export class QuotaGroup {
  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
  }

  /**
   * @param weight against other work on the machine
   * @throws the error of the file system where groups cannot be made
   */
  static async make(weight: keyof typeof weights): Promise<QuotaGroup> {
    const group = new QuotaGroup(`ringfence-bench-${process.pid}-${made++}`);
    if (isV2() && !readFileSync(join(root, 'cgroup.subtree_control'), 'utf8').split(/\s/).includes('cpu'))
      await writeFile(join(root, 'cgroup.subtree_control'), '+cpu');
    for (const tree of trees) await mkdir(group.#folder(tree), { recursive: true });
    await group.#write('cpu', isV2() ? 'cpu.weight' : 'cpu.shares', weights[weight]);
    return group;
  }

  #folder(tree: string): string {
    return join(root, isV2() ? '' : tree, this.#name);
  }

  #write(tree: string, file: string, text: string): Promise<void> {
    return writeFile(join(this.#folder(tree), file), text);
  }

  /** Takes a process with all its threads and children; later children belong to it by themselves. */
  async take(pid: number): Promise<void> {
    for (const one of [pid, ...descendantsOf(pid).map((child) => child.pid)]) {
      for (const tree of trees) {
        await this.#write(tree, 'cgroup.procs', String(one)).catch((error: NodeJS.ErrnoException) => {
          // A child that ended meanwhile.
          if (one === pid || error.code !== 'ESRCH') throw error;
        });
      }
    }
  }

  /** @param cores processor time per time, all processes together; `undefined`: as much as there is */
  async limit(cores: number | undefined): Promise<void> {
    const quota = cores === undefined ? undefined : Math.round(cores * periodUs);
    if (isV2()) return this.#write('cpu', 'cpu.max', `${quota ?? 'max'} ${periodUs}`);
    await this.#write('cpu', 'cpu.cfs_period_us', String(periodUs));
    await this.#write('cpu', 'cpu.cfs_quota_us', String(quota ?? -1));
  }

  /** Stops its processes where they are, or lets them go on. If this process ends, they go on. */
  freeze(isFrozen: boolean): void {
    process.off('exit', this.#thaw);
    if (!isFrozen) {
      this.#thaw();
      return;
    }
    process.on('exit', this.#thaw);
    writeFileSync(...(isV2() ? this.#frozen('cgroup.freeze', '1') : this.#frozen('freezer.state', 'FROZEN')));
  }

  readonly #thaw = (): void =>
    writeFileSync(...(isV2() ? this.#frozen('cgroup.freeze', '0') : this.#frozen('freezer.state', 'THAWED')));

  #frozen(file: string, text: string): [path: string, text: string] {
    return [join(this.#folder('freezer'), file), text];
  }

  /** Processor time of its processes since it was made, of those that ended too. */
  async usedMs(): Promise<number> {
    const read = (file: string): Promise<string> => readFile(join(this.#folder('cpuacct'), file), 'utf8');
    if (!isV2()) return Number(await read('cpuacct.usage')) / 1e6;
    return Number(/usage_usec (\d+)/.exec(await read('cpu.stat'))?.[1]) / 1_000;
  }

  /** After its processes have ended. */
  async remove(): Promise<void> {
    for (const tree of trees) {
      await eventually('the group is empty', removedWithinMs, () =>
        rmdir(this.#folder(tree)).then(
          () => true as const,
          (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? true : undefined),
        ),
      );
    }
  }
}

/** Why this machine grants no shares of processor time; `undefined` if it does. */
export async function whyNoQuota(): Promise<string | undefined> {
  try {
    const group = await QuotaGroup.make('most');
    await group.limit(1);
    group.freeze(false);
    await group.remove();
    return undefined;
  } catch (error) {
    return `no control group with a quota can be made: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Work of the least weight on every core. */
export interface Filler {
  stop(): Promise<void>;
}

/**
 * Fills what the machine has left, so that whatever is measured runs on a machine that is equally busy: the two threads
 * of a core slow each other down.
 */
export async function fillMachine(): Promise<Filler> {
  const group = await QuotaGroup.make('least');
  const spinners = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const end = (): void => {
    for (const spinner of spinners) spinner.kill('SIGKILL');
  };
  process.once('exit', end);
  for (const { pid } of spinners) if (pid !== undefined) await group.take(pid);
  return {
    stop: async () => {
      process.off('exit', end);
      const ended = spinners.map((spinner) => once(spinner, 'exit'));
      end();
      await Promise.all(ended);
      await group.remove();
    },
  };
}
