import { useEffect, useRef } from 'react';

export type Keys = Readonly<Record<string, () => void>>;

/** Longest pause between the two keys of a sequence. */
const togetherMs = 900;

/**
 * Calls the handler of a key (`j`, `?`, `Enter`) or of a sequence (`g o`). Ignored: keys in a field, editor or dialog,
 * keys with Ctrl, Alt or Meta, and Enter on a link or button.
 */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    let before: { readonly key: string; readonly atMs: number } | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || isElsewhere(event)) return;
      const joined =
        before !== undefined && event.timeStamp - before.atMs < togetherMs ? `${before.key} ${event.key}` : '';
      const act = current.current[joined] ?? current.current[event.key];
      before = { key: event.key, atMs: event.timeStamp };
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** A checkbox accepts no text, so list keys still work after a click on one. */
const fields = 'input:not([type="checkbox"]), textarea, select, [role="menu"], .editor';
const pressed = 'a, button, summary';

function isElsewhere({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (document.querySelector('dialog[open]') !== null) return true;
  if (key === 'Enter' && target.closest(pressed) !== null) return true;
  return target.isContentEditable || target.closest(fields) !== null;
}
