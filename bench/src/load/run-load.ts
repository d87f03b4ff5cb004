import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Histogram } from '../measure/histogram.ts';
import type { LoadPlan, LoadResult } from './generate.ts';

export interface MeasuredLoad extends Omit<LoadResult, 'latency' | 'pendingLatency'> {
  readonly latency: Histogram;
  readonly pendingLatency: Histogram;
}

const program = fileURLToPath(new URL('generator-process.ts', import.meta.url));

/**
 * Runs the load in its own process.
 * @throws if a connection breaks or the process dies
 */
export async function runLoad(plan: LoadPlan): Promise<MeasuredLoad> {
  const [load] = await runLoads([plan]);
  return load!;
}

/**
 * The same with several loads at once, all in one process.
 * @returns what was measured, in the order of the plans
 */
export function runLoads(plans: readonly LoadPlan[]): Promise<readonly MeasuredLoad[]> {
  return new Promise((resolve, reject) => {
    const child = fork(program, { execArgv: [] });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the load generator ended with code ${code}`)));
    child.on('message', (message: { readonly results?: readonly LoadResult[]; readonly error?: string }) => {
      if (message.results === undefined) reject(new Error(`the load generator failed: ${message.error}`));
      else
        resolve(
          message.results.map((result) => ({
            ...result,
            latency: histogramOf(result.latency),
            pendingLatency: histogramOf(result.pendingLatency),
          })),
        );
    });
    child.send(plans);
  });
}

function histogramOf({ counts, maxUs }: LoadResult['latency']): Histogram {
  return new Histogram(counts, maxUs);
}
