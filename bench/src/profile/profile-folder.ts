import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printSummary } from './print-summary.ts';
import { summariseFolder } from './summary.ts';

/** Threads whose time is printed: the main thread, that of ingest and the engine host's. */
const threadsShown = 3;

/** Where a process started with `nodeArguments` writes the profiles of its threads when it ends. */
export interface ProfileFolder {
  readonly nodeArguments: readonly string[];
  /** Prints the time by thread; call after the process has ended. */
  print(): string;
  remove(): Promise<void>;
}

/** A folder for V8's profiles. Without profiling, the process gets no arguments, and nothing is printed. */
export async function profileFolder(wanted: boolean): Promise<ProfileFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-profile-'));
  return {
    nodeArguments: wanted ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [],
    print: () => summariseFolder(folder).slice(0, threadsShown).map(printSummary).join('\n'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
