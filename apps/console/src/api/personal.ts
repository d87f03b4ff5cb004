import { useSyncExternalStore } from 'react';

let shown = false;
const listeners = new Set<() => void>();

/** Shows or masks what is personal, until the page is left. That it was shown is written to the audit log. */
export function showPersonal(show: boolean): void {
  shown = show;
  for (const listener of listeners) listener();
}

export function useIsPersonalShown(): boolean {
  return useSyncExternalStore(listen, () => shown);
}

/** To be spread into queries whose answers hold personal data. */
export function usePersonal(): { readonly show?: true } {
  return useIsPersonalShown() ? { show: true } : {};
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
