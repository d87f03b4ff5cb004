import { LRUCache } from 'lru-cache';
import type { SubjectKey } from './subject-keys.ts';

/** The most clients whose keys are cached: about 400 bytes each, 80 MB in total. */
const clientsMax = 200_000;
/** The same by subject id, for decrypting stored records. */
const subjectsMax = 200_000;

/** Per workspace. Entries of an earlier era are invalid; they are not searched for and removed. */
interface Room {
  era: number;
  generation: number;
}

interface Entry<Found> {
  readonly era: number;
  readonly found: Found;
}

/** A bounded LRU cache of client keys. */
export class SubjectCache {
  readonly #rooms = new Map<string, Room>();
  readonly #clients = new LRUCache<string, Entry<SubjectKey>>({ max: clientsMax });
  readonly #subjects = new LRUCache<string, Entry<Buffer>>({ max: subjectsMax });

  /** Incremented when the cache is cleared: keys read from the database in an earlier era must not be cached. */
  era(workspaceId: string): number {
    return this.#room(workspaceId).era;
  }

  generation(workspaceId: string): number {
    return this.#room(workspaceId).generation;
  }

  byClient(workspaceId: string, client: string): SubjectKey | undefined {
    // Workspace ids have a fixed length, so the concatenation is unambiguous.
    return this.#present(workspaceId, this.#clients.get(workspaceId + client));
  }

  bySubject(workspaceId: string, subject: string): Buffer | undefined {
    return this.#present(workspaceId, this.#subjects.get(workspaceId + subject));
  }

  #present<Found>(workspaceId: string, entry: Entry<Found> | undefined): Found | undefined {
    return entry !== undefined && entry.era === this.era(workspaceId) ? entry.found : undefined;
  }

  keepClient(workspaceId: string, client: string, found: SubjectKey): void {
    this.#clients.set(workspaceId + client, { era: this.era(workspaceId), found });
  }

  keepSubject(workspaceId: string, subject: string, found: Buffer): void {
    this.#subjects.set(workspaceId + subject, { era: this.era(workspaceId), found });
  }

  /** Forgets all keys of a workspace; keys cached from now on are valid for `generation`. */
  forget(workspaceId: string, generation: number): void {
    const room = this.#room(workspaceId);
    room.era++;
    room.generation = generation;
  }

  /** Forgets all keys of all workspaces, so that they are read from the database again. */
  clear(): void {
    for (const room of this.#rooms.values()) room.era++;
  }

  #room(workspaceId: string): Room {
    let room = this.#rooms.get(workspaceId);
    if (room === undefined) this.#rooms.set(workspaceId, (room = { era: 0, generation: 0 }));
    return room;
  }
}
