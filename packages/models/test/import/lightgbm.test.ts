import { describe, expect, it } from 'vitest';
import { Ensemble } from '../../src/ensemble.ts';
import { importLightgbm } from '../../src/import/lightgbm.ts';
import { worstExplanation } from './explained.ts';
import { doubles, fixtures, inputRows, text } from './fixtures.ts';

const library = 'lightgbm';
const { models } = fixtures(library);

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
    expect(worstExplanation(library, model, result.value)).toBeLessThan(1e-9);
  });
});
