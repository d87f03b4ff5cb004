import { seededRandom } from '@ringfence/e2e';
import { daySeconds, type Rows, terminalScenario } from './rows.ts';

/** Fraud is known after seven days. */
const delayS = 7 * daySeconds;

/**
 * Which frauds have a signal, 1 for each: an amount that is too large, a customer whose amounts grew, or a terminal
 * whose newest known operation was fraud. At a compromised terminal all operations are fraud for four weeks and look like
 * any others, so where the newest known operation was legitimate, or none is known, nothing tells them apart.
 */
export function signalOf({ count, epochS, terminal, fraud, scenario }: Rows): Uint8Array {
  const signal = new Uint8Array(count);
  /** By terminal: 1 if its newest known operation was fraud. */
  const newest = new Uint8Array(2 ** 16);
  for (let row = 0, known = 0; row < count; row++) {
    for (; epochS[known]! < epochS[row]! - delayS; known++) newest[terminal[known]!] = fraud[known]!;
    if (fraud[row] === 1) signal[row] = scenario[row] === terminalScenario ? newest[terminal[row]!]! : 1;
  }
  return signal;
}

/**
 * The best that scores can do: above all others for every fraud with a signal, and drawn by chance for all other rows.
 * Measured values above its own are luck.
 */
export function ceilingScores(rows: Rows, seed: number): Float64Array {
  const random = seededRandom(seed);
  const signal = signalOf(rows);
  return Float64Array.from(signal, (has) => has + random());
}
