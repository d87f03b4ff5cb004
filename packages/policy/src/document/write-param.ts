import { isMap, isScalar, type Node, type Pair, parseDocument, type Scalar, type YAMLMap } from 'yaml';
import { isArtifact } from './artifact-file.ts';
import type { PolicyFile } from '../policy.ts';

/** Where a value can be written: these characters of the file are replaced. */
interface Place {
  readonly file: PolicyFile;
  readonly from: number;
  readonly to: number;
  /** The text around the value. */
  readonly before?: string;
  readonly after?: string;
}

/**
 * The file in which a parameter gets another value. Everything else in it stays as it is, comments and layout included.
 *
 * The value that the bank's own files set is replaced; without one, the default of their declaration. A parameter of a
 * pack is set in a new line of the bank's own `params:`, because packs stay unchanged.
 *
 * @param value as it is written in YAML, such as `2.50`
 * @returns `undefined` if no file declares the parameter, or none of the bank's own can be written to
 */
export function writeParam(files: readonly PolicyFile[], name: string, value: string): PolicyFile | undefined {
  const read = files.filter((file) => !isArtifact(file)).map((file) => readParamsOf(file));
  const own = read.filter(({ isPack }) => !isPack);
  const place =
    firstOf(own, (one) => setPlace(one, name)) ??
    firstOf(own, (one) => declaredPlace(one, name)) ??
    (read.some((one) => declaredPlace(one, name) !== undefined) ? newPlace(own, name) : undefined);
  if (place === undefined) return undefined;
  const { file, from, to, before = '', after = '' } = place;
  const text = `${file.text.slice(0, from)}${before}${value}${after}${file.text.slice(to)}`;
  return { path: file.path, text };
}

interface ParamsOfFile {
  readonly file: PolicyFile;
  readonly isPack: boolean;
  /** The key `params` with its mapping. */
  readonly section: { readonly key: Scalar; readonly map: YAMLMap } | undefined;
}

function readParamsOf(file: PolicyFile): ParamsOfFile {
  const options = { prettyErrors: false, uniqueKeys: false, version: '1.2', schema: 'core' } as const;
  const { contents } = parseDocument(file.text, options);
  if (!isMap(contents)) return { file, isPack: false, section: undefined };
  const pair = pairOf(contents, 'params');
  const section = pair !== undefined && isMap(pair.value) ? { key: pair.key, map: pair.value } : undefined;
  return { file, isPack: pairOf(contents, 'pack') !== undefined, section };
}

function pairOf(map: YAMLMap, name: string): Pair<Scalar> | undefined {
  return map.items.find((pair): pair is Pair<Scalar> => isScalar(pair.key) && pair.key.value === name);
}

function firstOf(of: readonly ParamsOfFile[], placeIn: (one: ParamsOfFile) => Place | undefined): Place | undefined {
  for (const one of of) {
    const place = placeIn(one);
    if (place !== undefined) return place;
  }
  return undefined;
}

function setPlace({ file, section }: ParamsOfFile, name: string): Place | undefined {
  const pair = section && pairOf(section.map, name);
  return isScalar(pair?.value) ? placeOf(file, pair.value) : undefined;
}

function declaredPlace({ file, section }: ParamsOfFile, name: string): Place | undefined {
  const declared = section && pairOf(section.map, name)?.value;
  const initial = isMap(declared) ? pairOf(declared, 'default')?.value : undefined;
  return isScalar(initial) ? placeOf(file, initial) : undefined;
}

function placeOf(file: PolicyFile, { range }: Node): Place | undefined {
  return range ? { file, from: range[0], to: range[1] } : undefined;
}

/** A new line of the first own `params:`, or a new section at the end of the first own file. */
function newPlace(own: readonly ParamsOfFile[], name: string): Place | undefined {
  const within = firstOf(own, (one) => linePlace(one, name));
  if (within !== undefined || own[0] === undefined) return within;
  const { file } = own[0];
  const end = file.text.length;
  const before = `${file.text === '' || file.text.endsWith('\n') ? '' : '\n'}params:\n  ${name}: `;
  return { file, from: end, to: end, before, after: '\n' };
}

function linePlace({ file, section }: ParamsOfFile, name: string): Place | undefined {
  const [key, start] = [section?.key.range, section?.map.range?.[0]];
  if (section === undefined || !key || start === undefined) return undefined;
  if (section.map.flow === true) {
    const after = section.map.items.length === 0 ? ' ' : ',';
    return { file, from: start + 1, to: start + 1, before: ` ${name}: `, after };
  }
  const lineEnd = file.text.indexOf('\n', key[1]);
  // The mapping begins at its first key.
  const indent = file.text.slice(file.text.lastIndexOf('\n', start - 1) + 1, start);
  return { file, from: lineEnd, to: lineEnd, before: `\n${indent}${name}: ` };
}
