import { isMap, parseDocument } from 'yaml';
import type { PolicyFile } from '../policy.ts';
import type { Check } from './check.ts';
import { Item } from './item.ts';
import { type Mistakes, SourceFile } from './mistakes.ts';
import { yamlMistakes } from './yaml-mistakes.ts';

/** Largest policy file: ten times the starter policy's. */
const fileLengthMax = 512 * 1024;

/** The sections of a policy. Each may be in any file, and in several. */
const sectionNames = [
  'pack',
  'use',
  'params',
  'features',
  'lists',
  'models',
  'actions',
  'groups',
  'rules',
  'overrides',
  'tests',
] as const;
export type SectionName = (typeof sectionNames)[number];
export type Sections = Partial<Record<SectionName, Item>>;

/**
 * Reads one file of a policy folder. An empty file has no sections. `undefined` if it can't be read, so that its
 * sections are unknown.
 */
export function readFile(file: PolicyFile, check: Check): Sections | undefined {
  const { mistakes } = check;
  const source = new SourceFile(file.path, file.text);
  const start = { file: source, offset: 0 };
  if (file.text.length > fileLengthMax) {
    mistakes.add(start, {
      message: `the file has ${file.text.length} characters`,
      suggestion: `at most ${fileLengthMax}; split it`,
    });
    return undefined;
  }
  if (refuseCharacters(source, mistakes)) return undefined;
  // The library compares every key with every other; `Item` finds duplicates in linear time.
  const document = parseDocument(file.text, {
    prettyErrors: false,
    uniqueKeys: false,
    version: '1.2',
    schema: 'core',
  });
  const found = yamlMistakes(source, document);
  for (const mistake of found) mistakes.add({ file: source, offset: mistake.offset }, mistake);
  if (found.length > 0) return undefined;
  if (document.contents === null) return {};
  const root = new Item(document.contents, start, check);
  if (!isMap(document.contents)) {
    root.fail('a policy file is a mapping', `sections: ${sectionNames.join(', ')}`);
    return undefined;
  }
  return root.fields('a policy', sectionNames) ?? {};
}

/**
 * The replacement character, which appears when another encoding is read as UTF-8; control characters, which no
 * database stores and no person sees; and line ends that YAML does not recognise.
 */
function refuseCharacters(source: SourceFile, mistakes: Mistakes): boolean {
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  const match = /\ufffd|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)|[\ud800-\udfff]/u.exec(source.text);
  if (match === null) return false;
  const [sign] = match;
  const code = `U+${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const place = { file: source, offset: match.index };
  if (sign === '\ufffd')
    mistakes.add(place, { message: 'the file is not valid UTF-8 here', suggestion: 'save it as UTF-8' });
  else if (sign === '\r')
    mistakes.add(place, {
      message: 'the line ends with a lone carriage return',
      suggestion: 'save it with line ends LF or CR LF',
    });
  else mistakes.add(place, { message: `there is a control character (${code}) here`, suggestion: 'remove it' });
  return true;
}
