import { loadPolicy, type PolicyFile } from '@ringfence/policy';
import { useEffect, useState } from 'react';
import { mistakeText } from './condition-mistakes.ts';
import { withFiles } from './draft-files.ts';

/** Delay after the last change: a check compiles the whole policy. */
export const checkDelayMs = 250;

/**
 * The first error of the policy with this file, found after a short rest.
 *
 * @param written `undefined` while there is nothing to check
 */
export function useWrittenProblem(files: readonly PolicyFile[], written: PolicyFile | undefined): string | undefined {
  const [checked, setChecked] = useState<{ readonly text: string; readonly problem: string | undefined }>();
  const text = written?.text;
  useEffect(() => {
    if (written === undefined) return;
    const check = (): void => setChecked({ text: written.text, problem: mistakeOf(files, written) });
    const timer = setTimeout(check, checkDelayMs);
    return () => clearTimeout(timer);
  }, [files, written?.path, text]);
  return checked !== undefined && checked.text === text ? checked.problem : undefined;
}

/** The first error of the policy if one of its files has this text. */
export function mistakeOf(files: readonly PolicyFile[], written: PolicyFile): string | undefined {
  const loaded = loadPolicy(withFiles(files, [written]));
  const [first] = loaded.ok ? [] : loaded.errors;
  return first === undefined ? undefined : mistakeText(first);
}
