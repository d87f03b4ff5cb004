import { isMap, parseDocument } from 'yaml';
import type { PolicyFile } from '../policy.ts';
import { Item } from './item.ts';
import { type Mistakes, SourceFile } from './mistakes.ts';

/** Largest policy file: ten times the starter policy's. */
const fileLengthMax = 512 * 1024;

/** The sections of a policy. Each may stand in any file, and in several. */
export const sectionNames = [
  'pack',
  'use',
  'params',
  'features',
  'lists',
  'actions',
  'groups',
  'rules',
  'overrides',
  'tests',
] as const;
export type SectionName = (typeof sectionNames)[number];
export type Sections = Partial<Record<SectionName, Item>>;

/** Reads one file of a policy folder. An empty file has no sections. */
export function readFile(file: PolicyFile, mistakes: Mistakes): Sections {
  const source = new SourceFile(file.path, file.text);
  const start = { file: source, offset: 0 };
  if (file.text.length > fileLengthMax) {
    mistakes.add(start, {
      message: `the file has ${file.text.length} characters`,
      suggestion: `at most ${fileLengthMax}; split it`,
    });
    return {};
  }
  // The library compares every key with every other; `Item` finds repeated ones in linear time.
  const document = parseDocument(file.text, {
    prettyErrors: false,
    uniqueKeys: false,
    version: '1.2',
    schema: 'core',
  });
  for (const error of [...document.errors, ...document.warnings]) {
    mistakes.add({ file: source, offset: error.pos[0] }, { message: `not YAML: ${reasonOf(error.message)}` });
  }
  if (document.errors.length > 0 || document.contents === null) return {};
  const root = new Item(document.contents, start, mistakes);
  if (!isMap(document.contents)) {
    root.fail('a policy file is a mapping', `sections: ${sectionNames.join(', ')}`);
    return {};
  }
  return root.fields('a policy', sectionNames) ?? {};
}

function reasonOf(message: string): string {
  if (message.startsWith('Maximum call stack')) return 'it nests too deep';
  const reason = message.replace(/\s+/g, ' ');
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}
