import { describe, expect, it } from 'vitest';
import { Ensemble } from '../../src/ensemble.ts';
import { Explainer } from '../../src/explain.ts';
import { importLightgbm } from '../../src/import/lightgbm.ts';
import { doubles, fixtures, inputRows, text } from './fixtures.ts';

const library = 'lightgbm';
const { models, columns } = fixtures(library);

describe('a model of LightGBM gives its scores bit for bit', () => {
  it.each(models)('$name', (model) => {
    const result = importLightgbm(text(library, model.file));
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) return;
    const ensemble = new Ensemble(result.value.artifact);
    const margins = doubles(library, `${model.name}.margins`);
    let row = 0;
    let unequal = 0;
    for (const inputs of inputRows(library, model, result.value)) {
      if (!Object.is(ensemble.margin(inputs), margins[row++])) unequal++;
    }
    expect({ rows: row, unequal }).toEqual({ rows: margins.length, unequal: 0 });
  });
});

describe('an explanation of a model of LightGBM equals its own within 1e-9', () => {
  it.each(models.filter(({ shapRows }) => shapRows !== undefined))('$name', (model) => {
    const result = importLightgbm(text(library, model.file));
    if (!result.ok) throw new Error('the model is not read');
    const { artifact, features } = result.value;
    const explainer = new Explainer(artifact);
    const shap = doubles(library, `${model.name}.shap`);
    let worst = 0;
    let at = 0;
    for (const inputs of inputRows(library, model, result.value)) {
      const theirs = shap.subarray(at, at + columns + 1);
      at += columns + 1;
      if (theirs.length === 0) break;
      const ours = new Float64Array(columns + 1);
      const { expected, values } = explainer.explain(inputs);
      features.forEach((feature, input) => (ours[feature] = values[input]!));
      ours[columns] = expected;
      ours.forEach((value, column) => (worst = Math.max(worst, Math.abs(value - theirs[column]!))));
    }
    expect(at).toBeGreaterThan(shap.length - 1);
    expect(worst).toBeLessThan(1e-9);
  });
});
