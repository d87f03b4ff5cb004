/** Damaged files are imported or refused: nothing else is thrown, and what is imported can be evaluated. */
import { expect, it } from 'vitest';
import { Ensemble } from '../../src/ensemble.ts';
import { Explainer } from '../../src/explain.ts';
import type { ImportedModel } from '../../src/import/imported-model.ts';
import { importLightgbm } from '../../src/import/lightgbm.ts';
import { importOnnx } from '../../src/import/onnx.ts';
import { importXgboost } from '../../src/import/xgboost.ts';
import type { ModelResult } from '../../src/mistakes.ts';
import { pick, prng } from '../random-model.ts';
import { bytes } from './fixtures.ts';

const ascii = new TextDecoder('latin1');

const files: readonly (readonly [string, string, (file: Uint8Array) => ModelResult<ImportedModel>])[] = [
  ['xgboost', 'onehot.json', (file) => importXgboost(ascii.decode(file))],
  ['lightgbm', 'onehot.txt', (file) => importLightgbm(ascii.decode(file))],
  ['onnx', 'modes.onnx', (file) => importOnnx(file)],
];

it.each(files)('of %s: %s', (library, name, read) => {
  const whole = bytes(library, name);
  const random = prng(9);
  let imported = 0;
  let silent = 0;
  for (let run = 0; run < 400; run++) {
    const damaged = Uint8Array.from(whole);
    for (let change = random(3); change >= 0; change--) {
      const at = random(damaged.length);
      const kind = random(3);
      if (kind === 0) damaged[at] = random(256);
      else if (kind === 1) damaged[at] = pick(random, [...Buffer.from('0123456789-,. =[]{}"eE\n')]);
      else damaged.copyWithin(at, random(damaged.length), random(damaged.length));
    }
    const result = read(damaged);
    if (!result.ok) {
      if (result.mistakes.length === 0) silent++;
      continue;
    }
    imported++;
    const inputs = new Float64Array(result.value.artifact.inputs.length).fill(1);
    expect(new Ensemble(result.value.artifact).margin(inputs)).not.toBeNaN();
    new Explainer(result.value.artifact).explain(inputs);
  }
  expect(silent).toBe(0);
  expect(imported).toBeGreaterThan(10);
});
