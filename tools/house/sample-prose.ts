/**
 * Prints 40 comments, 40 messages and 40 labels of the console with their places, drawn by a seed. Rewrite what you have
 * to read twice, and similar texts.
 *
 *     node tools/house/sample-prose.ts --seed 1
 */
import { parseArgs } from 'node:util';
import { type Prose, proseOf } from './prose.ts';
import { sourceFiles } from './source-file.ts';

const drawn = 40;
const kinds = ['comment', 'message', 'label'] as const;

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
const seed = Number(values.seed);
if (!Number.isSafeInteger(seed)) throw new Error('--seed must be an integer.');

const all = sourceFiles().flatMap((file) => proseOf(file));
for (const [place, kind] of kinds.entries()) {
  process.stdout.write(`\n## ${drawn} ${kind}s, seed ${seed}\n\n`);
  const sample = draw(
    all.filter((prose) => prose.kind === kind),
    seed * kinds.length + place,
  );
  for (const { path, line, text } of sample) process.stdout.write(`${path}:${line}: ${text}\n`);
}

/** `drawn` different texts: the same for the same seed and code. */
function draw(from: readonly Prose[], sampleSeed: number): readonly Prose[] {
  const rest = [...from];
  const random = mulberry32(sampleSeed);
  return Array.from(
    { length: Math.min(drawn, rest.length) },
    () => rest.splice(Math.floor(random() * rest.length), 1)[0]!,
  );
}

/** Numbers in [0, 1). Source: https://github.com/bryc/code/blob/master/jshash/PRNGs.md#mulberry32 */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
