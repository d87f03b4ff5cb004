import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { isArtifact } from './artifact-file.ts';
import type { PolicyFile } from '../policy.ts';

/**
 * The file in which a model names this artifact, in place of another or as new lines. Everything else in it stays as it
 * is, comments and layout included.
 *
 * @returns `undefined` if no file declares the model
 */
export function writeModel(
  files: readonly PolicyFile[],
  name: string,
  { artifact, sha256 }: { readonly artifact: string; readonly sha256: string },
): PolicyFile | undefined {
  for (const file of files) {
    if (isArtifact(file) || !/^models:/m.test(file.text)) continue;
    const document = parseDocument(file.text, { prettyErrors: false, version: '1.2', schema: 'core' });
    const model = document.getIn(['models', name], true);
    if (!isMap(model)) continue;
    const withArtifact = written({ file, model }, 'artifact', artifact);
    return { path: file.path, text: writtenHash(withArtifact, name, sha256) };
  }
  return undefined;
}

interface ModelPlace {
  readonly file: PolicyFile;
  readonly model: YAMLMap;
}

/** Parsed again, because the places have moved. */
function writtenHash(text: string, name: string, sha256: string): string {
  const document = parseDocument(text, { prettyErrors: false, version: '1.2', schema: 'core' });
  const model = document.getIn(['models', name], true) as YAMLMap;
  return written({ file: { path: '', text }, model }, 'sha256', `"${sha256}"`);
}

/** The text with the value of a member, in place of another or as the first member. */
function written({ file: { text }, model }: ModelPlace, member: string, value: string): string {
  const pair = model.items.find(({ key }) => isScalar(key) && key.value === member);
  const present = isScalar(pair?.value) ? pair.value.range : undefined;
  if (present) return `${text.slice(0, present[0])}${value}${text.slice(present[1])}`;
  const [start] = model.range!;
  if (model.flow === true) return `${text.slice(0, start + 1)} ${member}: ${value},${text.slice(start + 1)}`;
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  return `${text.slice(0, start)}${member}: ${value}\n${indent}${text.slice(start)}`;
}
