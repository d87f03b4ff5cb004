import { formatDecimal, parseDecimal } from '@ringfence/contract';
import type { Item } from '../document/item.ts';
import type { Words } from '../facts/vocabulary.ts';
import type { ControlShare, Model } from '../policy.ts';
import { printShare, readShare } from './spans.ts';

/** A tenth, in parts of `shareWhole`: what is not acted on is let through. */
const shareMax = 1_000;
const fieldNames = ['share', 'upTo', 'currency'] as const;
const example = '{ share: 1%, upTo: 200.00, currency: MXN }';

/** `control: { share: 1%, upTo: 200.00, currency: MXN }`: all three, so that every control share has a cap. */
export function readControl(item: Item, on: Model['on'], { slots }: Pick<Words, 'slots'>): ControlShare | undefined {
  const fields = item.fields('control', fieldNames);
  if (fields === undefined) return undefined;
  if (!on.has('operation')) return item.fail('only operations have an amount, which control needs', 'on: [operation]');
  const { share: shareItem, upTo: upToItem, currency: currencyItem } = fields;
  const share = item.required(shareItem, ['control has no share', example], (one) => {
    const parts = readShare(one, 'events');
    return parts === undefined || parts <= shareMax
      ? parts
      : one.fail(
          `share is ${printShare(parts)}`,
          `at most ${printShare(shareMax)}, because these events are let through`,
        );
  });
  const upTo = item.required(upToItem, ['control has no greatest amount', example], readAmount);
  const currency = item.required(currencyItem, ['control has no currency', example], readCurrency);
  if (share === undefined || upTo === undefined || currency === undefined) return undefined;
  return { share, upTo, currency, slots: { amount: slots.use('order.amount'), currency: slots.use('order.currency') } };
}

function readAmount(item: Item): ControlShare['upTo'] | undefined {
  const expected = 'an amount above 0, such as 200.00';
  const word = item.word('upTo', expected);
  if (word === undefined) return undefined;
  const amount = parseDecimal(word);
  return amount === undefined || amount <= 0n ? item.fail(`upTo is ${word}`, expected) : amount;
}

function readCurrency(item: Item): string | undefined {
  const expected = 'the code of the currency as events have it, such as MXN';
  const word = item.word('currency', expected);
  return word === undefined || /^[A-Z]{3}$/.test(word) ? word : item.fail(`currency is ${word}`, expected);
}

/** `1% up to 200 MXN` */
export function printControl(control: Omit<ControlShare, 'slots'> | undefined): string | undefined {
  return control && `${printShare(control.share)} up to ${formatDecimal(control.upTo)} ${control.currency}`;
}
