/** Models of the libraries with rows and their own answers. `test/fixtures/make_fixtures.py` writes them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ImportedModel } from '../../src/import/imported-model.ts';

/** Another folder has the same comparison with more rows. */
const folder = process.env['RINGFENCE_MODEL_FIXTURES'] ?? fileURLToPath(new URL('../fixtures', import.meta.url));

export interface FixtureModel {
  readonly name: string;
  readonly file: string;
  /** Rows that have an explanation of the library. */
  readonly shapRows?: number;
  /** Categories are positions in the file's own list, and others are missing. */
  readonly byPosition?: true;
  /** Instead of margins its answers are probabilities. */
  readonly isProbability?: boolean;
}

export interface Fixtures {
  readonly columns: number;
  readonly models: readonly FixtureModel[];
}

export function fixtures(library: string): Fixtures {
  return JSON.parse(text(library, 'models.json')) as Fixtures;
}

export function bytes(library: string, file: string): Uint8Array {
  return readFileSync(`${folder}/${library}/${file}`);
}

export function text(library: string, file: string): string {
  return readFileSync(`${folder}/${library}/${file}`, 'utf8');
}

/** The numbers of a file of little-endian doubles. */
export function doubles(library: string, file: string): Float64Array {
  const { buffer, byteOffset, length } = bytes(library, file);
  const view = new DataView(buffer, byteOffset, length);
  return Float64Array.from({ length: length / 8 }, (_, at) => view.getFloat64(at * 8, true));
}

/** The inputs of an imported model for each row of its library: features by their index, categories by position. */
export function* inputRows(library: string, model: FixtureModel, imported: ImportedModel): Generator<Float64Array> {
  const { columns } = fixtures(library);
  const rows = doubles(library, 'rows.bin');
  const { artifact, features } = imported;
  const positions = artifact.inputs.map(
    ({ texts = [] }) => new Map(texts.map((text, at) => [model.byPosition === true ? at : Number(text), at])),
  );
  const unknown = model.byPosition === true ? NaN : -1;
  const inputs = new Float64Array(features.length);
  for (let row = 0; row < rows.length; row += columns) {
    features.forEach((feature, at) => {
      const value = rows[row + feature]!;
      const isCode = artifact.inputs[at]!.kind === 'category' && !Number.isNaN(value);
      inputs[at] = isCode ? (positions[at]!.get(Math.trunc(value)) ?? unknown) : value;
    });
    yield inputs;
  }
}
