import { chargebackStages, foldCurrencyCode, outcomeNames } from '@ringfence/contract';
import { nearestNumber } from '../check/nearest.ts';
import type { Item } from '../document/item.ts';
import type { Rule, TestOutcome } from '../policy.ts';
import { readActionNumber } from './read-actions.ts';

const fieldNames = [
  'outcome',
  'reason',
  'action',
  'reference',
  'method',
  'type',
  'code',
  'stage',
  'loss',
  'recovered',
  'currency',
  'label',
] as const;

const amountForm = /^\d{1,18}(\.\d{1,6})?$/;

/** Rules and actions that an outcome of a test can name. */
interface KnownRules {
  readonly byReason: ReadonlyMap<number, Rule>;
  /** Reasons of rules that don't check. */
  readonly broken: ReadonlySet<number>;
  /** Names of custom actions. */
  readonly actions: ReadonlyMap<number, string>;
}

/** `outcome: { outcome: stepUpPassed, reason: 101, method: passkey }`: what the bank reports. */
export function readTestOutcome(item: Item, rules: KnownRules): Omit<TestOutcome, 'atMs'> | undefined {
  const fields = item.fields('an outcome', fieldNames);
  if (fields === undefined) return undefined;
  const outcome = item.required(fields.outcome, ['the outcome is missing', 'outcome: stepUpPassed'], (field) =>
    field.choice('outcome', outcomeNames),
  );
  if (outcome === undefined) return undefined;
  const text = (name: 'reference' | 'method' | 'type' | 'code'): string | undefined =>
    fields[name]?.word(name, 'a text');
  const reason = fields.reason?.integer('reason', { min: 1, max: Number.MAX_SAFE_INTEGER });
  if (reason !== undefined && !rules.byReason.has(reason) && !rules.broken.has(reason))
    return fields.reason?.fail(`there is no rule with reason ${reason}`, nearestNumber(reason, rules.byReason.keys()));
  if (reason === undefined && outcome.startsWith('stepUp'))
    return item.fail(
      'the result of a step-up needs the rule that asked for it',
      `{ outcome: ${outcome}, reason: 101 }`,
    );
  const loss = fields.loss && readAmount(fields.loss, 'loss');
  const recovered = fields.recovered && readAmount(fields.recovered, 'recovered');
  const currency = fields.currency?.word('currency', 'a currency code, such as EUR');
  return {
    outcome,
    reason,
    action: fields.action && readActionNumber(fields.action, rules),
    reference: text('reference'),
    method: text('method'),
    type: text('type'),
    code: text('code'),
    stage: fields.stage?.choice('stage', chargebackStages),
    loss,
    recovered,
    currency: currency === undefined ? undefined : foldCurrencyCode(currency),
    label:
      fields.label === undefined ? labelOf(outcome) : fields.label.choice('label', ['fraud', 'legitimate', 'none']),
  };
}

/** By default, as the service labels. Which chargebacks are fraud is a setting, so their label must be given. */
function labelOf(outcome: TestOutcome['outcome']): TestOutcome['label'] {
  if (outcome === 'fraud' || outcome === 'legitimate') return outcome;
  return outcome === 'retracted' ? 'none' : undefined;
}

function readAmount(item: Item, name: string): string | undefined {
  const expected = 'an amount, such as 120.50';
  const word = item.word(name, expected);
  return word === undefined || amountForm.test(word) ? word : item.fail(`${name} is ${word}`, expected);
}
