import { useEffect, useMemo, useState } from 'react';
import type { PolicyFile } from '../../api/operations.generated.ts';
import { type DraftFiles, followedDraft } from './draft-files.ts';

/** What somebody writes before anything decides by it. */
export interface Draft {
  readonly files: readonly PolicyFile[];
  readonly isChanged: boolean;
  /** The first file that was changed. */
  readonly changed: string | undefined;
  /** The version that it was begun from. */
  readonly basedOn: number;
  /** Grows when the text of a file changes otherwise than by typing: an editor that is open has to take it anew. */
  readonly revisionOf: (path: string) => number;
  readonly change: (path: string, text: string) => void;
  /** The same by something else than the editor. */
  readonly put: (path: string, text: string) => void;
  readonly discard: () => void;
}

/**
 * The draft of a workspace's policy. It outlives other pages and a reload of this one, and follows a version that
 * somebody else lets decide meanwhile, unless both changed the same lines. It is gone with the tab, once it is discarded,
 * and once a version decides that says the same.
 */
export function useDraft(workspace: string, active: Omit<DraftFiles, 'base'>): Draft {
  const name = `ringfence.draft.${workspace}`;
  const [kept, setKept] = useState(() => readDraft(name));
  const [revisions, setRevisions] = useState<ReadonlyMap<string, number>>(new Map());
  const followed = useMemo(
    () => (kept === undefined || kept.basedOn === active.basedOn ? undefined : followedDraft(kept, active)),
    [kept, active.basedOn, active.files],
  );
  const draft = followed ?? kept;
  const isChanged = draft !== undefined && !isSame(draft.files, active.files);
  const { basedOn, base, files } = isChanged ? draft : { ...active, base: active.files };
  const keep = (wanted: DraftFiles | undefined): void => {
    setKept(wanted);
    writeDraft(name, wanted);
  };
  const takeAnew = (paths: readonly string[]): void =>
    setRevisions(
      (before) => new Map([...before, ...paths.map((path) => [path, (before.get(path) ?? 0) + 1] as const)]),
    );
  const change = (path: string, text: string): void =>
    keep({ basedOn, base, files: files.map((file) => (file.path === path ? { path, text } : file)) });
  useEffect(() => {
    if (kept === undefined) return;
    // What decides by now is no draft any more: kept on, it would come back with the next version.
    if (!isChanged) keep(undefined);
    else if (followed !== undefined) keep(followed);
    else return;
    takeAnew(changedPaths(kept.files, files));
  }, [kept, isChanged, followed]);
  return {
    files,
    isChanged,
    changed: files.find(({ text }, at) => text !== active.files[at]?.text)?.path,
    basedOn,
    revisionOf: (path) => revisions.get(path) ?? 0,
    change,
    put: (path, text) => {
      change(path, text);
      takeAnew([path]);
    },
    discard: () => {
      keep(undefined);
      takeAnew(changedPaths(active.files, files));
    },
  };
}

function isSame(a: readonly PolicyFile[], b: readonly PolicyFile[]): boolean {
  return a.length === b.length && a.every(({ path, text }, at) => path === b[at]?.path && text === b[at]?.text);
}

/** Of the second files, those that are not in the first as they are. */
function changedPaths(before: readonly PolicyFile[], after: readonly PolicyFile[]): readonly string[] {
  const texts = new Map(before.map(({ path, text }) => [path, text]));
  return after.flatMap(({ path, text }) => (texts.get(path) === text ? [] : [path]));
}

function readDraft(name: string): DraftFiles | undefined {
  const text = sessionStorage.getItem(name);
  // A draft of a console before this one does not say what it was begun from.
  return text === null ? undefined : { base: [], ...(JSON.parse(text) as Omit<DraftFiles, 'base'>) };
}

function writeDraft(name: string, draft: DraftFiles | undefined): void {
  if (draft === undefined) sessionStorage.removeItem(name);
  else sessionStorage.setItem(name, JSON.stringify(draft));
}
