import { Explainer } from '../../src/explain.ts';
import type { ImportedModel } from '../../src/import/imported-model.ts';
import { doubles, type FixtureModel, fixtures, inputRows } from './fixtures.ts';

/** How far our explanations of the first rows are from those of the library, at most, in log-odds. */
export function worstExplanation(library: string, model: FixtureModel, imported: ImportedModel): number {
  const { columns } = fixtures(library);
  const { artifact, features } = imported;
  const explainer = new Explainer(artifact);
  const shap = doubles(library, `${model.name}.shap`);
  let worst = 0;
  let row = 0;
  for (const inputs of inputRows(library, model, imported)) {
    if (row === model.shapRows) break;
    const ours = new Float64Array(columns + 1);
    const { expected, values } = explainer.explain(inputs);
    features.forEach((feature, input) => (ours[feature] = values[input]!));
    ours[columns] = expected;
    const from = row++ * ours.length;
    ours.forEach((value, column) => (worst = Math.max(worst, Math.abs(value - shap[from + column]!))));
  }
  return row === shap.length / (columns + 1) ? worst : NaN;
}
