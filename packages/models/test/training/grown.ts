import { boost, type BoostedTrees, type TrainingTable } from '../../src/training/boost.ts';
import type { TrainingSettings } from '../../src/training/settings.ts';

/** All trees at once. */
export function grown(table: TrainingTable, settings: Partial<TrainingSettings>): BoostedTrees {
  const growing = boost(table, settings);
  for (;;) {
    const step = growing.next();
    if (step.done === true) return step.value;
  }
}
