import { useSyncExternalStore } from 'react';

/** By what it is about. As long as the page stands: what is written of clients is stored nowhere before it is sent. */
const written = new Map<string, unknown>();
const listeners = new Set<() => void>();

/**
 * What somebody has begun to write about something. It is there again when they come back from another alert, client or
 * page; set to nothing once it is sent, wherever its writer is by then. The browser asks before it loses any of it.
 *
 * @param about names what is written, and of what: `comment alr_abc`
 */
export function useWritten(about: string): readonly [string, (text: string) => void] {
  return useWrittenIn(about, '');
}

/** The same of several fields: `none` while nothing was changed in them, the very same each time. */
export function useWrittenIn<Fields>(about: string, none: Fields): readonly [Fields, (next: Fields) => void] {
  const fields = useSyncExternalStore(subscribe, () => (written.has(about) ? (written.get(about) as Fields) : none));
  return [fields, (next) => write(about, next === none ? undefined : next)];
}

/** Leaves nothing to who comes next. */
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
