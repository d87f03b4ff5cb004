import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPolicy } from '@ringfence/policy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readPolicyFolder } from '../../src/config/policy-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-policy-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, content: string | Buffer = 'rules: []\n'): void =>
  writeFileSync(join(folder, path), content);
const paths = (): readonly string[] => readPolicyFolder(folder).map(({ path }) => path);

it('a policy folder: only YAML files are read, including those in subfolders', () => {
  mkdirSync(join(folder, 'payments'));
  mkdirSync(join(folder, '.git'));
  for (const path of ['b.yaml', 'a.yml', 'C.YAML', 'payments/d.yaml', 'README.md', '.hidden.yaml', '.git/e.yaml'])
    write(path);
  expect(paths()).toEqual(['C.YAML', 'a.yml', 'b.yaml', 'payments/d.yaml']);
});

it('a policy folder: links to files of the folder are followed, as Kubernetes mounts them', () => {
  mkdirSync(join(folder, '..2026'));
  write('..2026/rules.yaml', 'lists: {}\n');
  symlinkSync('..2026', join(folder, '..data'));
  symlinkSync('..data/rules.yaml', join(folder, 'rules.yaml'));
  expect(readPolicyFolder(folder)).toEqual([{ path: 'rules.yaml', text: 'lists: {}\n' }]);
});

it('a policy folder: artifacts that models name are read, and no other JSON file', () => {
  mkdirSync(join(folder, 'models'));
  write('package.json', '{}');
  write('models/cards.json', '{ "a": 1 }');
  write('a.yaml', 'models: { cards: { artifact: models/cards.json }, gone: { artifact: models/gone.json } }\n');
  expect(readPolicyFolder(folder)).toMatchObject([
    { path: 'a.yaml' },
    { path: 'models/cards.json', text: '{ "a": 1 }' },
  ]);
});

it('a policy folder: an artifact outside the folder is refused', () => {
  write('a.yaml', 'models: { cards: { artifact: ../cards.json } }\n');
  writeFileSync(join(folder, '../cards.json'), '{}');
  try {
    expect(() => readPolicyFolder(folder)).toThrow(/cards\.json cannot be read: it is a link to something other/);
  } finally {
    rmSync(join(folder, '../cards.json'));
  }
});

it('a policy folder may itself be a link', () => {
  write('a.yaml');
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  try {
    expect(readPolicyFolder(link).map(({ path }) => path)).toEqual(['a.yaml']);
  } finally {
    rmSync(link);
  }
});

it.each([
  [
    'a link to a file outside the folder',
    () => symlinkSync('/etc/hostname', join(folder, 'x.yaml')),
    /x\.yaml cannot be read: it is a link to something other than a file in the policy folder/,
  ],
  [
    'a broken link',
    () => symlinkSync('gone.yaml', join(folder, 'x.yaml')),
    /x\.yaml cannot be read: it is a broken link/,
  ],
  ['an empty folder that is named like a file', () => mkdirSync(join(folder, 'x.yaml')), /x\.yaml is an empty folder/],
  ['a file that is too large', () => write('x.yaml', '#'.repeat(1_048_577)), /x\.yaml is larger than 1024 KiB/],
  ['a folder without policy files', () => write('README.md'), /contains no policy: expected files that end in \.yaml/],
  [
    'too many files',
    () => Array.from({ length: 101 }, (_, at) => write(`${at}.yaml`)),
    /contains more than 100 policy files/,
  ],
])('a policy folder: refuses %s', (_, make, message) => {
  make();
  expect(paths).toThrow(message);
});

it.each([
  ['Latin 1', Buffer.from('# año\nrules: []\n', 'latin1'), 4],
  ['UTF-16', Buffer.from('\ufeffrules: []\n', 'utf16le'), 1],
])('a policy folder: invalid UTF-8 in %s is left for the policy check to report', (_, content, column) => {
  write('a.yaml', content);
  expect(loadPolicy(readPolicyFolder(folder))).toMatchObject({
    ok: false,
    errors: [{ file: 'a.yaml', line: 1, column, message: 'the file is not valid UTF-8 here' }],
  });
});
