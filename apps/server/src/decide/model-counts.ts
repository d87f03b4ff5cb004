import { dayMs } from '@ringfence/contract';
import { type PopulationBins, populationBin } from '@ringfence/models';
import type { Model, ModelEvaluation } from '@ringfence/policy';

/** How often the values of one input of a model, or its results, fell into each bin on one day. */
export interface ModelDayCount {
  readonly model: string;
  /** Of the artifact. */
  readonly sha256: string;
  /** The begin of the day, UTC. */
  readonly dayAtMs: number;
  /** "" for the result. */
  readonly input: string;
  /** What it was trained on. */
  readonly population: PopulationBins;
  /** As many as `population.counts`. */
  readonly counts: Float64Array;
}

/** The counts of one artifact on one day, of the result and then of each input. */
type DayCounts = readonly ModelDayCount[];

/** Counts what models read and say, by day, for those whose artifact says what they were trained on. */
export class ModelCounts {
  readonly #days = new Map<string, DayCounts>();
  /** Of the last day that each model was counted on, so that an event builds no key. */
  readonly #last = new Map<Model, { readonly dayAtMs: number; readonly counts: DayCounts }>();

  readonly add = ({ model, inputs, margin }: ModelEvaluation, logTimeMs: number): void => {
    if (model.trained?.content.population === undefined) return;
    const dayAtMs = logTimeMs - (logTimeMs % dayMs);
    let last = this.#last.get(model);
    if (last?.dayAtMs !== dayAtMs) {
      last = { dayAtMs, counts: this.#of(model, dayAtMs) };
      this.#last.set(model, last);
    }
    const { counts } = last;
    count(counts[0]!, margin);
    for (let at = 0; at < inputs.length; at++) count(counts[at + 1]!, inputs[at]!);
  };

  /** The counts since the last call, in a fixed order, so that two writers never deadlock on row locks. */
  take(): readonly ModelDayCount[] {
    const taken = [...this.#days.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, counts]) => counts);
    this.#days.clear();
    this.#last.clear();
    return taken;
  }

  #of({ name, inputs, trained }: Model, dayAtMs: number): DayCounts {
    const { sha256, content } = trained!;
    const key = `${name} ${dayAtMs} ${sha256}`;
    const known = this.#days.get(key);
    if (known !== undefined) return known;
    const { margins, inputs: ofInputs } = content.population!;
    const made = ['', ...inputs.map((input) => input.name)].map((input, at): ModelDayCount => {
      const population = at === 0 ? margins : ofInputs[at - 1]!;
      const counts = new Float64Array(population.counts.length);
      return { model: name, sha256, dayAtMs, input, population, counts };
    });
    this.#days.set(key, made);
    return made;
  }
}

function count({ population: { edges }, counts }: ModelDayCount, value: number): void {
  counts[populationBin(edges, value)]! += 1;
}
