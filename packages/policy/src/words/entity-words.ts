import { differentValues } from './fact-words.ts';
import { afterDe, type Telling } from './language.ts';

/** Who or what a feature is kept about. */
interface Entity {
  /** The facts that name it. */
  readonly paths: readonly string[];
  readonly en: { readonly noun: string; readonly preposition: string };
  readonly es: { readonly article: 'el' | 'la'; readonly noun: string; readonly preposition: string };
}

/** The client comes first, because what is kept about a client and something else is the client's. */
const entities: readonly Entity[] = [
  {
    paths: ['client.id', 'account.client', 'user'],
    en: { noun: 'client', preposition: 'of' },
    es: { article: 'el', noun: 'cliente', preposition: 'de' },
  },
  {
    paths: ['payee.id', 'accountTo.accountNumber', 'accountTo.client', 'creditTo.account'],
    en: { noun: 'payee', preposition: 'with' },
    es: { article: 'el', noun: 'beneficiario', preposition: 'con' },
  },
  {
    paths: ['payee.bank', 'accountTo.bank', 'creditTo.bank'],
    en: { noun: "payee's bank", preposition: 'with' },
    es: { article: 'el', noun: 'banco del beneficiario', preposition: 'con' },
  },
  {
    paths: ['device.id'],
    en: { noun: 'device', preposition: 'on' },
    es: { article: 'el', noun: 'dispositivo', preposition: 'en' },
  },
  {
    paths: ['ip.address', 'publicIp', 'session.ip'],
    en: { noun: 'address', preposition: 'from' },
    es: { article: 'la', noun: 'dirección IP', preposition: 'desde' },
  },
  {
    paths: ['ip.network', 'ip.subnet'],
    en: { noun: 'network', preposition: 'from' },
    es: { article: 'la', noun: 'red', preposition: 'desde' },
  },
  {
    paths: ['ip.country'],
    en: { noun: 'country', preposition: 'from' },
    es: { article: 'el', noun: 'país', preposition: 'desde' },
  },
  {
    paths: ['session.id', 'account.session'],
    en: { noun: 'session', preposition: 'in' },
    es: { article: 'la', noun: 'sesión', preposition: 'en' },
  },
  {
    paths: ['creditCard.hash', 'creditCard.token'],
    en: { noun: 'card', preposition: 'with' },
    es: { article: 'la', noun: 'tarjeta', preposition: 'con' },
  },
  {
    paths: ['account.accountNumber', 'debitFrom.account'],
    en: { noun: 'account', preposition: 'from' },
    es: { article: 'la', noun: 'cuenta', preposition: 'desde' },
  },
  {
    paths: ['channelId'],
    en: { noun: 'channel', preposition: 'in' },
    es: { article: 'el', noun: 'canal', preposition: 'por' },
  },
];

/** The entity of a feature in words. */
export interface OwnerWords {
  readonly isClient: boolean;
  /** English, before what it has: `this payee's`, and `your` for the client of a letter. */
  readonly whose: string;
  /** Spanish, after what it has: ` de este beneficiario`; empty for the client of a letter, who has `su` before it. */
  readonly of: string;
  /** The rest of its key: ` with this payee`; empty for one part. */
  readonly others: string;
  /** By itself: `the payee`. */
  readonly noun: string;
}

/** @returns `undefined` if a part of the key has no words */
export function ownerWords(by: readonly string[], telling: Telling): OwnerWords | undefined {
  const parts = by.map((path) => entities.find(({ paths }) => paths.includes(path)));
  if (parts.some((part) => part === undefined)) return undefined;
  const [owner, ...others] = entities.filter((one) => parts.includes(one));
  if (owner === undefined) return undefined;
  const isClient = owner === entities[0];
  const isLetter = telling.reader === 'client';
  const noun = nounOf(owner, telling);
  return {
    isClient,
    whose: isClient && isLetter ? 'your' : `${noun}'s`,
    of: isClient && isLetter ? '' : ` ${afterDe(noun)}`,
    others: others.map((one) => ` ${one[telling.language].preposition} ${nounOf(one, telling)}`).join(''),
    noun,
  };
}

/** `this payee`, and `the payee` in a letter. */
function nounOf({ en, es }: Entity, { language, reader }: Telling): string {
  if (language === 'en') return `${reader === 'client' ? 'the' : 'this'} ${en.noun}`;
  const article = reader === 'client' ? es.article : es.article === 'el' ? 'este' : 'esta';
  return `${article} ${es.noun}`;
}

/** `different payees`, by any of the facts that name one. */
export function differentEntities(path: string, { language }: Telling): string | undefined {
  const entity = entities.find(({ paths }) => paths.includes(path));
  return (differentValues(path) ?? differentValues(entity?.paths[0] ?? ''))?.[language];
}
