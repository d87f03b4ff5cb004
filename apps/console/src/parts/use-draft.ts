import { useSyncExternalStore } from 'react';

/** Drafts by subject, in memory only: text about clients is stored nowhere before it is sent. */
const written = new Map<string, unknown>();
const listeners = new Set<() => void>();

/**
 * Unsent text about a subject. It survives navigation in the page; set it to nothing once sent, even after leaving. The
 * browser warns before it would be lost.
 *
 * @param about identifies the text and its subject: `comment alr_abc`
 */
export function useWritten(about: string): readonly [string, (text: string) => void] {
  return useWrittenIn(about, '');
}

/** A draft of several fields: `none`, always the same object, while unchanged. */
export function useWrittenIn<Fields>(about: string, none: Fields): readonly [Fields, (next: Fields) => void] {
  const fields = useSyncExternalStore(subscribe, () => (written.has(about) ? (written.get(about) as Fields) : none));
  return [fields, (next) => write(about, next === none ? undefined : next)];
}

/** Clears all drafts for the next user. */
export function forgetWritten(): void {
  for (const about of written.keys()) write(about, undefined);
}

function write(about: string, fields: unknown): void {
  if (fields === undefined) written.delete(about);
  else written.set(about, fields);
  if (written.size === 0) window.removeEventListener('beforeunload', hold);
  else window.addEventListener('beforeunload', hold);
  for (const listener of listeners) listener();
}

function hold(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
