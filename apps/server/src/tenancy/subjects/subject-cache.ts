import { LRUCache } from 'lru-cache';
import type { SubjectKey } from './subject-keys.ts';

/** Most clients whose keys are kept in memory: about 400 bytes each, 80 MB in all. */
const clientsMax = 200_000;
/** The same by subject id: what opens stored records. */
const subjectsMax = 200_000;

/** Of one workspace: entries of an earlier era are forgotten, without being looked for. */
interface Room {
  era: number;
  generation: number;
}

interface Entry<Found> {
  readonly era: number;
  readonly found: Found;
}

/** Keys of clients in memory, bounded; the ones that were not used longest leave first. */
export class SubjectCache {
  readonly #rooms = new Map<string, Room>();
  readonly #clients = new LRUCache<string, Entry<SubjectKey>>({ max: clientsMax });
  readonly #subjects = new LRUCache<string, Entry<Buffer>>({ max: subjectsMax });

  /** Grows when what was cached is forgotten: what was read from the database in an earlier era may not be kept. */
  era(workspaceId: string): number {
    return this.#room(workspaceId).era;
  }

  generation(workspaceId: string): number {
    return this.#room(workspaceId).generation;
  }

  byClient(workspaceId: string, client: string): SubjectKey | undefined {
    // A workspace's id has a fixed length, so the two parts cannot run into each other.
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

  /** Forgets all keys of a workspace; `generation` is the one from which on new ones are good. */
  forget(workspaceId: string, generation: number): void {
    const room = this.#room(workspaceId);
    room.era++;
    room.generation = generation;
  }

  /** Forgets all keys of all workspaces: what is in the database now is read again. */
  clear(): void {
    for (const room of this.#rooms.values()) room.era++;
  }

  #room(workspaceId: string): Room {
    let room = this.#rooms.get(workspaceId);
    if (room === undefined) this.#rooms.set(workspaceId, (room = { era: 0, generation: 0 }));
    return room;
  }
}
