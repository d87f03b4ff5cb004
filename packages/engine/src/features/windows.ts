import type { FeatureEntity } from './feature-entity.ts';
import type { Window } from './moving-window.ts';

/*
 * The windows that move: of features that are summed up in the entity's block, of all others objects beside it. Neither is
 * part of the state: they begin when a feature is asked for that many rows count for, and again after a rest.
 */

/** The feature's window that is an object, begun where it has none yet, and moved to this window. */
export function cursorAt<Kind extends { move(entity: FeatureEntity, window: Window): void }>(
  entity: FeatureEntity,
  { index, window }: { readonly index: number; readonly window: Window },
  begin: () => Kind,
): Kind {
  const cursors = (entity.cursors ??= entity.layout.features.map(() => undefined)) as (Kind | undefined)[];
  const cursor = (cursors[index] ??= begin());
  cursor.move(entity, window);
  return cursor;
}

/** A row was put in at this index, and is filled. */
export function rowInserted(entity: FeatureEntity, row: number): void {
  // What comes behind all others is in no window yet.
  if (row === entity.end - 1) return;
  if (entity.cursors !== undefined) for (const cursor of entity.cursors) cursor?.inserted(entity, row);
  if (!entity.hasWindows) return;
  for (const feature of entity.layout.features) entity.windowOf(feature)?.inserted(entity, row);
}

/** Rows before `head` are dropped, and still to be read. */
export function leaveRows(entity: FeatureEntity, head: number): void {
  entity.cursors?.forEach((cursor, index, cursors) => {
    if (cursor?.leaveUntil(entity, head) === false) cursors[index] = undefined;
  });
  if (!entity.hasWindows) return;
  for (const feature of entity.layout.features) {
    const window = entity.windowOf(feature);
    if (window?.leaveUntil(entity, head) === false) window.end();
  }
}

/** All begin again: rows have gone that they may hold. */
export function endWindows(entity: FeatureEntity): void {
  entity.cursors = undefined;
  entity.endWindows();
}
