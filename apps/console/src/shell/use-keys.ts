import { useEffect, useRef } from 'react';

export type Keys = Readonly<Record<string, () => void>>;

/** Two keys after each other belong together for so long. */
const togetherMs = 900;

/**
 * Calls what belongs to a key (`j`, `?`, `Enter`) or to two after each other (`g o`). Keys that go to a field, to an
 * editor or to a dialog, and those with Ctrl, Alt or Meta, are not ours; nor is Enter on a link or a button.
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

/** A box to tick takes no letters: after a click on one, the keys of a list go on. */
const fields = 'input:not([type="checkbox"]), textarea, select, [role="menu"], .editor';
const pressed = 'a, button, summary';

function isElsewhere({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (document.querySelector('dialog[open]') !== null) return true;
  if (key === 'Enter' && target.closest(pressed) !== null) return true;
  return target.isContentEditable || target.closest(fields) !== null;
}
