/** The engine and the policy keep no state in their modules: whatever changes belongs to a state, a plan or a store. */
import { describe, expect, it } from 'vitest';
import { deciding } from './rules/determinism.ts';
import { moduleStateFindings } from './rules/module-state.ts';
import { sourceFile, sourceFiles } from './source-file.ts';

/** Variables that may look changeable, by file, with the reason why two states can share them. */
const excused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/engine/src/deciding/look-up.ts': { none: 'an empty list that is only read' },
  'packages/engine/src/devices/likeness.ts': {
    said: 'set to 0 at the beginning of each call, and not read after it',
    possible: 'set to 0 at the beginning of each call, and not read after it',
  },
  'packages/engine/src/encode-decision.ts': { writer: 'empty between two calls; no two results share a byte' },
  'packages/engine/src/features/window/value-bins.ts': {
    double: 'written before it is read, in each call',
    halves: 'another view of the same number',
  },
  'packages/engine/src/store/memory/key-table.ts': { empty: 'never written to' },
  'packages/policy/src/compile/functions/similarity.ts': {
    taken: 'set to 0 at the beginning of each call, and not read after it',
    matched: 'written before it is read, in each call',
  },
  'packages/policy/src/expression/parse.ts': { cel: 'a parser with its settings; it keeps nothing between two calls' },
  'packages/policy/src/zones/zones.ts': { zones: 'a cache of what a constant table says' },
};

const none: ReadonlySet<string> = new Set();

describe('module-level variables of packages/policy and packages/engine', () => {
  const files = sourceFiles().filter(({ path }) => deciding.test(path));

  it('are never changed, but for those with a reason', () => {
    const found = (path: string): ReadonlySet<string> => new Set(Object.keys(excused[path] ?? {}));
    expect(files.flatMap((file) => moduleStateFindings(file, found(file.path)))).toEqual([]);
  });

  it('have a reason only where they need one', () => {
    const needed = Object.entries(excused).flatMap(([path, names]) => {
      const file = files.find((one) => one.path === path);
      const count = file === undefined ? 0 : moduleStateFindings(file, none).length;
      return count === Object.keys(names).length ? [] : [path];
    });
    expect(needed).toEqual([]);
  });
});

describe('a module-level variable', () => {
  const findings = (text: string): number =>
    moduleStateFindings(sourceFile('packages/engine/src/step.ts', text), none).length;

  it.each([
    'let stamp = 0;',
    'export let usual: string;',
    'const body = new EncodedBody();',
    'const counts = new Map<string, number>();',
    'const seen = { count: 0 }; function take() { seen.count++; }',
    'const missed: number[] = []; function take(at: number) { missed[at] = 1; }',
    'const missed: number[] = []; function take(at: number) { missed.push(at); }',
    'const all: ReadonlySet<string> = new Set(); (all as Set<string>).add; const a = { b: [1] }; a.b.push(2);',
  ])('%s is found', (text) => {
    expect(findings(text)).toBe(1);
  });

  it.each([
    'const none: readonly string[] = [];',
    "const kinds: ReadonlySet<string> = new Set(['login']);",
    'const table = { a: 1 } as const;',
    'const nothing = new Uint8Array(0);',
    'function count() { let sum = 0; sum++; const all = new Map(); all.set(1, sum); }',
  ])('%s is allowed', (text) => {
    expect(findings(text)).toBe(0);
  });
});
