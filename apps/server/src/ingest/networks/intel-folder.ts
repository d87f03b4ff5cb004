/**
 * Data files of the operator, under `home`:
 *
 *     intel/current.json                 which files are in force
 *     intel/<hash of the content>        the files
 *
 * What is in force changes by the renaming of `current.json` alone, so that a service never sees half of a change, and
 * a crash leaves the old or the new.
 */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMmdb, MmdbFile, type NetworkKind, readAddressList } from '@ringfence/intel';
import { OperatorError } from '../../platform/observability/operator-error.ts';

/** A file that was given. */
export interface IntelFile {
  /** A list of addresses of one kind; or a database. */
  readonly kind: NetworkKind | 'database';
  /** A database's own name; of a list its kind. Another file of the same name takes its place. */
  readonly name: string;
  /** How its publisher named it. */
  readonly source: string;
  readonly hash: string;
  readonly installedAtMs: number;
  /** When its data were made; of a list that says nothing, when it was given. */
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

/** What changes whenever another set of files is in force. */
export function manifestPath(home: string): string {
  return join(intelFolder(home), manifestName);
}

/** Files in force, the newest first. @throws OperatorError for a manifest that nobody but a person wrote */
export function filesInForce(home: string): readonly IntelFile[] {
  const path = manifestPath(home);
  if (!existsSync(path)) return [];
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { readonly files: readonly IntelFile[] }).files;
  } catch (error) {
    throw new OperatorError(
      `${path} is damaged: ${String(error)}`,
      'Delete it, and give the files again: ringfence intel update',
    );
  }
}

export function readIntelFile(home: string, { hash: name }: IntelFile): Buffer {
  return readFileSync(join(intelFolder(home), name));
}

export interface Installation {
  /** In force now. */
  readonly files: readonly IntelFile[];
  /** What a person may want to know of the files that were given, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * Checks files and puts them in force together; those that they do not replace stay.
 *
 * @throws OperatorError for a file that can't be read or is none of its kind; nothing is changed then
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
  return [`${source}: of ${day}, which is older than the ${name} of ${dayBefore} that it takes the place of.`];
}

/** Takes files out of force, by their names. Answers what is left. */
export function removeFiles(home: string, names: readonly string[]): readonly IntelFile[] {
  const before = filesInForce(home);
  for (const name of names) {
    if (before.some((file) => file.name === name)) continue;
    const known = before.map((file) => file.name).join(', ');
    throw new OperatorError(`There is no ${name}.`, known === '' ? 'No file was given yet.' : `There are: ${known}`);
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
    if (isMmdb(bytes)) throw new Error('it is a database, no list');
    const { passedOver } = readAddressList(bytes.toString('utf8'));
    const notes = passedOver.map((line) => `${source}: passed over ${line}, which is no address and no network.`);
    return { file: { ...common, name: kind, dataAtMs: nowMs }, bytes, notes };
  } catch (error) {
    const expected =
      kind === 'database'
        ? 'a database in the MMDB format (GeoLite2, GeoIP2, DB-IP and others), unpacked; a list with its kind: --tor FILE'
        : `a text with one address or network a line; a database without --${kind}`;
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${path} was not taken: ${reason}`, `Give ${expected}.`);
  }
}

function readGiven(path: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${path} can't be read: ${reason}`, 'Name a file that is there.');
  }
  const packing = packings.find(({ begins }) => bytes.subarray(0, begins.length).equals(begins));
  if (packing !== undefined) {
    throw new OperatorError(`${path} was not taken: it is packed`, `Unpack it first, with ${packing.by}.`);
  }
  if (bytes.length === 0) throw new OperatorError(`${path} was not taken: it is empty`, 'Fetch it again.');
  if (bytes.length > fileBytesMax) {
    throw new OperatorError(`${path} was not taken: it has more than 1 GiB`, 'Give a smaller file.');
  }
  return bytes;
}

/** Publishers pack their files; what a packed one begins with. */
const packings = [
  { begins: Buffer.from([0x1f, 0x8b]), by: 'gunzip, or tar -xzf for a .tar.gz' },
  { begins: Buffer.from('PK\u0003\u0004'), by: 'unzip' },
];
