import { Problem } from '@ringfence/contract';
import { type EntityKind, entityKinds } from './event-index/entities.ts';

/** Everything that events can be found by. */
export const refKinds = ['client', 'session', ...entityKinds] as const;
export type RefKind = (typeof refKinds)[number];

/**
 * Identifies a client by its random id, anything else by its keyed hash: contains no personal data and may be part of
 * URLs.
 */
export type EntityRef =
  | { readonly kind: 'client'; readonly subject: string }
  | { readonly kind: 'session' | EntityKind; readonly index: Buffer };

export function printRef(ref: EntityRef): string {
  return ref.kind === 'client' ? ref.subject : ref.index.toString('base64url');
}

/** @throws Problem `thing.unknown` for an invalid reference */
export function parseRef(kind: RefKind, text: string): EntityRef {
  if (kind === 'client') {
    if (/^[a-z2-7]{16}$/.test(text)) return { kind, subject: text };
  } else {
    const index = Buffer.from(text, 'base64url');
    if (index.length === (kind === 'session' ? 32 : 16) && index.toString('base64url') === text) return { kind, index };
  }
  throw new Problem('thing.unknown', `"${text}" is not a valid ${kind} reference.`);
}

const about = new RegExp(`^(${refKinds.join('|')}):([\\w-]{1,64})$`);

/** Parses `device:x7…`: kind and reference in one text. @throws Problem `thing.unknown` */
export function parseAbout(text: string): EntityRef {
  const parts = about.exec(text);
  if (parts === null)
    throw new Problem('thing.unknown', `"${text}" is not a kind and a reference, like client:abcdefghabcdefgh.`);
  return parseRef(parts[1] as RefKind, parts[2]!);
}
