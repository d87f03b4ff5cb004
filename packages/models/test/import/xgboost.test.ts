import { describe, expect, it } from 'vitest';
import { Ensemble } from '../../src/ensemble.ts';
import { importXgboost } from '../../src/import/xgboost.ts';
import { doubles, fixtures, inputRows, text } from './fixtures.ts';

const library = 'xgboost';

describe('a model of XGBoost gives its margins bit for bit', () => {
  it.each(fixtures(library).models)('$name', (model) => {
    const result = importXgboost(text(library, model.file));
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
