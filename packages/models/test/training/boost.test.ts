import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { boost, type BoostedTrees, type TrainingTable } from '../../src/training/boost.ts';
import type { TrainingSettings } from '../../src/training/settings.ts';
import { prng } from '../prng.ts';
import { grown } from './grown.ts';
import { marginOf, pathOf } from './walk.ts';

const seeds = Array.from({ length: 12 }, (_, seed) => seed + 1);
const small: Partial<TrainingSettings> = { trees: 20, leafRowsMin: 3, rate: 0.2 };

/** Rows with every oddity a value can have; the label follows the first input, the second and the category. */
function oddRows(seed: number, rows: number, weighted = seed % 2 === 0): TrainingTable {
  const random = prng(seed);
  const odd = [NaN, NaN, 0, -0, Infinity, -Infinity, Number.MAX_VALUE, 5e-324];
  const number = (): number => (random() < 0.2 ? odd[Math.floor(random() * odd.length)]! : (random() - 0.3) * 100);
  const few = (): number => (random() < 0.1 ? NaN : Math.floor(random() * 6));
  const column = (value: () => number): Float64Array => Float64Array.from({ length: rows }, value);
  const [first, second, category] = [column(number), column(few), column(few)];
  const weights = column(() => 0.2 + random() * 4);
  const labels = Uint8Array.from({ length: rows }, (_, row) => {
    const chance =
      (first[row]! > 30 ? 0.5 : 0.05) + (second[row]! >= 4 ? 0.3 : 0) + (category[row]! % 3 === 1 ? 0.15 : 0);
    return random() < chance ? 1 : 0;
  });
  const inputs = [{ column: first }, { column: second }, { column: category, texts: 6 }, { column: column(number) }];
  return { inputs, labels, ...(weighted ? { weights } : {}) };
}

function rowsOf({ inputs, labels }: TrainingTable): readonly (readonly number[])[] {
  return Array.from(labels, (_, row) => inputs.map(({ column }) => column[row]!));
}

function trained(table: TrainingTable, settings: Partial<TrainingSettings> = small): BoostedTrees {
  return grown(table, settings);
}

function lossOf(table: TrainingTable, model: BoostedTrees): number {
  const rows = rowsOf(table);
  return rows.reduce((sum, values, row) => {
    const p = 1 / (1 + Math.exp(-marginOf(model, values)));
    return sum - (table.weights?.[row] ?? 1) * Math.log(table.labels[row] === 1 ? p : 1 - p);
  }, 0);
}

describe('boosted trees', () => {
  it.each(seeds)('lead each row to the leaf where training had it (seed %i)', (seed) => {
    const table = oddRows(seed, 700);
    const rows = rowsOf(table);
    for (const tree of trained(table).trees) {
      const cover = tree.input.map(() => 0);
      rows.forEach((values, row) => {
        for (const node of pathOf(tree, values)) cover[node]! += table.weights?.[row] ?? 1;
      });
      tree.cover.forEach((own, node) => expect(own).toBeCloseTo(cover[node]!, 6));
    }
  });

  it.each(seeds)('do not depend on the order of the rows (seed %i)', (seed) => {
    const table = oddRows(seed, 500);
    const random = prng(seed + 100);
    const order = Uint32Array.from(table.labels, (_, row) => row);
    for (let at = order.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [order[at], order[other]] = [order[other]!, order[at]!];
    }
    const { weights } = table;
    const shuffled: TrainingTable = {
      inputs: table.inputs.map((input) => ({
        ...input,
        column: Float64Array.from(order, (row) => input.column[row]!),
      })),
      labels: Uint8Array.from(order, (row) => table.labels[row]!),
      ...(weights === undefined ? {} : { weights: Float64Array.from(order, (row) => weights[row]!) }),
    };
    expect(JSON.stringify(trained(shuffled))).toBe(JSON.stringify(trained(table)));
  });

  it.each(seeds)('lower the loss with every tree (seed %i)', (seed) => {
    const table = oddRows(seed, 400);
    const model = trained(table, { ...small, trees: 8 });
    const losses = model.trees.map((_, count) => lossOf(table, { ...model, trees: model.trees.slice(0, count + 1) }));
    const all = [lossOf(table, { ...model, trees: [] }), ...losses];
    expect(losses).toHaveLength(8);
    for (let at = 1; at < all.length; at++) expect(all[at]).toBeLessThan(all[at - 1]!);
  });

  it.each(seeds)('rise, or fall, with an input that has a direction (seed %i)', (seed) => {
    const table = oddRows(seed, 600);
    const [first, second, ...others] = table.inputs;
    const inputs = [{ ...first!, monotone: 1 as const }, { ...second!, monotone: -1 as const }, ...others];
    const model = trained({ ...table, inputs }, { ...small, trees: 30, leaves: 12 });
    const used = new Set(model.trees.flatMap(({ input }) => input));
    expect(used.has(0) && used.has(2)).toBe(true);
    for (const values of rowsOf(table).slice(0, 60)) {
      const along = (input: number): readonly number[] =>
        [-1e9, -20, -1, 0, 1, 2, 3, 4, 5, 10, 20, 25, 29, 31, 40, 60, 1e9].map((value) =>
          marginOf(
            model,
            values.map((own, at) => (at === input ? value : own)),
          ),
        );
      const [rising, falling] = [along(0), along(1)];
      expect(rising).toEqual(rising.toSorted((a, b) => a - b));
      expect(falling).toEqual(falling.toSorted((a, b) => b - a));
    }
  });

  it('do not ask an input that only works against its direction', () => {
    const column = Float64Array.from({ length: 300 }, (_, row) => row);
    const labels = Uint8Array.from({ length: 300 }, (_, row) => (row < 100 ? 1 : 0));
    const used = ([-1, 1] as const).map((monotone) => trained({ inputs: [{ column, monotone }], labels }).trees.length);
    expect(used).toEqual([20, 0]);
  });

  it('never ask an input that is the same for all rows, or missing for all', () => {
    const table = oddRows(1, 400);
    const constant = { column: new Float64Array(400).fill(7) };
    const model = trained({
      ...table,
      inputs: [constant, { column: new Float64Array(400).fill(NaN) }, ...table.inputs],
    });
    const used = new Set(model.trees.flatMap(({ input }) => input));
    expect([used.has(0), used.has(1), used.has(2)]).toEqual([false, false, true]);
    expect(model.gains.slice(0, 2)).toEqual([0, 0]);
  });

  it('find frauds in a tail of a thousandth', () => {
    const column = Float64Array.from({ length: 60_000 }, (_, row) => row);
    const labels = Uint8Array.from({ length: 60_000 }, (_, row) => (row >= 59_960 ? 1 : 0));
    const [tree] = trained({ inputs: [{ column }], labels }, { trees: 1, leaves: 2 }).trees;
    expect(tree!.value[0]).toBeGreaterThan(59_930);
    expect(tree!.value[0]).toBeLessThan(59_962);
  });

  it('have a base that is the log-odds of fraud', () => {
    const labels = Uint8Array.from({ length: 400 }, (_, row) => (row < 100 ? 1 : 0));
    const inputs = [{ column: new Float64Array(400) }];
    expect(trained({ inputs, labels })).toEqual({ base: -1.0986122886681098, trees: [], gains: [0] });
    const weights = Float64Array.from(labels, (label) => (label === 1 ? 1 : 3));
    expect(trained({ inputs, labels, weights }).base).toBeCloseTo(Math.log(1 / 9), 14);
  });

  it('are the same from rows of weight two and from rows that are there twice', () => {
    const table = oddRows(3, 300, false);
    const twice: TrainingTable = {
      inputs: table.inputs.map((input) => ({
        ...input,
        column: Float64Array.from([...input.column, ...input.column]),
      })),
      labels: Uint8Array.from([...table.labels, ...table.labels]),
    };
    const weights = new Float64Array(300).fill(2);
    const settings = { ...small, leafRowsMin: 1 };
    const [once, both] = [trained({ ...table, weights }, settings), trained(twice, settings)];
    expect(once.trees.map(({ input, cover }) => ({ input, cover }))).toEqual(
      both.trees.map(({ input, cover }) => ({ input, cover })),
    );
    for (const values of rowsOf(table)) expect(marginOf(once, values)).toBeCloseTo(marginOf(both, values), 9);
  });

  it('can be stopped after any tree', () => {
    const growing = boost(oddRows(1, 400), small);
    expect([growing.next(), growing.next()]).toEqual([
      { done: false, value: 1 },
      { done: false, value: 2 },
    ]);
    expect([...boost(oddRows(1, 400), small)]).toEqual(Array.from({ length: 20 }, (_, tree) => tree + 1));
  });

  it('are these numbers on every machine', () => {
    const sha = (table: TrainingTable): string =>
      createHash('sha256')
        .update(JSON.stringify(trained(table, { ...small, trees: 40 })))
        .digest('hex');
    expect([sha(oddRows(7, 2_000, false)), sha(oddRows(8, 2_000, true))]).toMatchInlineSnapshot(`
      [
        "e9c457f006ed02aa90e4a6110f3e1415878fd642efd0897980bf6d203b8668df",
        "2c11cdbcf572f28bd2e9d3323a35765c865640063772c873fb106a2401adee5a",
      ]
    `);
  });
});
