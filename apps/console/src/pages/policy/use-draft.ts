import { useEffect, useMemo, useState } from 'react';
import type { PolicyFile } from '../../api/operations.generated.ts';
import { type DraftFiles, followedDraft, withFiles } from './draft-files.ts';

/** An unpublished change of the policy. */
export interface Draft {
  readonly files: readonly PolicyFile[];
  readonly isChanged: boolean;
  /** The first changed file. */
  readonly changed: string | undefined;
  /** The version on which it is based. */
  readonly basedOn: number;
  /** Incremented when a file changes other than by typing: open editors have to reload it. */
  readonly revisionOf: (path: string) => number;
  readonly change: (path: string, text: string) => void;
  /** Changes files, and adds new ones, from outside the editor. */
  readonly putFiles: (written: readonly PolicyFile[]) => void;
  readonly discard: () => void;
}

/**
 * The policy draft of a workspace. It survives navigation and reloads, and is rebased on a version that another user
 * activates, unless both changed the same lines. It ends with the tab, when it is discarded, and when an active version
 * has the same content.
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
    // An activated draft is dropped; otherwise it would reappear with the next version.
    if (!isChanged) keep(undefined);
    else if (followed !== undefined) keep(followed);
    else return;
    takeAnew(changedPaths(kept.files, files));
  }, [kept, isChanged, followed]);
  return {
    files,
    isChanged,
    changed: changedPaths(active.files, files)[0],
    basedOn,
    revisionOf: (path) => revisions.get(path) ?? 0,
    change,
    putFiles: (written) => {
      keep({ basedOn, base, files: withFiles(files, written) });
      takeAnew(written.map(({ path }) => path));
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

/** The files of the second list that differ from the first or are missing there. */
function changedPaths(before: readonly PolicyFile[], after: readonly PolicyFile[]): readonly string[] {
  const texts = new Map(before.map(({ path, text }) => [path, text]));
  return after.flatMap(({ path, text }) => (texts.get(path) === text ? [] : [path]));
}

function readDraft(name: string): DraftFiles | undefined {
  const text = sessionStorage.getItem(name);
  // Drafts of older consoles do not name their base version.
  return text === null ? undefined : { base: [], ...(JSON.parse(text) as Omit<DraftFiles, 'base'>) };
}

function writeDraft(name: string, draft: DraftFiles | undefined): void {
  if (draft === undefined) sessionStorage.removeItem(name);
  else sessionStorage.setItem(name, JSON.stringify(draft));
}
