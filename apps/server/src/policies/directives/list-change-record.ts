/**
 * A change of a live list as its record of the log holds it. An item that names a client is sealed once more, under that
 * client's own key: with the key it is gone from the record, and what else the record says stays.
 */
import type { ListChange } from '@ringfence/engine';
import { open, seal } from '../../platform/secrets/seal.ts';
import type { SubjectKey } from '../../tenancy/subjects/subject-keys.ts';

/** An item's text, or that of an item which names a client, sealed under its key. */
export type StoredText = string | { readonly subject: string; readonly sealed: string };

export interface StoredListChange {
  readonly list: string;
  readonly put: readonly { readonly item: StoredText; readonly untilMs?: number }[];
  readonly remove: readonly StoredText[];
}

/** An item with the client that it names, where it names one. */
export interface NamedItem {
  readonly text: string;
  readonly names: SubjectKey | undefined;
}

export function storedText(workspaceId: string, { text, names }: NamedItem): StoredText {
  if (names === undefined) return text;
  const sealed = seal(names.key, Buffer.from(text), itemContext(workspaceId)).toString('base64');
  return { subject: names.subject, sealed };
}

export function itemContext(workspaceId: string): string {
  return `list-item:${workspaceId}`;
}

/** The clients that a change names. */
export function subjectsOf({ put, remove }: StoredListChange): readonly string[] {
  const texts = [...put.map(({ item }) => item), ...remove];
  return texts.flatMap((text) => (typeof text === 'string' ? [] : text.subject));
}

/** The change without what names clients whose key is gone. @throws SealError for bytes that were changed */
export function openListChange(
  workspaceId: string,
  stored: StoredListChange,
  keys: ReadonlyMap<string, Buffer>,
): ListChange {
  const textOf = (text: StoredText): string | undefined => {
    if (typeof text === 'string') return text;
    const key = keys.get(text.subject);
    return key && open(key, Buffer.from(text.sealed, 'base64'), itemContext(workspaceId)).toString();
  };
  return {
    list: stored.list,
    put: stored.put.flatMap(({ item, ...until }) => {
      const text = textOf(item);
      if (text === undefined) return [];
      return [{ item: text, ...until, ...(typeof item === 'string' ? {} : { subject: item.subject }) }];
    }),
    remove: stored.remove.flatMap((item) => textOf(item) ?? []),
  };
}
