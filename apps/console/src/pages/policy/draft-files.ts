import type { PolicyFile } from '@ringfence/policy';

/** Draft files, and those of the version on which they are based. */
export interface DraftFiles {
  readonly basedOn: number;
  readonly base: readonly PolicyFile[];
  readonly files: readonly PolicyFile[];
}

/**
 * Rebases the draft on the active version (three-way merge by lines). `undefined` if both changed the same lines, which
 * only a person can resolve.
 */
export function followedDraft(
  { base, files }: DraftFiles,
  active: { readonly basedOn: number; readonly files: readonly PolicyFile[] },
): DraftFiles | undefined {
  const [was, mine, theirs] = [textsOf(base), textsOf(files), textsOf(active.files)];
  const merged: PolicyFile[] = [];
  for (const path of new Set([...theirs.keys(), ...mine.keys()])) {
    const result = mergedText(was.get(path), mine.get(path), theirs.get(path));
    if (result === 'conflict') return undefined;
    if (result !== undefined) merged.push({ path, text: result.text });
  }
  return { basedOn: active.basedOn, base: active.files, files: merged };
}

/** The files with these written: in place of those with their paths, or as new ones, in the order of the paths. */
export function withFiles(files: readonly PolicyFile[], written: readonly PolicyFile[]): readonly PolicyFile[] {
  const all = textsOf([...files, ...written]);
  const fresh = [...all.keys()].slice(files.length).toSorted();
  const paths = files.map(({ path }) => path);
  for (const path of fresh) {
    const at = paths.findIndex((one) => one > path);
    paths.splice(at === -1 ? paths.length : at, 0, path);
  }
  return paths.map((path) => ({ path, text: all.get(path)! }));
}

function textsOf(files: readonly PolicyFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, text }) => [path, text]));
}

type Text = string | undefined;

/** Merges one file; `undefined`: the file is deleted. */
function mergedText(was: Text, mine: Text, theirs: Text): { readonly text: string } | 'conflict' | undefined {
  if (mine === was || mine === theirs) return theirs === undefined ? undefined : { text: theirs };
  if (theirs === was) return mine === undefined ? undefined : { text: mine };
  if (was === undefined || mine === undefined || theirs === undefined) return 'conflict';
  const text = mergedLines(was.split('\n'), mine.split('\n'), theirs.split('\n'));
  return text === undefined ? 'conflict' : { text: text.join('\n') };
}

/** Both changes, if at least one unchanged line separates them. */
function mergedLines(
  was: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
): readonly string[] | undefined {
  const changes = [changeOf(was, mine), changeOf(was, theirs)].toSorted((a, b) => a.from - b.from);
  const [first, second] = changes as [Change, Change];
  if (first.to >= second.from) return undefined;
  return [
    ...was.slice(0, first.from),
    ...first.lines,
    ...was.slice(first.to, second.from),
    ...second.lines,
    ...was.slice(second.to),
  ];
}

/** The lines `from` (included) to `to` (excluded) were replaced by `lines`. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** From the first to the last line that differs. */
function changeOf(was: readonly string[], is: readonly string[]): Change {
  const shorter = Math.min(was.length, is.length);
  let from = 0;
  while (from < shorter && was[from] === is[from]) from++;
  let same = 0;
  while (same < shorter - from && was[was.length - 1 - same] === is[is.length - 1 - same]) same++;
  return { from, to: was.length - same, lines: is.slice(from, is.length - same) };
}
