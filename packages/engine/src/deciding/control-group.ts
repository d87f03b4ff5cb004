import { type Facts, type Model, type Rule, shareWhole } from '@ringfence/policy';
import { textHash } from '../bytes/text-hash.ts';
import type { EventFrame } from '../plan/event-frame.ts';
import type { SubjectId } from '../record.ts';

/**
 * Whether the rule fires only by the results of models in whose control groups the event is. A rule that would also
 * fire without them, by a list or by another part of its condition, acts as always.
 */
export function firesByControlled(rule: Rule, { own, facts, subject, arrival }: EventFrame): boolean {
  if (subject === undefined) return false;
  const { offset } = arrival.record;
  const controlled = own.plan.controlled.filter(
    (model) =>
      rule.reads.some(({ path }) => model.paths.includes(path)) && isInControl(model, facts, { subject, offset }),
  );
  return controlled.length > 0 && !firesWithout(controlled, rule, facts);
}

/**
 * Whether an event is in the control group of the model: its amount is within the cap, and a hash of model, client and
 * offset chose it. Neither the client's random id nor the offset is known to who sends a payment.
 */
export function isInControl(
  { name, control }: Pick<Model, 'name' | 'control'>,
  facts: Facts,
  { subject, offset }: { readonly subject: SubjectId; readonly offset: number },
): boolean {
  if (control === undefined) return false;
  const { share, upTo, currency, slots } = control;
  const amount = facts[slots.amount];
  if (typeof amount !== 'bigint' || amount > upTo || facts[slots.currency] !== currency) return false;
  return (textHash(`${name} ${subject} ${offset}`) >>> 0) % shareWhole < share;
}

/** Evaluates the condition as if the models had no result. The facts are the same afterwards. */
function firesWithout(models: readonly Model[], { when }: Rule, facts: Facts): boolean {
  const slots = models.flatMap((model) => Object.values(model.slots));
  const results = slots.map((slot) => facts[slot]);
  for (const slot of slots) facts[slot] = undefined;
  const fires = when(facts);
  slots.forEach((slot, at) => (facts[slot] = results[at]));
  return fires === true;
}
