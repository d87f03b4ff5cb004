import { useEffect, useState } from 'react';
import type { PolicyFile } from '../../api/operations.generated.ts';

/** What somebody writes before anything decides by it. */
export interface Draft {
  readonly files: readonly PolicyFile[];
  readonly isChanged: boolean;
  /** The first file that was changed. */
  readonly changed: string | undefined;
  /** The version that it was begun from. */
  readonly basedOn: number;
  /** Grows when the text changes otherwise than by typing: an editor that is open has to take it anew. */
  readonly revision: number;
  readonly change: (path: string, text: string) => void;
  /** The same by something else than the editor. */
  readonly put: (path: string, text: string) => void;
  readonly discard: () => void;
}

interface Kept {
  readonly basedOn: number;
  readonly files: readonly PolicyFile[];
}

/**
 * The draft of a workspace's policy. It outlives other pages, a reload of this one, and a version that somebody else lets
 * decide meanwhile; it is gone with the tab, once it is discarded, and once a version decides that says the same.
 */
export function useDraft(workspace: string, active: Kept): Draft {
  const name = `ringfence.draft.${workspace}`;
  const [kept, setKept] = useState(() => readDraft(name));
  const [revision, setRevision] = useState(0);
  const isChanged = kept !== undefined && !isSame(kept.files, active.files);
  const { files, basedOn } = isChanged ? kept : active;
  const keep = (draft: Kept | undefined): void => {
    setKept(draft);
    writeDraft(name, draft);
  };
  const change = (path: string, text: string): void =>
    keep({ basedOn, files: files.map((file) => (file.path === path ? { path, text } : file)) });
  // What decides by now is no draft any more: kept on, it would come back with the next version.
  useEffect(() => {
    if (kept !== undefined && !isChanged) keep(undefined);
  }, [kept, isChanged]);
  const anew = (act: () => void): void => {
    act();
    setRevision((before) => before + 1);
  };
  return {
    files,
    isChanged,
    changed: files.find(({ text }, at) => text !== active.files[at]?.text)?.path,
    basedOn,
    revision,
    change,
    put: (path, text) => anew(() => change(path, text)),
    discard: () => anew(() => keep(undefined)),
  };
}

function isSame(a: readonly PolicyFile[], b: readonly PolicyFile[]): boolean {
  return a.length === b.length && a.every(({ path, text }, at) => path === b[at]?.path && text === b[at]?.text);
}

function readDraft(name: string): Kept | undefined {
  const text = sessionStorage.getItem(name);
  return text === null ? undefined : (JSON.parse(text) as Kept);
}

function writeDraft(name: string, draft: Kept | undefined): void {
  if (draft === undefined) sessionStorage.removeItem(name);
  else sessionStorage.setItem(name, JSON.stringify(draft));
}
