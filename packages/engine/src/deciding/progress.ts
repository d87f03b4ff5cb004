/** How far a record was stepped. */
export interface Progress {
  /** Whether the whole record was applied. Its events may still be pending. */
  readonly isDone: boolean;
  /** Entities to supply before the same record is stepped again. Empty if that can happen at once. */
  readonly keys: readonly string[];
}

export const done: Progress = { isDone: true, keys: [] };

/** More waiting operations are due than one call may decide. */
export const paused: Progress = { isDone: false, keys: [] };

export function needs(keys: readonly string[]): Progress {
  return { isDone: false, keys };
}
