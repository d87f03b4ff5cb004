import type { Entry, Item } from './item.ts';

/**
 * Entries of a section, from all files. An entry that another file repeats word for word, as packs that count the same
 * thing do, appears once.
 */
export function declaredEntries(sections: readonly Item[], what: string): readonly Entry[] {
  const known = new Map<string, Entry>();
  return sections
    .flatMap((section) => section.entries(what) ?? [])
    .filter((entry) => {
      const earlier = known.get(entry.key);
      known.set(entry.key, earlier ?? entry);
      return (
        earlier === undefined ||
        earlier.keyItem.file === entry.keyItem.file ||
        !earlier.value.isMapping ||
        !earlier.value.equals(entry.value)
      );
    });
}
