import type { Facts, FactValue, Feature } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { PlannedGroup } from '../plan/kind-plan.ts';
import type { SubjectId } from '../record.ts';
import { addRow } from './add-row.ts';
import { Contributions } from './contributions.ts';
import { findCurrency, forgetCurrency } from './currency-number.ts';
import type { FeatureEntity } from './feature-entity.ts';
import { deviationIn } from './profile.ts';
import { type PlacedFeature, type Question, readFeature, readNothing } from './read-feature.ts';

export interface FeatureEvent {
  readonly facts: Facts;
  readonly subject: SubjectId | undefined;
  /** The event's own time. */
  readonly atMs: number;
  /** When it is decided. */
  readonly logTimeMs: number;
}

const contributions = new Contributions();

/** What the event brings to the group's features: valid until the next question. */
export function contributionsOf(group: PlannedGroup, event: FeatureEvent): Contributions {
  contributions.clear();
  for (const update of group.updates) {
    const { where, ofSlot, currencySlot } = update.feature;
    if (where !== undefined && where(event.facts) !== true) continue;
    const value = valueOf(update, event);
    if (value === undefined && ofSlot !== undefined) continue;
    contributions.add(update.index, value, currencySlot === undefined ? undefined : currencyText(event, currencySlot));
  }
  return contributions;
}

function valueOf({ feature, isOfSubject, column }: PlacedFeature, { facts, subject }: FeatureEvent): FactValue {
  const { ofSlot } = feature;
  if (ofSlot === undefined) return undefined;
  if (isOfSubject) return subject;
  const value = facts[ofSlot];
  return column === 'text' ? factText(value) : value;
}

/** The values of the group's features about an entity that was never seen, and that the event brings nothing to. */
export function readAbsent(group: PlannedGroup, event: FeatureEvent): void {
  for (const { feature } of group.reads) {
    event.facts[feature.slot] = isAnswerable(feature, event) ? readNothing(feature) : undefined;
  }
}

/** Puts what `contributionsOf` gave into the entity, and the values of all the group's features into the facts. */
export function runGroup(group: PlannedGroup, entity: FeatureEntity, event: FeatureEvent): void {
  forgetCurrency();
  for (const placed of group.reads) {
    if (placed.isOfBefore) event.facts[placed.feature.slot] = read(entity, placed, event);
  }
  if (contributions.length > 0) addRow(entity, event, contributions);
  for (const placed of group.reads) {
    if (!placed.isOfBefore) event.facts[placed.feature.slot] = read(entity, placed, event);
  }
}

const window: Question = { edgeMs: 0, nowMs: 0, currency: -1, value: undefined };

function read(entity: FeatureEntity, placed: PlacedFeature, event: FeatureEvent): FactValue {
  const { feature } = placed;
  window.edgeMs = event.atMs - (feature.overMs ?? 0);
  window.nowMs = event.atMs - (feature.afterMs ?? 0);
  window.currency = -1;
  if (feature.currencySlot !== undefined) {
    if (!isAnswerable(feature, event)) return undefined;
    window.currency = findCurrency(entity, currencyText(event, feature.currencySlot));
    if (window.currency < 0) return readNothing(feature);
  }
  window.value = feature.kind === 'habit' ? (valueOf(placed, event) as string | undefined) : undefined;
  if (feature.deviationSlot !== undefined) {
    const profile = entity.profiles[placed.index]?.find(window.currency, window.nowMs);
    event.facts[feature.deviationSlot] = profile === undefined ? undefined : deviationIn(profile);
  }
  return readFeature(entity, placed, window);
}

/** The currency that was told last: the same text for events that tell the same, so that two of them are soon compared. */
let usual = '';

function currencyText({ facts }: FeatureEvent, slot: number): string {
  const text = (facts[slot] as string | undefined) ?? '';
  if (text !== usual) usual = text;
  return usual;
}

/** Amounts are kept per currency, those without any apart: an event with neither amount nor currency asks for none. */
function isAnswerable({ currencySlot, ofSlot }: Feature, { facts }: FeatureEvent): boolean {
  if (currencySlot === undefined) return true;
  return facts[currencySlot] !== undefined || (ofSlot !== undefined && facts[ofSlot] !== undefined);
}
