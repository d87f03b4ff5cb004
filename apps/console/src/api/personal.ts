import { useSyncExternalStore } from 'react';

let shown = false;
const listeners = new Set<() => void>();

/** Shows or masks personal data until the page is left. Showing it is recorded in the audit log. */
export function showPersonal(show: boolean): void {
  shown = show;
  for (const listener of listeners) listener();
}

export function useIsPersonalShown(): boolean {
  return useSyncExternalStore(listen, () => shown);
}

/** Spread into queries whose answers contain personal data. */
export function usePersonal(): { readonly show?: true } {
  return useIsPersonalShown() ? { show: true } : {};
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
