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
export function runLoad(plan: LoadPlan): Promise<MeasuredLoad> {
  return new Promise((resolve, reject) => {
    const child = fork(program, { execArgv: [] });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the load generator ended with code ${code}`)));
    child.on('message', (message: { readonly result?: LoadResult; readonly error?: string }) => {
      if (message.result === undefined) reject(new Error(`the load generator failed: ${message.error}`));
      else
        resolve({
          ...message.result,
          latency: histogramOf(message.result.latency),
          pendingLatency: histogramOf(message.result.pendingLatency),
        });
    });
    child.send(plan);
  });
}

function histogramOf({ counts, maxUs }: LoadResult['latency']): Histogram {
  return new Histogram(counts, maxUs);
}
