import { useSyncExternalStore } from 'react';

/** The theme in effect: `light` or `dark`. */
export function useThemeName(): string {
  return useSyncExternalStore(watch, () => document.documentElement.dataset['theme'] ?? 'light');
}

function watch(changed: () => void): () => void {
  const watcher = new MutationObserver(changed);
  watcher.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => watcher.disconnect();
}
