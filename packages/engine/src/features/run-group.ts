import type { Facts, FactValue, Feature } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { PlannedGroup } from '../plan/planned-group.ts';
import type { SubjectId } from '../record.ts';
import { addRow } from './store/add-row.ts';
import { EventInputs, currencyText } from './event-inputs.ts';
import { findCurrency, forgetCurrency } from './window/currency-number.ts';
import type { FeatureEntity } from './store/feature-entity.ts';
import { deviationIn } from './window/profile.ts';
import { type PlacedFeature, type Question, readFeature, readNothing } from './read-feature.ts';
import { scanTogether, type WindowScan } from './window/window-scan.ts';

export interface FeatureEvent {
  readonly facts: Facts;
  readonly subject: SubjectId | undefined;
  /** The event's own time. */
  readonly atMs: number;
  /** Log time of the decision. */
  readonly logTimeMs: number;
}

const brought = new EventInputs();

/** Reads the event's values for the group's features. Returns whether it counts for one of them. */
export function takeInputs(group: PlannedGroup, event: FeatureEvent): boolean {
  brought.take(group, event);
  return brought.count > 0;
}

/** Fills in the group's features for an entity without state that the event does not count for. */
export function readAbsent(group: PlannedGroup, event: FeatureEvent): void {
  for (const { feature } of group.reads) {
    event.facts[feature.slot] = isAnswerable(feature, event) ? readNothing(feature) : undefined;
  }
}

/** Adds the event that `takeInputs` read to the entity, and fills in the facts of all the group's features. */
export function runGroup(group: PlannedGroup, entity: FeatureEntity, event: FeatureEvent): void {
  const { facts } = event;
  forgetCurrency();
  for (const placed of group.before) facts[placed.feature.slot] = read(entity, placed, event);
  if (brought.count > 0) addRow(entity, event, brought);
  for (const scan of group.scans) readTogether(entity, scan, event);
  for (const placed of group.after) facts[placed.feature.slot] = read(entity, placed, event);
}

const window: Question = { edgeMs: 0, nowMs: 0, currency: -1, value: undefined };

function readTogether(entity: FeatureEntity, scan: WindowScan, event: FeatureEvent): void {
  const { features } = scan;
  const { facts } = event;
  const isAsked = ask(entity, features[0]!, event);
  let place = isAsked ? scanTogether(entity, scan, { window, facts }) : 0;
  for (; place < features.length; place++) facts[features[place]!.feature.slot] = read(entity, features[place]!, event);
}

function read(entity: FeatureEntity, placed: PlacedFeature, event: FeatureEvent): FactValue {
  const { feature, index } = placed;
  if (!ask(entity, placed, event)) return isAnswerable(feature, event) ? readNothing(feature) : undefined;
  if (feature.deviationSlot !== undefined) {
    const profile = entity.profiles[index]?.find(window.currency, window.nowMs);
    event.facts[feature.deviationSlot] = profile === undefined ? undefined : deviationIn(profile);
  }
  return readFeature(entity, placed, window);
}

/**
 * Sets `window` to that of a feature. Returns false if the event has no such currency, or the entity has never seen
 * it.
 */
function ask(entity: FeatureEntity, { feature, isOfSubject }: PlacedFeature, event: FeatureEvent): boolean {
  const { atMs, facts, subject } = event;
  window.edgeMs = atMs - (feature.overMs ?? 0);
  window.nowMs = atMs - (feature.afterMs ?? 0);
  window.currency = -1;
  if (feature.kind === 'habit') window.value = isOfSubject ? subject : factText(facts[feature.ofSlot!]);
  if (feature.currencySlot === undefined) return true;
  if (!isAnswerable(feature, event)) return false;
  window.currency = findCurrency(entity, currencyText(facts[feature.currencySlot] as string | undefined));
  return window.currency >= 0;
}

/**
 * Amounts are kept per currency, and those without a currency separately. An event with neither amount nor currency
 * has no answer.
 */
function isAnswerable({ currencySlot, ofSlot }: Feature, { facts }: FeatureEvent): boolean {
  if (currencySlot === undefined) return true;
  return facts[currencySlot] !== undefined || (ofSlot !== undefined && facts[ofSlot] !== undefined);
}
