import { createHash } from 'node:crypto';
import { Ensemble } from '../src/ensemble.ts';
import { Explainer } from '../src/explain.ts';
import { floatLogit } from '../src/import/float-log.ts';
import { probabilityOf } from '../src/logistic.ts';
import { scoreOf } from '../src/score.ts';
import { writeArtifact } from '../src/write-artifact.ts';
import { prng, randomInputs, randomModel } from './random-model.ts';

/** The SHA-256 of every bit that 300 random models give: texts, margins, probabilities, scores, explanations. */
export function hashOfAllBits(): string {
  const hash = createHash('sha256');
  const random = prng(10);
  const view = new DataView(new ArrayBuffer(8));
  const add = (value: number): void => {
    view.setFloat64(0, value);
    hash.update(new Uint8Array(view.buffer));
  };
  const table = { margins: [-3, -1, 0.5, 2], shares: [0, 0.4, 0.93, 1] };
  for (let run = 0; run < 300; run++) {
    const model = randomModel(random, { inputs: 12, trees: 10, depth: 7 });
    hash.update(writeArtifact(model));
    const ensemble = new Ensemble(model);
    const explainer = new Explainer(model);
    for (let row = 0; row < 5; row++) {
      const inputs = randomInputs(random, model);
      const margin = ensemble.margin(inputs);
      const { expected, values } = explainer.explain(inputs);
      const numbers = [margin, probabilityOf(margin), probabilityOf(margin * 20), scoreOf(table, margin)];
      for (const number of [...numbers, floatLogit(probabilityOf(margin)), expected, ...values]) add(number);
    }
  }
  return hash.digest('hex');
}
