import type { EntityStore } from '../store/entities/entity-store.ts';
import type { DirectoryEntity } from './directory-entity.ts';

/** Looks up who uses a session's name, and remembers whether that was known. */
export class DirectoryLookup {
  readonly #store: EntityStore;
  /** Names that were asked for and of which nothing is known. */
  readonly unknown: string[] = [];

  constructor(store: EntityStore) {
    this.#store = store;
  }

  /** `undefined` when nobody uses it, or nothing is known. */
  find(session: string): DirectoryEntity | undefined {
    const found = this.#store.directory(session);
    if (found === undefined) this.unknown.push(session);
    return found ?? undefined;
  }

  begin(): this {
    if (this.unknown.length > 0) this.unknown.length = 0;
    return this;
  }
}
