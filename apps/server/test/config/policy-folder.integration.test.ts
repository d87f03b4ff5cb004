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

it('reads YAML files of the folder and of those in it, and no others', () => {
  mkdirSync(join(folder, 'payments'));
  mkdirSync(join(folder, '.git'));
  for (const path of ['b.yaml', 'a.yml', 'C.YAML', 'payments/d.yaml', 'README.md', '.hidden.yaml', '.git/e.yaml'])
    write(path);
  expect(paths()).toEqual(['C.YAML', 'a.yml', 'b.yaml', 'payments/d.yaml']);
});

it('follows links to files of the folder, as in what Kubernetes mounts', () => {
  mkdirSync(join(folder, '..2026'));
  write('..2026/rules.yaml', 'lists: {}\n');
  symlinkSync('..2026', join(folder, '..data'));
  symlinkSync('..data/rules.yaml', join(folder, 'rules.yaml'));
  expect(readPolicyFolder(folder)).toEqual([{ path: 'rules.yaml', text: 'lists: {}\n' }]);
});

it('reads a folder that a link leads to', () => {
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
    'a link that leads out of the folder',
    () => symlinkSync('/etc/hostname', join(folder, 'x.yaml')),
    /x\.yaml cannot be read: it is a link to something other than a file in the policy folder/,
  ],
  [
    'a link that leads nowhere',
    () => symlinkSync('gone.yaml', join(folder, 'x.yaml')),
    /x\.yaml cannot be read: it is a broken link/,
  ],
  [
    'an empty folder that is called as a file',
    () => mkdirSync(join(folder, 'x.yaml')),
    /x\.yaml is an empty folder/,
  ],
  ['a file that is too large', () => write('x.yaml', '#'.repeat(1_048_577)), /x\.yaml is larger than 1024 KiB/],
  ['nothing', () => write('README.md'), /contains no policy: expected files that end in \.yaml/],
  [
    'more files than anybody keeps',
    () => Array.from({ length: 101 }, (_, at) => write(`${at}.yaml`)),
    /holds more than 100 policy files/,
  ],
])('refuses %s', (_, make, message) => {
  make();
  expect(paths).toThrow(message);
});

it.each([
  ['Latin 1', Buffer.from('# año\nrules: []\n', 'latin1'), 4],
  ['UTF-16', Buffer.from('\ufeffrules: []\n', 'utf16le'), 1],
])('leaves to the check where a file in %s is no UTF-8', (_, content, column) => {
  write('a.yaml', content);
  expect(loadPolicy(readPolicyFolder(folder))).toMatchObject({
    ok: false,
    errors: [{ file: 'a.yaml', line: 1, column, message: 'the file is not valid UTF-8 here' }],
  });
});
