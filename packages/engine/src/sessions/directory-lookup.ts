import type { EntityStore } from '../store/store.ts';
import type { DirectoryEntity } from './directory-entity.ts';

/** Looks up the client of a session's name, and records names that are unknown. */
export class DirectoryLookup {
  readonly #store: EntityStore;
  /** Names that were looked up and are unknown. */
  readonly unknown: string[] = [];

  constructor(store: EntityStore) {
    this.#store = store;
  }

  /** `undefined` if no client uses it, or it is unknown. */
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
