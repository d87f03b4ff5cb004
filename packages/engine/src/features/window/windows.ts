import type { FeatureEntity } from '../store/feature-entity.ts';
import type { Window } from './moving-window.ts';

/*
 * The windows that move: of features that are summed up in the entity's block, of all others objects beside it. Neither is
 * part of the state: they begin when a feature is asked for that many rows count for, and again after a rest.
 */

/** The feature's window that is an object, begun where it has none yet, and moved to this window. */
export function objectWindowAt<Kind extends { move(entity: FeatureEntity, window: Window): void }>(
  entity: FeatureEntity,
  { index, window }: { readonly index: number; readonly window: Window },
  begin: () => Kind,
): Kind {
  const objectWindows = (entity.objectWindows ??= entity.layout.features.map(() => undefined)) as (Kind | undefined)[];
  const moving = (objectWindows[index] ??= begin());
  moving.move(entity, window);
  return moving;
}

/** A row was put in at this index, and is filled. */
export function rowInserted(entity: FeatureEntity, row: number): void {
  // What comes behind all others is in no window yet.
  if (row === entity.end - 1) return;
  if (entity.objectWindows !== undefined) for (const window of entity.objectWindows) window?.inserted(entity, row);
  if (!entity.hasWindows) return;
  for (const feature of entity.layout.features) entity.windowOf(feature)?.inserted(entity, row);
}

/** Rows before `head` are dropped, and still to be read. */
export function leaveRows(entity: FeatureEntity, head: number): void {
  entity.objectWindows?.forEach((window, index, all) => {
    if (window?.leaveUntil(entity, head) === false) all[index] = undefined;
  });
  if (!entity.hasWindows) return;
  for (const feature of entity.layout.features) {
    const window = entity.windowOf(feature);
    if (window?.leaveUntil(entity, head) === false) window.end();
  }
}
