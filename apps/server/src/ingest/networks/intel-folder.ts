/**
 * Data files that the operator has installed, under `home`:
 *
 *     intel/current.json                 lists the active files
 *     intel/<hash of the content>        the files
 *
 * The set of active files changes only by renaming a new `current.json` into place. So a service never sees half of a
 * change, and a crash leaves either the old set or the new one.
 */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMmdb, MmdbFile, type NetworkKind, readAddressList } from '@ringfence/intel';
import { OperatorError } from '../../platform/observability/operator-error.ts';

/** An installed file. */
export interface IntelFile {
  /** The kind of addresses in a list; or `database`. */
  readonly kind: NetworkKind | 'database';
  /** For a database its own name, for a list its kind. A new file with the same name replaces the old one. */
  readonly name: string;
  /** The publisher's file name. */
  readonly source: string;
  readonly hash: string;
  readonly installedAtMs: number;
  /** When the data were built; for a list, which carries no date, when it was installed. */
  readonly dataAtMs: number;
  readonly sizeBytes: number;
}

export interface GivenFile {
  readonly kind: IntelFile['kind'];
  readonly path: string;
}

const manifestName = 'current.json';
const hashLength = 32;
/** A city database of the whole world has 130 MB. */
const fileBytesMax = 1_024 * 1_024 * 1_024;

export function intelFolder(home: string): string {
  return join(home, 'intel');
}

/** The file that changes whenever another set of files becomes active. */
export function manifestPath(home: string): string {
  return join(intelFolder(home), manifestName);
}

/** The active files, newest first. @throws OperatorError if the manifest is corrupt, which only a manual edit causes */
export function filesInForce(home: string): readonly IntelFile[] {
  const path = manifestPath(home);
  if (!existsSync(path)) return [];
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { readonly files: readonly IntelFile[] }).files;
  } catch (error) {
    throw new OperatorError(
      `${path} is corrupt: ${String(error)}`,
      'Delete it, and install the files again: ringfence intel update',
    );
  }
}

export function readIntelFile(home: string, { hash: name }: IntelFile): Buffer {
  return readFileSync(join(intelFolder(home), name));
}

export interface Installation {
  /** The active files. */
  readonly files: readonly IntelFile[];
  /** Remarks about the new files for the operator, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Checks files and activates them together. Files that they do not replace stay active.
 *
 * @throws OperatorError for a file that cannot be read or is not of its kind; then nothing is changed
 */
export function installFiles(home: string, given: readonly GivenFile[], nowMs: number): Installation {
  const checked = given.map((one) => checkedFile(one, nowMs));
  const before = filesInForce(home);
  const folder = intelFolder(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { file, bytes } of checked) replaceFile(join(folder, file.hash), bytes);
  const added = checked.map(({ file }) => file);
  const names = new Set(added.map(({ name }) => name));
  const notes = checked.flatMap((one) => [...one.notes, ...olderThan(one.file, before)]);
  return { files: putInForce(home, [...added, ...before.filter(({ name }) => !names.has(name))]), notes };
}

function olderThan({ name, dataAtMs, source }: IntelFile, before: readonly IntelFile[]): readonly string[] {
  const replaced = before.find((file) => file.name === name);
  if (replaced === undefined || replaced.dataAtMs <= dataAtMs) return [];
  const [day, dayBefore] = [dataAtMs, replaced.dataAtMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  return [`${source}: dated ${day}, is older than the ${name} of ${dayBefore} that it replaces.`];
}

/** Deactivates files by their names. Returns the remaining ones. */
export function removeFiles(home: string, names: readonly string[]): readonly IntelFile[] {
  const before = filesInForce(home);
  for (const name of names) {
    if (before.some((file) => file.name === name)) continue;
    const known = before.map((file) => file.name).join(', ');
    throw new OperatorError(
      `No file named ${name} is installed.`,
      known === '' ? 'No file is installed yet.' : `Installed files: ${known}`,
    );
  }
  return putInForce(
    home,
    before.filter(({ name }) => !names.includes(name)),
  );
}

function putInForce(home: string, files: readonly IntelFile[]): readonly IntelFile[] {
  const folder = intelFolder(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(manifestPath(home), Buffer.from(`${JSON.stringify({ files }, undefined, 2)}\n`));
  const kept = new Set([manifestName, ...files.map((file) => file.hash)]);
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name), { force: true });
  return files;
}

function replaceFile(path: string, bytes: Buffer): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, bytes, { mode: 0o600, flush: true });
  renameSync(temporary, path);
}

interface CheckedFile {
  readonly file: IntelFile;
  readonly bytes: Buffer;
  readonly notes: readonly string[];
}

function checkedFile({ kind, path }: GivenFile, nowMs: number): CheckedFile {
  const bytes = readGiven(path);
  const source = basename(path);
  const common = {
    kind,
    source,
    hash: hash('sha256', bytes).slice(0, hashLength),
    installedAtMs: nowMs,
    sizeBytes: bytes.length,
  };
  try {
    if (kind === 'database') {
      const database = new MmdbFile(bytes);
      database.examine();
      return { file: { ...common, name: database.type, dataAtMs: database.builtAtMs }, bytes, notes: [] };
    }
    if (isMmdb(bytes)) throw new Error('it is a database, not a list');
    const { passedOver } = readAddressList(bytes.toString('utf8'));
    const notes = passedOver.map((line) => `${source}: skipped ${line}, which is neither an address nor a network.`);
    return { file: { ...common, name: kind, dataAtMs: nowMs }, bytes, notes };
  } catch (error) {
    const expected =
      kind === 'database'
        ? 'a database in the MMDB format (GeoLite2, GeoIP2, DB-IP and others), unpacked; a list with its kind: --tor FILE'
        : `a text file with one address or network per line; a database without --${kind}`;
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${path} was not installed: ${reason}`, `Expected: ${expected}.`);
  }
}

function readGiven(path: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${path} can't be read: ${reason}`, 'Name an existing file that this user can read.');
  }
  const packing = packings.find(({ begins }) => bytes.subarray(0, begins.length).equals(begins));
  if (packing !== undefined) {
    throw new OperatorError(`${path} was not installed: it is compressed`, `Decompress it first, with ${packing.by}.`);
  }
  if (bytes.length === 0) throw new OperatorError(`${path} was not installed: it is empty`, 'Download it again.');
  if (bytes.length > fileBytesMax) {
    throw new OperatorError(`${path} was not installed: it is larger than 1 GiB`, 'Use a smaller file.');
  }
  return bytes;
}

/** Magic numbers of the archive formats that publishers use. */
const packings = [
  { begins: Buffer.from([0x1f, 0x8b]), by: 'gunzip, or tar -xzf for a .tar.gz' },
  { begins: Buffer.from('PK\u0003\u0004'), by: 'unzip' },
];
