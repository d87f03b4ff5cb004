import type { FeatureEntity } from '../store/feature-entity.ts';

/** The currency that was asked for last, and its number in the entity; -1 when it has none. No state. */
const known: { text: string | undefined; number: number } = { text: undefined, number: -1 };

/** To be called when another entity is looked at, and when its texts may have new numbers. */
export function forgetCurrency(): void {
  known.text = undefined;
}

/** The entity's number of a currency; -1 when it has none. Features of one event ask for the same again and again. */
export function findCurrency(entity: FeatureEntity, text: string): number {
  if (text !== known.text) {
    known.number = entity.texts.find(text);
    known.text = text;
  }
  return known.number;
}

/** The same, a new number where it has none yet. */
export function numberOfCurrency(entity: FeatureEntity, text: string): number {
  if (text !== known.text || known.number < 0) {
    known.number = entity.numberOf(text);
    known.text = text;
  }
  return known.number;
}
