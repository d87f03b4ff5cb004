/**
 * A change of a live list, in the form of its log record. An item that names a client is also encrypted under that
 * client's key: destroying the key makes the item unreadable, while the rest of the record stays readable.
 */
import type { ListChange } from '@ringfence/engine';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import type { SubjectKey } from '../../tenancy/subjects/subject-keys.ts';

/** An item's text; encrypted under the client's key if it names a client. */
export type StoredText = string | { readonly subject: string; readonly sealed: string };

export interface StoredListChange {
  readonly list: string;
  readonly put: readonly { readonly item: StoredText; readonly untilMs?: number }[];
  readonly remove: readonly StoredText[];
}

/** An item with the client that it names, if any. */
export interface NamedItem {
  readonly text: string;
  readonly names: SubjectKey | undefined;
}

export function storedText(place: Place, { text, names }: NamedItem): StoredText {
  if (names === undefined) return text;
  const sealed = seal(names.key, Buffer.from(text), place).toString('base64');
  return { subject: names.subject, sealed };
}

/** @param item the blind index of its row; none for its text inside a record */
export function itemPlace(workspaceId: string, list: string, item?: Uint8Array): Place {
  return {
    of: `list-item:${workspaceId}`,
    row: `${list}:${item === undefined ? '' : Buffer.from(item).toString('hex')}`,
  };
}

/** The clients that a change names. */
export function subjectsOf({ put, remove }: StoredListChange): readonly string[] {
  const texts = [...put.map(({ item }) => item), ...remove];
  return texts.flatMap((text) => (typeof text === 'string' ? [] : text.subject));
}

/** The decrypted change, without items of erased clients. @throws SealError if the bytes were changed */
export function openListChange(
  workspaceId: string,
  stored: StoredListChange,
  keys: ReadonlyMap<string, Buffer>,
): ListChange {
  const textOf = (text: StoredText): string | undefined => {
    if (typeof text === 'string') return text;
    const key = keys.get(text.subject);
    return key && open(key, Buffer.from(text.sealed, 'base64'), itemPlace(workspaceId, stored.list)).toString();
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
