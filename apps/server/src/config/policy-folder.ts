import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { artifactsNamed, type PolicyFile, withPacks } from '@ringfence/policy';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { packText } from '../policies/policy-packs.ts';

/** Bounds of a policy folder: as much as a person can review and a database row can hold. */
const filesMax = 100;
const fileBytesMax = 1_048_576;

/**
 * All YAML files of a folder and its subfolders, the artifacts of their models, and the packs that they use; YAML files
 * are sorted by path (with `/` as separator). Hidden files are skipped. Invalid UTF-8 becomes U+FFFD, which the policy check refuses with its position.
 *
 * @throws OperatorError if the folder does not exist, is empty, or exceeds the bounds
 */
export function readPolicyFolder(folder: string): readonly PolicyFile[] {
  const files: PolicyFile[] = [];
  for (const path of yamlFiles(folder)) {
    if (files.length === filesMax) {
      throw new OperatorError(
        `${folder} contains more than ${filesMax} policy files.`,
        'Check that it is the right folder.',
      );
    }
    const text = reading(path, 'it was removed meanwhile', () => readFileSync(path));
    if (text.length > fileBytesMax) {
      throw new OperatorError(`${path} is larger than ${fileBytesMax / 1_024} KiB.`, 'Split it into several files.');
    }
    files.push({ path: relative(folder, path).split(sep).join('/'), text: text.toString('utf8') });
  }
  if (files.length === 0) {
    throw new OperatorError(
      `${folder} contains no policy: expected files that end in .yaml.`,
      'Check that it is the right folder.',
    );
  }
  return withPacks([...files, ...readArtifacts(folder, files)], packText);
}

/** Those that are missing are left for the check to report. */
function readArtifacts(folder: string, files: readonly PolicyFile[]): readonly PolicyFile[] {
  return artifactsNamed(files).flatMap((path) => {
    const file = join(folder, path);
    if (!existsSync(file)) return [];
    leadsInto(folder, file);
    const text = reading(file, 'it was removed meanwhile', () => readFileSync(file));
    if (text.length > fileBytesMax)
      throw new OperatorError(`${file} is larger than ${fileBytesMax / 1_024} KiB.`, 'Train it with fewer trees.');
    return [{ path, text: text.toString('utf8') }];
  });
}

/** @throws OperatorError if the folder cannot be read, or an entry named like a policy file is not a file */
function yamlFiles(folder: string): readonly string[] {
  const entries = reading(folder, 'there is no such folder', () => {
    if (!statSync(folder).isDirectory()) throw new Error('it is not a folder');
    return readdirSync(folder, { withFileTypes: true, recursive: true });
  });
  return entries
    .map((entry) => ({ path: join(entry.parentPath, entry.name), entry }))
    .filter(({ path }) => {
      const parts = relative(folder, path).split(sep);
      return /\.ya?ml$/i.test(path) && !parts.some((part) => part.startsWith('.'));
    })
    .filter(({ path, entry }) => {
      if (entry.isDirectory()) return refuseFolder(path);
      return entry.isSymbolicLink() ? leadsInto(folder, path) : entry.isFile();
    })
    .map(({ path }) => path)
    .sort();
}

/** A folder may be named `acme.yaml`, but an empty one is probably a mistake. */
function refuseFolder(path: string): false {
  if (readdirSync(path).length > 0) return false;
  throw new OperatorError(`${path} is an empty folder.`, 'Replace it with a file, or remove it.');
}

/**
 * Accepts a symbolic link to a file in the same folder, as Kubernetes mounts them. Refuses a link that leads out of the
 * folder, because its target is not part of what is reviewed.
 */
function leadsInto(folder: string, path: string): boolean {
  return reading(path, 'it is a broken link', () => {
    const target = realpathSync(path);
    const isInside = relative(realpathSync(folder), target).split(sep)[0] !== '..';
    if (isInside && statSync(target).isFile()) return true;
    throw new Error('it is a link to something other than a file in the policy folder');
  });
}

/** @throws OperatorError that names the path */
function reading<Result>(path: string, absent: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? absent : message;
    throw new OperatorError(`${path} cannot be read: ${reason}.`, 'Give the path of a folder with policy files.', {
      cause,
    });
  }
}
