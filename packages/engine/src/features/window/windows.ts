import type { FeatureEntity } from '../store/feature-entity.ts';
import type { Window } from './moving-window.ts';

/*
 * Moving windows: those of the summed kinds are in the entity's block, all others are objects outside it. They are
 * caches, not part of the state: a window begins when a feature that counts many rows is read, and again after a rest.
 */

/** The feature's object window, begun if necessary, and moved to this window. */
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

/** Must be called after a row was inserted at this index and filled. */
export function rowInserted(entity: FeatureEntity, row: number): void {
  // A row after all others is in no window so far.
  if (row === entity.end - 1) return;
  if (entity.objectWindows !== undefined) for (const window of entity.objectWindows) window?.inserted(entity, row);
  if (!entity.hasWindows) return;
  for (const feature of entity.layout.features) entity.windowOf(feature)?.inserted(entity, row);
}

/** Must be called before the rows before `head` are dropped. */
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
