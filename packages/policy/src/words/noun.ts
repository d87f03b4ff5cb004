import type { Telling } from './language.ts';

/** A fact or a feature in words. */
export interface Noun {
  /** `this client's median amount of 90 days` */
  readonly text: string;
  /** How its numbers are written. */
  readonly form: 'money' | 'share' | 'time' | 'number';
  /** For a feature of a number: that fact, and the words without it: `this client's median of 90 days`. */
  readonly of?: string;
  readonly withoutOf?: string;
  /** For a time since something, what follows the time: `since this client's first operation`. */
  readonly since?: string;
  /** For the time since the first event: what 0 means. */
  readonly first?: string;
  /** In a letter, for what others reported: these words alone. */
  readonly discreet?: string;
}

const times = {
  en: { start: 'time since ', word: 'since' },
  es: { start: 'el tiempo desde ', word: 'desde' },
} as const;

/** With the words for after a time, if it is the time since something. */
export function withSince(noun: Noun, { language }: Telling): Noun {
  const { start, word } = times[language];
  if (noun.form !== 'time' || !noun.text.startsWith(start)) return noun;
  return { ...noun, since: `${word} ${noun.text.slice(start.length)}` };
}

const money: ReadonlySet<string> = new Set(['order.amount', 'client.heldAmount', 'payee.heldAmount']);

/** Whether numbers of this fact are amounts in the currency of the event. */
export function isMoney(path: string): boolean {
  return money.has(path);
}
