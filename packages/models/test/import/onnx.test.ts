import { describe, expect, it } from 'vitest';
import { Ensemble } from '../../src/ensemble.ts';
import { importOnnx } from '../../src/import/onnx.ts';
import { probabilityOf } from '../../src/logistic.ts';
import { bytes, doubles, fixtures, inputRows } from './fixtures.ts';

const library = 'onnx';

describe('a model of ONNX gives the answers of onnxruntime within 1e-6', () => {
  it.each(fixtures(library).models)('$name', (model) => {
    const result = importOnnx(bytes(library, model.file));
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) return;
    const ensemble = new Ensemble(result.value.artifact);
    const answers = doubles(library, `${model.name}.margins`);
    let row = 0;
    let worst = 0;
    for (const inputs of inputRows(library, model, result.value)) {
      const margin = ensemble.margin(inputs);
      const ours = model.isProbability === true ? probabilityOf(margin) : margin;
      worst = Math.max(worst, Math.abs(ours - answers[row++]!));
    }
    expect(row).toBe(answers.length);
    expect(worst).toBeLessThan(1e-6);
  });
});
