import type { Facts, FactValue, Feature } from '@ringfence/policy';
import { factText } from '../facts/fact-text.ts';
import type { PlannedGroup } from '../plan/planned-group.ts';
import type { SubjectId } from '../record.ts';
import { addRow } from './store/add-row.ts';
import { EventInputs } from './event-inputs.ts';
import type { FeatureEntity } from './store/feature-entity.ts';
import { deviationIn } from './window/profile.ts';
import { type PlacedFeature, type Question, readFeature, readNothing } from './read-feature.ts';
import { type PlannedReads, scanTogether, type WindowScan } from './window/window-scan.ts';

export interface FeatureEvent {
  readonly facts: Facts;
  readonly subject: SubjectId | undefined;
  /** The event's own time. */
  readonly atMs: number;
  /** Log time of the decision. */
  readonly logTimeMs: number;
}

/** Applies events to the groups of features, one at a time. Working memory, not part of the state. */
export class GroupRunner {
  readonly #inputs = new EventInputs();
  readonly #window: Question = { edgeMs: 0, nowMs: 0, currency: -1, value: undefined };

  /** Reads the event's values for the group's features. Returns whether it counts for one of them. */
  takeInputs(group: PlannedGroup, event: FeatureEvent): boolean {
    this.#inputs.take(group, event);
    return this.#inputs.count > 0;
  }

  /** Fills in the group's features for an entity without state that the event does not count for. */
  readAbsent(group: PlannedGroup, event: FeatureEvent): void {
    for (const { feature } of group.reads) {
      event.facts[feature.slot] = isAnswerable(feature, event) ? readNothing(feature) : undefined;
    }
  }

  /** Adds the event that `takeInputs` read to the entity, and fills in the facts of all the group's features. */
  run(group: PlannedGroup, entity: FeatureEntity, event: FeatureEvent): void {
    entity.group.scratch.currency.forget();
    this.#readAll(entity, group.before, event);
    if (this.#inputs.count > 0) addRow(entity, event, this.#inputs);
    this.#readAll(entity, group.after, event);
  }

  #readAll(entity: FeatureEntity, { scans, alone }: PlannedReads, event: FeatureEvent): void {
    const { facts } = event;
    for (const scan of scans) this.#readTogether(entity, scan, event);
    for (const placed of alone) facts[placed.feature.slot] = this.#read(entity, placed, event);
  }

  #readTogether(entity: FeatureEntity, scan: WindowScan, event: FeatureEvent): void {
    const { features } = scan;
    const { facts } = event;
    const isAsked = this.#ask(entity, features[0]!, event);
    let place = isAsked ? scanTogether(entity, scan, { window: this.#window, facts }) : 0;
    for (; place < features.length; place++) {
      facts[features[place]!.feature.slot] = this.#read(entity, features[place]!, event);
    }
  }

  #read(entity: FeatureEntity, placed: PlacedFeature, event: FeatureEvent): FactValue {
    const { feature, index } = placed;
    if (!this.#ask(entity, placed, event)) return isAnswerable(feature, event) ? readNothing(feature) : undefined;
    const window = this.#window;
    if (feature.deviationSlot !== undefined) {
      const profile = entity.profiles[index]?.find(window.currency, window.nowMs);
      event.facts[feature.deviationSlot] = profile === undefined ? undefined : deviationIn(profile);
    }
    return readFeature(entity, placed, window);
  }

  /**
   * Sets the window to that of a feature. Returns false if the event has no such currency, or the entity has never seen
   * it.
   */
  #ask(entity: FeatureEntity, { feature, isOfSubject }: PlacedFeature, event: FeatureEvent): boolean {
    const { atMs, facts, subject } = event;
    const window = this.#window;
    window.edgeMs = atMs - (feature.overMs ?? 0);
    window.nowMs = atMs - (feature.afterMs ?? 0);
    window.currency = -1;
    if (feature.kind === 'habit') window.value = isOfSubject ? subject : factText(facts[feature.ofSlot!]);
    if (feature.currencySlot === undefined) return true;
    if (!isAnswerable(feature, event)) return false;
    const text = this.#inputs.currencyText(facts[feature.currencySlot] as string | undefined);
    window.currency = entity.group.scratch.currency.find(entity, text);
    return window.currency >= 0;
  }
}

/**
 * Amounts are kept per currency, and those without a currency separately. An event with neither amount nor currency
 * has no answer.
 */
function isAnswerable({ currencySlot, ofSlot }: Feature, { facts }: FeatureEvent): boolean {
  if (currencySlot === undefined) return true;
  return facts[currencySlot] !== undefined || (ofSlot !== undefined && facts[ofSlot] !== undefined);
}
