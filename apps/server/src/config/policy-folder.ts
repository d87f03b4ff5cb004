import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type PolicyFile, withPacks } from '@ringfence/policy';
import { OperatorError } from '../operations/operator-error.ts';
import { packText } from './policy-packs.ts';

/** Bounds of a policy folder: what a person can review, and a row of the database holds. */
const filesMax = 100;
const fileBytesMax = 1_048_576;

/**
 * All YAML files of a folder and the folders in it, with the packs that they use, in the order of their paths (which use `/` everywhere). Hidden
 * files, and links, are left out.
 *
 * @throws OperatorError when there is no such folder, nothing in it, or too much
 */
export function readPolicyFolder(folder: string): readonly PolicyFile[] {
  const files: PolicyFile[] = [];
  for (const path of yamlFiles(folder)) {
    if (files.length === filesMax) {
      throw new OperatorError(`${folder} holds more than ${filesMax} policy files.`, 'Is it the right folder?');
    }
    const text = readFileSync(path);
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

function yamlFiles(folder: string): readonly string[] {
  try {
    if (!lstatSync(folder).isDirectory()) throw new Error('it is not a folder');
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /^[^.].*\.ya?ml$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter(
        (path) =>
          !relative(folder, path)
            .split(sep)
            .some((part) => part.startsWith('.')),
      )
      .sort();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such folder' : message;
    throw new OperatorError(`${folder} cannot be read: ${reason}.`, 'Give the path of a folder with policy files.', {
      cause,
    });
  }
}
