import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type PolicyFile, withPacks } from '@ringfence/policy';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { packText } from '../policies/policy-packs.ts';

/** Bounds of a policy folder: what a person can review, and a row of the database holds. */
const filesMax = 100;
const fileBytesMax = 1_048_576;

/**
 * All YAML files of a folder and the folders in it, with the packs that they use, in the order of their paths (which use
 * `/` everywhere). Hidden files are left out. Bytes that are no UTF-8 become U+FFFD, which the check refuses at its place.
 *
 * @throws OperatorError when there is no such folder, nothing in it, or too much
 */
export function readPolicyFolder(folder: string): readonly PolicyFile[] {
  const files: PolicyFile[] = [];
  for (const path of yamlFiles(folder)) {
    if (files.length === filesMax) {
      throw new OperatorError(`${folder} holds more than ${filesMax} policy files.`, 'Is it the right folder?');
    }
    const text = reading(path, 'it is gone', () => readFileSync(path));
    if (text.length > fileBytesMax) {
      throw new OperatorError(`${path} is larger than ${fileBytesMax / 1_024} KiB.`, 'Split it into several files.');
    }
    files.push({ path: relative(folder, path).split(sep).join('/'), text: text.toString('utf8') });
  }
  if (files.length === 0) {
    throw new OperatorError(`${folder} holds no policy: expected files that end in .yaml.`, 'Is it the right folder?');
  }
  return withPacks(files, packText);
}

/** @throws OperatorError when the folder cannot be read, or something in it that looks like a policy file is none */
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

/** A folder may be called `acme.yaml`; empty, it was meant to be a file. */
function refuseFolder(path: string): false {
  if (readdirSync(path).length > 0) return false;
  throw new OperatorError(`${path} is a folder, and an empty one.`, 'Make it a file, or remove it.');
}

/**
 * Whether a link leads to a file of the folder itself, as in folders that Kubernetes mounts: that is read. One that leads
 * out of it would make the policy something else than what is reviewed.
 */
function leadsInto(folder: string, path: string): boolean {
  return reading(path, 'it is a link that leads nowhere', () => {
    const target = realpathSync(path);
    const isInside = relative(realpathSync(folder), target).split(sep)[0] !== '..';
    if (isInside && statSync(target).isFile()) return true;
    throw new Error('it is a link that leads to no file in the policy folder');
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
