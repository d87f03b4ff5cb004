import type { Place } from '../platform/secrets/seal.ts';
import { clientPlace } from '../tenancy/subjects/client-seal.ts';

/** The event that a note is about, and who wrote it. */
interface NoteAbout {
  readonly subject: string | null | undefined;
  readonly epoch: number;
  readonly offset: number;
  readonly author: string;
}

/** The place of a note on a label or a reported outcome, in the record and in the row that is made of it. */
export function notePlace(kind: 'label' | 'report', workspaceId: string, about: NoteAbout): Place {
  const { subject, epoch, offset, author } = about;
  return clientPlace(kind, { workspaceId, subject }, `${epoch}:${offset}:${author}`);
}
