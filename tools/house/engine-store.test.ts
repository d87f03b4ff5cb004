/** To change a rule or a feature one need not know how the engine's store keeps its entities: `store.ts` is its door. */
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { importsOf } from './imports.ts';
import { finding, type Finding, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';

const source = 'packages/engine/src';
const store = `${source}/store/`;
const door = `${source}/store/store.ts`;
/** The rows of feature entities lie in the store's memory, so these files are its other half. */
const insiders = [store, `${source}/features/store/`];
/** The package's interface; the host stores checkpoints. */
const index = `${source}/index.ts`;

/** Imports of what is inside the store by files outside it. */
function storeFindings(file: SourceFile): readonly Finding[] {
  const { path } = file;
  if (!path.startsWith(`${source}/`) || insiders.some((folder) => path.startsWith(folder))) return [];
  return importsOf(file).flatMap(({ specifier, at }) => {
    const target = join(dirname(path), specifier);
    const isInside = specifier.startsWith('.') && target.startsWith(store) && target !== door;
    const isInterface = path === index && target.startsWith(`${store}checkpoint/`);
    return isInside && !isInterface ? [finding(file, at, `import from store/store.ts, not from ${specifier}`)] : [];
  });
}

describe("the engine's store", () => {
  it('is imported through store.ts only', () => {
    const files = sourceFiles();
    expect(files.some(({ path }) => path === door)).toBe(true);
    expect(files.flatMap(storeFindings)).toEqual([]);
  });

  const found = (path: string, specifier: string): number =>
    storeFindings(sourceFile(`${source}/${path}`, `import { x } from '${specifier}';`)).length;

  it.each([
    ['deciding/step-event.ts', '../store/memory/arena.ts'],
    ['state.ts', './store/entities/entity-table.ts'],
    ['features/window/tally.ts', '../../store/memory/arena.ts'],
    ['index.ts', './store/memory/arena.ts'],
  ])('a breach is found: %s imports %s', (path, specifier) => {
    expect(found(path, specifier)).toBe(1);
  });

  it.each([
    ['deciding/step-event.ts', '../store/store.ts'],
    ['features/window/tally.ts', '../store/feature-entity.ts'],
    ['features/store/feature-group.ts', '../../store/memory/arena.ts'],
    ['index.ts', './store/checkpoint/checkpoint.ts'],
  ])('allowed: %s imports %s', (path, specifier) => {
    expect(found(path, specifier)).toBe(0);
  });
});
