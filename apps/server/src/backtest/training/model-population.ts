import { Ensemble, inputPopulation, type ModelArtifact, type ModelPopulation } from '@ringfence/models';
import type { TrainingTable } from './training-set.ts';

/**
 * What the artifact reads and says of the rows. Its own margins, and not those of the folds: a shift between two models
 * would look like one of the events.
 */
export function populationOf(
  artifact: ModelArtifact,
  { columns, weights }: Pick<TrainingTable, 'columns'> & { readonly weights?: Float64Array },
): ModelPopulation {
  const [ensemble, inputs] = [new Ensemble(artifact), new Float64Array(columns.length)];
  const margins = new Float64Array(columns[0]!.length).map((_, row) => {
    columns.forEach((column, at) => (inputs[at] = column[row]!));
    return ensemble.margin(inputs);
  });
  return {
    margins: inputPopulation(margins, undefined, weights),
    inputs: columns.map((column, at) => inputPopulation(column, artifact.inputs[at]!.texts, weights)),
  };
}
