import { clientOf } from '@ringfence/contract';
import type { Facts } from '@ringfence/policy';
import { deviceBehind, judged } from '../devices/judge-device.ts';
import type { Arrival } from '../facts/event-context.ts';
import type { FeatureEntity } from '../features/store/feature-entity.ts';
import { FraudTimes } from '../features/store/fraud-times.ts';
import type { LayoutFeature } from '../features/store/layout.ts';
import { migrate } from '../features/store/migrate.ts';
import { counts } from '../features/store/rows.ts';
import type { FoundEntity } from '../plan/event-frame.ts';
import type { KindPlan } from '../plan/kind-plan.ts';
import type { EventRecord, Label } from '../record.ts';
import type { EngineState } from '../state.ts';
import { fillFrame } from './fill-frame.ts';
import { arrivalOf, lookUp } from './look-up.ts';

/** A label, or a reported outcome that makes the event one; `none` takes back what an earlier one made it. */
export interface Judgement {
  readonly event: EventRecord | undefined;
  readonly label: Label | 'none';
  readonly logTimeMs: number;
}

/**
 * Adds a label to the `fraudShare` features that counted the event. The entities are found by the event's own facts,
 * and their rows show whether the event was counted. A feature that did not count it is left unchanged: the event was
 * decided before the feature began, or its entity has expired.
 */
export function takeLabel(state: EngineState, { event: record, label }: Judgement): void {
  if (record === undefined || !concernsLabels(state, record)) return;
  const arrival = arrivalOf(record, undefined);
  const subject = clientOf(record.event) === undefined ? undefined : record.subject;
  const client = subject === undefined ? undefined : (state.store.client(subject) ?? undefined);
  const frame = fillFrame(state, lookUp(state, arrival, { nowMs: record.logTimeMs, client }));
  state.lists.nowMs = record.logTimeMs;
  for (const found of frame.own.found) {
    const counted = countedIn(state, { arrival, facts: frame.facts }, found);
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

/** The label of an event also says something about the device that the event came from. */
export function takeJudgement(state: EngineState, judgement: Judgement): void {
  const { event } = judgement;
  const client = event?.subject === undefined ? undefined : state.store.client(event.subject);
  if (event === undefined || client === undefined || client === null) return;
  const device = deviceBehind(client, event);
  if (device === undefined) return;
  state.store.changeClient(client.subject, client);
  client.devices = client.devices.map((known) => (known === device ? judged(device, judgement) : known));
}

/** Whether the policy has a feature that uses labels. */
export function readsLabels({ plan }: EngineState): boolean {
  return Object.values(plan.kinds).some(hasLabels);
}

/** Whether a feature that uses labels counts events of this kind. */
export function concernsLabels({ plan }: EngineState, { event }: EventRecord): boolean {
  return hasLabels(plan.kinds[event.kind]);
}

function hasLabels({ planned }: KindPlan): boolean {
  return planned.some((group) => group?.hasLabels === true);
}

/** Layout places of the features that use labels and counted the event. */
function countedIn(
  state: EngineState,
  { arrival: { atMs, record }, facts }: { readonly arrival: Arrival; readonly facts: Facts },
  { group, key, known, look: entity, block }: FoundEntity,
): readonly number[] {
  if (!group.hasLabels || key.isMissing || known !== 'present') return [];
  entity.place(block);
  const counted = group.updates.filter(({ feature, kept, where }) => {
    if (feature.keeps !== 'fraudShare' || (where !== undefined && where(facts) !== true)) return false;
    return hasRow(entity, kept, atMs) ?? record.logTimeMs >= state.features.activatedAtMs(feature);
  });
  return [...new Set(counted.map(({ index }) => index))];
}

/** Whether the feature counted an event of this time; `undefined` if its row may have been merged into a bucket. */
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
