import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'The highest byte of the NaN that the processor computes for infinity minus infinity: 127 on ARM, 255 on x86.',
  purpose: 'Distinguishes processors independently of the user agent. The compiler of an engine may decide it as well.',
  stability: 'device',
  schema: { type: 'integer', minimum: 0, maximum: 255 },
  source: 'https://webassembly.github.io/spec/core/exec/numerics.html#nan-propagation',
};

export function cpuNan(): Signal<number> {
  const numbers = new Float32Array([Infinity]);
  // Computed from memory, so that no compiler folds it into a constant.
  numbers[0] = numbers[0]! - numbers[0]!;
  return { value: new Uint8Array(numbers.buffer)[3]! };
}
