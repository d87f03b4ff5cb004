import type { Item } from '../document/item.ts';
import { type FactDefinition, factDefinition } from '../facts/facts.ts';
import { isReportedFact } from '../facts/own-facts.ts';
import type { CountedKind } from '../policy.ts';

const outcomes: ReadonlySet<CountedKind> = new Set(['outcome']);

/** Whether a feature counts outcomes, by what it declares or by a fact that it reads. */
export function countsOutcomes(
  declared: ReadonlySet<CountedKind> | undefined,
  read: readonly FactDefinition[],
): boolean {
  return declared?.has('outcome') === true || read.some(({ source }) => source === 'outcome');
}

/**
 * Checks a feature that counts outcomes: it counts nothing else, and reads what is known when an outcome is reported.
 *
 * @param item where a mistake is reported
 */
export function readOutcomeFacts(
  item: Item,
  declared: ReadonlySet<CountedKind> | undefined,
  read: readonly FactDefinition[],
): ReadonlySet<CountedKind> | undefined {
  if (declared !== undefined && !declared.has('outcome')) {
    const fact = read.find(({ source }) => source === 'outcome');
    return item.fail(`${[...declared].join(' and ')} never has ${fact?.path}`, 'on: [outcome]');
  }
  if (declared !== undefined && declared.size > 1)
    return item.fail('a feature counts either events or outcomes', 'on: [outcome]');
  const unknown = read.find((fact) => !isReportedFact(fact));
  if (unknown !== undefined) {
    return item.fail(
      `${unknown.path} is not known when an outcome is reported`,
      'facts of the event itself, such as payee.id, or of the outcome',
    );
  }
  return outcomes;
}

/** The fact that an event must have for a rule to read the feature: for the currency of a loss, that of its amount. */
export function askedFact(fact: FactDefinition): FactDefinition {
  return fact.path === 'outcome.currency' ? factDefinition('order.currency')! : fact;
}
