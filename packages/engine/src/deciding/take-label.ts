import { clientOf } from '@ringfence/contract';
import type { Arrival } from '../facts/event-context.ts';
import type { FeatureEntity } from '../features/store/feature-entity.ts';
import { FraudTimes } from '../features/store/fraud-times.ts';
import type { LayoutFeature } from '../features/store/layout.ts';
import { migrate } from '../features/store/migrate.ts';
import { counts } from '../features/store/rows.ts';
import type { FoundEntity } from '../plan/event-frame.ts';
import type { KindPlan } from '../plan/kind-plan.ts';
import type { EventRecord, LabelRecord } from '../record.ts';
import type { EngineState } from '../state.ts';
import { prepare } from './conclude.ts';
import { arrivalOf, look } from './look.ts';

/**
 * What an event turned out to be becomes part of the features of fraud that the event counted for: entities are found
 * by what the event itself says, and tell by their rows. An event that a feature never counted is not in it: it was
 * decided before the feature began, or its entity is forgotten by now.
 */
export function takeLabel(state: EngineState, { event: record, label }: LabelRecord): void {
  if (record === undefined || !concernsLabels(state, record)) return;
  const arrival = arrivalOf(record, undefined);
  const subject = clientOf(record.event) === undefined ? undefined : record.subject;
  const client = subject === undefined ? undefined : (state.store.client(subject) ?? undefined);
  prepare(state, look(state, arrival, { nowMs: record.logTimeMs, client }));
  for (const found of state.plan.frames.next.own.found) {
    const counted = countedIn(state, found, arrival);
    if (counted.length === 0) continue;
    const entity = found.look.place(found.block);
    for (const index of counted) {
      state.store.changeFeature(entity);
      if (entity.layout !== found.group.layout) migrate(entity, found.group.layout);
      const times = timesOf(entity, index);
      if (label === 'fraud') times.add(arrival.atMs, record.offset);
      else times.remove(arrival.atMs, record.offset);
    }
  }
}

/** Whether a feature of the policy is about what events turned out to be. */
export function readsLabels({ plan }: EngineState): boolean {
  return Object.values(plan.kinds).some(hasLabels);
}

/** Whether a feature of fraud is updated by events of this kind. */
export function concernsLabels({ plan }: EngineState, { event }: EventRecord): boolean {
  return hasLabels(plan.kinds[event.kind]);
}

function hasLabels({ planned }: KindPlan): boolean {
  return planned.some((group) => group?.hasLabels === true);
}

/** Places of the features of fraud, in the layout, that counted the event. */
function countedIn(
  state: EngineState,
  { group, key, known, look: entity, block }: FoundEntity,
  { atMs, record }: Arrival,
): readonly number[] {
  if (!group.hasLabels || key.isMissing || known !== 'present') return [];
  entity.place(block);
  const counted = group.updates.filter(({ feature, kept, where }) => {
    if (feature.keeps !== 'fraudShare' || (where !== undefined && where(state.facts) !== true)) return false;
    return hasRow(entity, kept, atMs) ?? record.logTimeMs >= state.features.activatedAtMs(feature);
  });
  return [...new Set(counted.map(({ index }) => index))];
}

/** Whether an event of this time is in the feature; `undefined` where its row may be one of those that became buckets. */
function hasRow(entity: FeatureEntity, { instance }: LayoutFeature, atMs: number): boolean | undefined {
  const index = entity.layout.features.findIndex((feature) => feature.instance === instance);
  const feature = entity.layout.features[index];
  if (feature === undefined) return false;
  for (let row = entity.end - 1; row >= entity.head && entity.atMs(row) >= atMs; row--) {
    if (entity.atMs(row) === atMs && counts(feature, entity, row)) return true;
  }
  return entity.tails.some((tail) => tail.feature === index && tail.lastMs >= atMs) ? undefined : false;
}

function timesOf(entity: FeatureEntity, index: number): FraudTimes {
  const known = entity.fraudTimes[index];
  if (known !== undefined) return known;
  const made = new FraudTimes();
  entity.fraudTimes = entity.layout.features.map((_, place) => (place === index ? made : entity.fraudTimes[place]));
  return made;
}
