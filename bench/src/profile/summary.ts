import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The members of V8's .cpuprofile that are read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Self time by part and by function, largest first, in milliseconds. Idle time is omitted. */
export interface ProfileSummary {
  readonly busyMs: number;
  readonly parts: readonly (readonly [string, number])[];
  readonly functions: readonly (readonly [string, number])[];
}

/** One summary for each thread with a profile in the folder, the busiest first. */
export function summariseFolder(folder: string): readonly ProfileSummary[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  const threads = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile);
  return threads.map((thread) => summarise([thread])).toSorted((a, b) => b.busyMs - a.busyMs);
}

export function summarise(profiles: readonly CpuProfile[]): ProfileSummary {
  const parts = new Map<string, number>();
  const functions = new Map<string, number>();
  let busyMs = 0;
  for (const { nodes, samples, timeDeltas } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    for (const [i, sample] of samples.entries()) {
      const frame = frames.get(sample);
      if (frame === undefined || frame.functionName === '(idle)') continue;
      const ms = (timeDeltas[i] ?? 0) / 1_000;
      const part = partOf(frame.url, frame.functionName);
      busyMs += ms;
      add(parts, part, ms);
      add(functions, `${frame.functionName || '(anonymous)'}  ${placeOf(frame.url)}:${frame.lineNumber + 1}`, ms);
    }
  }
  return { busyMs, parts: largestFirst(parts), functions: largestFirst(functions) };
}

/** The library, package or part of Node that a function belongs to. */
function partOf(url: string, name: string): string {
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(url)?.[1];
  if (library !== undefined && !library.startsWith('@ringfence/')) return library;
  const room = /\/((?:packages|apps)\/[^/]+\/src(?:\/[^/]+(?=\/))?)/.exec(url)?.[1];
  if (room !== undefined) return room;
  if (url.startsWith('node:')) return `node (${url.slice('node:'.length).split('/').slice(0, 2).join('/')})`;
  return name.startsWith('(') ? name : 'node (native)';
}

/** The last three names of a path: enough to find the file. */
function placeOf(url: string): string {
  return url.split('/').slice(-3).join('/');
}

function add(sums: Map<string, number>, key: string, ms: number): void {
  sums.set(key, (sums.get(key) ?? 0) + ms);
}

function largestFirst(sums: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...sums].toSorted(([, a], [, b]) => b - a);
}
