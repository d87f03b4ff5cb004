/** Links, commands and decision records in the documents. Each rule is shown a violation. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rooms } from './rooms.ts';
import {
  decisionFindings,
  type Document,
  documentFindings,
  indexFindings,
  type Surroundings,
} from './rules/documents.ts';
import { paths, root } from './source-file.ts';

const documents: readonly Document[] = paths(['*.md', '{docs,packages,apps,bench,e2e,tools}/**/*.md']).map((path) => ({
  path,
  text: readFileSync(`${root}/${path}`, 'utf8'),
}));

const house: Surroundings = {
  exists: (path) => existsSync(`${root}/${path}`),
  begins: (path) => globSync(`${path}*`, { cwd: root }).length > 0,
  read: (path) => documents.find((document) => document.path === path)?.text,
  scripts: (room) => {
    const named = rooms().find(({ folder, manifest }) => (room === undefined ? folder === '' : manifest.name === room));
    return new Set(Object.keys(named?.manifest.scripts ?? {}));
  },
};

const indexPath = 'docs/decisions/README.md';
const decisions = documents.filter(({ path }) => path.startsWith('docs/decisions/') && path !== indexPath);

describe('the documents', () => {
  it('link to what exists and name paths and scripts that exist', () => {
    expect(documents.flatMap((document) => documentFindings(document, house))).toEqual([]);
  });

  it('use every picture', () => {
    const texts = documents.map(({ text }) => text);
    const unseen = paths(['docs/pictures/*']).filter((path) => !texts.some((text) => text.includes(basename(path))));
    expect(unseen).toEqual([]);
  });

  it('have a changelog with the version of package.json, under what is not released', () => {
    const sections = Array.from((house.read('CHANGELOG.md') ?? '').matchAll(/^## \[([^\]]+)\]/gm), ([, name]) => name);
    const version = (JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { readonly version: string }).version;
    expect(sections.slice(0, 2)).toEqual(['Unreleased', version]);
  });

  it('of decisions have their sections, and are short and few', () => {
    expect(decisionFindings(decisions)).toEqual([]);
  });

  it('of decisions are in their index', () => {
    expect(
      indexFindings(
        documents.find(({ path }) => path === indexPath)!,
        decisions,
      ),
    ).toEqual([]);
  });
});

describe('the page of errors', () => {
  const page = house.read('docs/reference/errors.md') ?? '';
  const codes = Array.from(page.matchAll(/^\| `([^`]+)`/gm), ([, code]) => code!);
  // Without files that only describe problems of others.
  const answering = paths(['apps/server/src/**/*.ts']).filter((path) => !/openapi|reference/.test(path));
  const text = answering.map((path) => readFileSync(`${root}/${path}`, 'utf8')).join('\n');

  it.each(codes)('has %s, which some code uses', (code) => {
    expect(text.includes(`'${code}'`)).toBe(true);
  });
});

const recordText = '# 0001: A\n\n## Problem\n\n## Decision\n\n## Price\n';
const record = (text: string): Document => ({ path: 'docs/decisions/0001-a.md', text });
const twoDecisions: readonly Document[] = [
  record('# 0001: A\n'),
  { path: 'docs/decisions/0002-b.md', text: '# 0002: B\n' },
];

describe('a violation is found', () => {
  const around: Surroundings = {
    exists: (path) => path === 'docs/guide.md',
    begins: (path) => 'docs/guide.md'.startsWith(path),
    read: () => '## Add a rule\n',
    scripts: (room) => new Set([room === undefined ? 'check' : 'build']),
  };
  const found = (text: string): readonly string[] => documentFindings({ path: 'docs/start.md', text }, around);

  it.each([
    '[a guide](guides.md)',
    '[a part](guide.md#add-a-list)',
    'Type `npm run chekc`.',
    'Type `node tools/guide.ts`.',
    'Type `npm run check -w @ringfence/a`.',
  ])('%s', (text) => {
    expect(found(text)).toHaveLength(1);
  });

  it('a file of its own package that a README names', () => {
    expect(documentFindings({ path: 'packages/log/README.md', text: '`src/log.ts`' }, around)).toHaveLength(1);
  });

  it.each([
    '[a guide](guide.md)',
    '[a part](./guide.md#add-a-rule)',
    '[the web](https://example.org/x)',
    '`npm run check`',
    '`docs/guide.md`, `vitest run docs/guide`',
    '`npm run build -w @ringfence/a`',
  ])('but not %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    ['without its price', record(recordText.replace('## Price\n', ''))],
    [
      'with its sections in another order',
      record(recordText.replace('Problem', 'Price').replace(/Price\n$/, 'Problem\n')),
    ],
    ['with a section of its own', record(`${recordText}\n## Measured\n`)],
    ['with the number of another record in its title', record(recordText.replace('0001', '0002'))],
    ['of 80 lines', record(recordText + '\n'.repeat(72) + 'The end.\n')],
    ['without a number', { path: 'docs/decisions/notes.md', text: recordText }],
  ])('a record %s', (_, document) => {
    expect(decisionFindings([document])).toHaveLength(1);
  });

  it('a record with the number of another one', () => {
    expect(
      decisionFindings([record(recordText), { ...record(recordText), path: 'docs/decisions/0001-b.md' }]),
    ).toHaveLength(1);
  });

  it('a 33rd record', () => {
    const records = Array.from({ length: 33 }, (_, place): Document => {
      const number = String(place + 1).padStart(4, '0');
      return { path: `docs/decisions/${number}-a.md`, text: recordText.replace('0001', number) };
    });
    expect(decisionFindings(records)).toHaveLength(1);
    expect(decisionFindings(records.slice(1))).toEqual([]);
  });

  it('but not a record of 79 lines with the section "Tried, and left"', () => {
    const text = `${recordText}\n## Tried, and left\n`;
    expect(decisionFindings([record(text + '\n'.repeat(69) + 'The end.\n')])).toEqual([]);
  });

  it.each([
    ['a record that the index does not list', '- [0001](0001-a.md): A'],
    ['a title that was changed', '- [0001](0001-a.md): A\n- [0002](0002-b.md): C'],
    ['a line without a record', '- [0001](0001-a.md): A\n- [0002](0002-b.md): B\n- [0003](0003-c.md): C'],
  ])('%s', (_, text) => {
    expect(indexFindings({ path: 'docs/decisions/README.md', text }, twoDecisions)).not.toEqual([]);
  });

  it('but not a correct index', () => {
    const text = '- [0001](0001-a.md): A\n- [0002](0002-b.md): B';
    const index = { path: 'docs/decisions/README.md', text };
    expect(indexFindings(index, twoDecisions)).toEqual([]);
  });
});
