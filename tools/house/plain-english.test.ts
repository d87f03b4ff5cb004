/** Plain English in comments, messages, labels, test names and documents. The rule is shown violations. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Prose, proseOf } from './prose.ts';
import { proseFindings, unusedRightWords } from './rules/plain-english.ts';
import { paths, root, sourceFile, sourceFiles } from './source-file.ts';

/** Line by line, without the product's own data: lists of words of other languages, generated pages. */
const documents: readonly Prose[] = paths(['*.md', '{docs,packages,apps,bench,e2e}/**/*.{md,yaml}']).flatMap((path) =>
  readFileSync(`${root}/${path}`, 'utf8')
    .split('\n')
    .map((text, at): Prose => ({ kind: 'comment', path, line: at + 1, text })),
);
/** These files contain violations. */
const shown = new Set(['tools/house/plain-english.test.ts', 'tools/house/rules/plain-english.ts']);
const texts = sourceFiles()
  .filter(({ path }) => !shown.has(path))
  .flatMap((file) => proseOf(file));

describe('the prose', () => {
  it('contains comments, messages, labels and test names', () => {
    const kinds = Object.entries(Object.groupBy(texts, ({ kind }) => kind)).filter(([, found]) => found.length > 1_000);
    expect(kinds.map(([kind]) => kind).toSorted()).toEqual(['comment', 'label', 'message', 'test']);
  });

  it('is plain English', () => {
    expect(proseFindings([...texts, ...documents])).toEqual([]);
  });

  it('contains every exception', () => {
    expect(unusedRightWords([...texts, ...documents])).toEqual([]);
  });
});

describe('a violation is found', () => {
  const found = (path: string, text: string): readonly string[] => proseFindings(proseOf(sourceFile(path, text)));

  it.each([
    ['a comment', 'packages/log/src/a.ts', '/** Lets so many at a time. */'],
    ['a line comment', 'packages/log/src/a.ts', 'f(); // whoever comes first'],
    ['a message', 'packages/log/src/a.ts', "throw new Error('Nobody has this partition now.');"],
    ['a template', 'packages/log/src/a.ts', 'throw new Error(`The place of ${name} is where ${other} stands.`);'],
    ['a concatenation', 'packages/log/src/a.ts', "throw new Error('The lock is held ' + 'by somebody else.');"],
    ['a label', 'apps/console/src/language/shell.ts', "export const shell = { none: 'What became of it' };"],
    ['the name of a test', 'packages/log/test/a.test.ts', "it('reads anew', () => {});"],
  ])('in %s', (_, path, text) => {
    expect(found(path, text)).toHaveLength(1);
  });

  it.each([
    ['code', 'packages/log/src/a.ts', 'const nobody = whoever.stands(anew);'],
    ['a name in quotes', 'packages/log/src/a.ts', '/** Runs as the user `nobody`. */'],
    ['data of a test', 'packages/log/test/a.test.ts', "const text = 'so many words of somebody';"],
    ['"if there is none"', 'packages/log/src/a.ts', '/** `undefined` if there is none. */'],
  ])('but not in %s', (_, path, text) => {
    expect(found(path, text)).toEqual([]);
  });
});
