import { assert } from '@ringfence/contract';
import type { SubjectId } from '../../record.ts';

/*
 * The key of an entity outside of memory is one text: `c/` and the subject, `s/` and the session's name, or the number
 * of the feature group, `/` and the entity's key in it. A key can contain personal data (a payee, an e-mail address),
 * so stores must use a keyed hash of it.
 */

export type EntityName =
  | { readonly kind: 'client'; readonly subject: SubjectId }
  | { readonly kind: 'directory'; readonly session: string }
  | { readonly kind: 'feature'; readonly group: number; readonly value: string };

export function clientKey(subject: SubjectId): string {
  return `c/${subject}`;
}

export function directoryKey(session: string): string {
  return `s/${session}`;
}

export function featureKey(group: number, value: string): string {
  return `${group}/${value}`;
}

export function parseKey(key: string): EntityName {
  const slash = key.indexOf('/');
  const prefix = key.slice(0, slash);
  const rest = key.slice(slash + 1);
  if (prefix === 'c') return { kind: 'client', subject: rest };
  if (prefix === 's') return { kind: 'directory', session: rest };
  assert(/^[0-9]{1,9}$/.test(prefix), 'invalid key of an entity');
  return { kind: 'feature', group: Number(prefix), value: rest };
}
