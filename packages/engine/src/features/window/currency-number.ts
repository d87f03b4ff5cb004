import type { FeatureEntity } from '../store/feature-entity.ts';

/** Cache of the last currency and its number in the entity; -1 if it has none. Not part of the state. */
const known: { text: string | undefined; number: number } = { text: undefined, number: -1 };

/** Must be called when another entity is accessed, and when its texts may have new numbers. */
export function forgetCurrency(): void {
  known.text = undefined;
}

/** The entity's number of a currency; -1 if it has none. Features of one event look up the same one repeatedly. */
export function findCurrency(entity: FeatureEntity, text: string): number {
  if (text !== known.text) {
    known.number = entity.texts.find(text);
    known.text = text;
  }
  return known.number;
}

/** The same, but assigns a new number if necessary. */
export function numberOfCurrency(entity: FeatureEntity, text: string): number {
  if (text !== known.text || known.number < 0) {
    known.number = entity.numberOf(text);
    known.text = text;
  }
  return known.number;
}
