import { unreachable } from '@ringfence/contract';
import type { CountedKind, Feature } from '../policy.ts';
import { shareKinds } from '../sections/feature-kinds.ts';
import { differentEntities, ownerWords, type OwnerWords } from './entity-words.ts';
import { factNoun } from './fact-words.ts';
import { afterDe, bare, type Telling } from './language.ts';
import { isMoney, type Noun, withSince } from './noun.ts';
import { numberWords, spanWords } from './number-words.ts';

/** What a feature counts, in each language; the Spanish article agrees with it. */
interface Counted {
  readonly en: readonly [one: string, many: string];
  readonly es: readonly [one: string, many: string];
  readonly article: 'el' | 'la';
}

const countedKinds: Readonly<Record<CountedKind, Counted>> = {
  login: { en: ['login', 'logins'], es: ['acceso', 'accesos'], article: 'el' },
  logout: { en: ['logout', 'logouts'], es: ['cierre de sesión', 'cierres de sesión'], article: 'el' },
  operation: { en: ['operation', 'operations'], es: ['operación', 'operaciones'], article: 'la' },
  outcome: { en: ['reported outcome', 'reported outcomes'], es: ['resultado', 'resultados'], article: 'el' },
};
const anyEvent: Counted = { en: ['event', 'events'], es: ['evento', 'eventos'], article: 'el' };

/** The parts from which the words of a feature are made. */
interface Parts {
  readonly feature: Feature;
  readonly owner: OwnerWords;
  readonly counted: Counted;
  /** The fact that it aggregates: `amount`, `el monto`. */
  readonly noun: string;
  /** ` of 90 days`, ` en 90 días`; empty without a window. */
  readonly of: string;
  /** ` in 90 days`, ` en 90 días`. */
  readonly within: string;
  readonly telling: Telling;
}

/** A feature in words; `undefined` if a part of it has none. */
export function featureNoun(feature: Feature, telling: Telling): Noun | undefined {
  const owner = ownerWords(feature.by, telling);
  const noun = feature.of === undefined ? '' : factNoun(feature.of, telling);
  if (owner === undefined || noun === undefined) return undefined;
  const { language, reader } = telling;
  const [only, ...more] = feature.on;
  const counted = only === undefined || more.length > 0 ? anyEvent : countedKinds[only];
  const span = feature.overMs === undefined ? undefined : spanWords(feature.overMs, language);
  const [of, within] =
    span === undefined ? ['', ''] : language === 'en' ? [` of ${span}`, ` in ${span}`] : [` en ${span}`, ` en ${span}`];
  const parts: Parts = { feature, owner, counted, noun, of, within, telling };
  const words = language === 'en' ? englishOf : spanishOf;
  const where =
    feature.whereText === undefined || reader === 'client'
      ? ''
      : language === 'en'
        ? ` (only where ${feature.whereText})`
        : ` (solo si ${feature.whereText})`;
  const told = words(parts);
  if (told === undefined) return undefined;
  return withSince(
    {
      text: told + where,
      form: formOf(feature),
      ...(feature.of === undefined ? {} : { of: feature.of, withoutOf: (words({ ...parts, noun: '' }) ?? '') + where }),
      ...(feature.kind === 'firstSeen' ? { first: firstOf(parts) + where } : {}),
      ...(reader === 'client' && isOverLabels(feature) ? { discreet: reportsOf(parts) } : {}),
    },
    telling,
  );
}

function formOf({ kind, type, of }: Feature): Noun['form'] {
  if (type === 'duration') return 'time';
  if (shareKinds.has(kind)) return 'share';
  return kind !== 'distinct' && of !== undefined && isMoney(of) ? 'money' : 'number';
}

function isOverLabels({ keeps }: Feature): boolean {
  return keeps === 'fraudShare';
}

/** For a letter: it does not say that others reported a payee for fraud. */
function reportsOf({ owner, counted, telling }: Parts): string {
  if (telling.language === 'en')
    return owner.isClient ? `earlier reports about your ${counted.en[1]}` : `earlier reports about ${owner.noun}`;
  return owner.isClient ? `informes anteriores sobre sus ${counted.es[1]}` : `informes anteriores sobre ${owner.noun}`;
}

function firstOf({ owner, counted, telling }: Parts): string {
  return telling.language === 'en'
    ? `${owner.whose} first ${counted.en[0]}${owner.others}`
    : `primer${counted.article === 'la' ? 'a' : ''} ${counted.es[0]}${owner.of}${owner.others}`;
}

/** @returns `undefined` if the values of its fact have no words */
function englishOf({ feature, owner, counted, noun, of, within, telling }: Parts): string | undefined {
  const { kind } = feature;
  const { whose, others } = owner;
  const [one, many] = counted.en;
  const ofNoun = noun === '' ? '' : ` of the ${noun}`;
  const named = noun === '' ? '' : ` ${noun}`;
  switch (kind) {
    case 'count':
      return `${whose} number of ${many}${others}${within}`;
    case 'sum':
      return `${whose} total${named}${others}${within}`;
    case 'avg':
      return `${whose} average${named}${others}${of}`;
    case 'min':
      return `${whose} smallest${named}${others}${of}`;
    case 'max':
      return `${whose} largest${named}${others}${of}`;
    case 'median':
      return `${whose} median${named}${others}${of}`;
    case 'stddev':
      return `${whose} standard deviation${ofNoun}${others}${within}`;
    case 'percentile':
      return `${whose} percentile ${percentOf(feature, telling)}${ofNoun}${others}${within}`;
    case 'previous':
      return `${whose} previous${named || ' value'}${others}`;
    case 'profile':
      return `${whose} usual${named || ' value'}${others}`;
    case 'rate': {
      const per = ` per ${spanWords(feature.perMs ?? 0, 'en').replace(/^1 /, '')}`;
      return `${whose} ${feature.of === undefined ? `number of ${many}` : `total${named}`}${per}${others}${within}`;
    }
    case 'distinct': {
      const values = differentEntities(feature.of ?? '', telling);
      return values === undefined ? undefined : `${whose} number of ${values}${others}${within}`;
    }
    case 'topShare':
      return `share of ${whose} most frequent${named}${others}${within}`;
    case 'habit':
      return `share of ${whose} earlier ${many}${others} with the same${named}${within}`;
    case 'firstSeen':
      return `time since ${whose} first ${one}${others}`;
    case 'lastSeen':
      return `time since ${whose} previous ${one}${others}`;
    case 'fraudShare':
      return `share of known fraud among ${whose} ${many}${others}${within}`;
    case 'fraudRun':
      return `${whose} number of known frauds in a row${others}`;
    case 'fraudRunAge':
      return `time since ${whose} known frauds in a row began${others}`;
    case 'sinceFraud':
      return `time since ${whose} last known fraud${others}`;
    case 'sinceClear':
      return `time since ${whose} last ${one} without fraud${others}`;
    default:
      return unreachable(kind);
  }
}

/** @returns `undefined` if the values of its fact have no words */
function spanishOf({ feature, owner, counted, noun, within, telling }: Parts): string | undefined {
  const { kind } = feature;
  const [one, many] = counted.es;
  const isLetter = owner.isClient && telling.reader === 'client';
  const whose = `${owner.of}${owner.others}`;
  const [el, la] = isLetter ? ['su', 'su'] : ['el', 'la'];
  const lasCounted = isLetter ? 'sus' : counted.article === 'la' ? 'las' : 'los';
  const theOne = isLetter ? 'su' : counted.article;
  const ofNoun = noun === '' ? '' : ` ${afterDe(noun)}`;
  const last = counted.article === 'la' ? 'última' : 'último';
  switch (kind) {
    case 'count':
      return `${el} número de ${many}${whose}${within}`;
    case 'sum':
      return `${el} total${ofNoun}${whose}${within}`;
    case 'avg':
      return `${el} promedio${ofNoun}${whose}${within}`;
    case 'min':
      return `${el} mínimo${ofNoun}${whose}${within}`;
    case 'max':
      return `${el} máximo${ofNoun}${whose}${within}`;
    case 'median':
      return `${la} mediana${ofNoun}${whose}${within}`;
    case 'stddev':
      return `${la} desviación estándar${ofNoun}${whose}${within}`;
    case 'percentile':
      return `${el} percentil ${percentOf(feature, telling)}${ofNoun}${whose}${within}`;
    case 'previous':
      return `${el} valor anterior${ofNoun}${whose}`;
    case 'profile':
      return `${el} valor habitual${ofNoun}${whose}`;
    case 'rate': {
      const per = ` por ${spanWords(feature.perMs ?? 0, 'es').replace(/^1 /, '')}`;
      return `${el} ${feature.of === undefined ? `número de ${many}` : `total${ofNoun}`}${per}${whose}${within}`;
    }
    case 'distinct': {
      const values = differentEntities(feature.of ?? '', telling);
      return values === undefined ? undefined : `${el} número de ${values}${whose}${within}`;
    }
    case 'topShare':
      return `${la} proporción${ofNoun} más frecuente${whose}${within}`;
    case 'habit':
      return `${la} proporción de ${many} anteriores${whose} con igual ${bare(noun)}${within}`;
    case 'firstSeen':
      return `el tiempo desde ${theOne} primer${counted.article === 'la' ? 'a' : ''} ${one}${whose}`;
    case 'lastSeen':
      return `el tiempo desde ${theOne} ${one} anterior${whose}`;
    case 'fraudShare':
      return `la proporción de fraude conocido en ${lasCounted} ${many}${whose}${within}`;
    case 'fraudRun':
      return `${el} número de fraudes conocidos seguidos${whose}`;
    case 'fraudRunAge':
      return `el tiempo desde el inicio de los fraudes conocidos seguidos${whose}`;
    case 'sinceFraud':
      return `el tiempo desde el último fraude conocido${whose}`;
    case 'sinceClear':
      return `el tiempo desde ${isLetter ? 'su' : counted.article} ${last} ${one} sin fraude${whose}`;
    default:
      return unreachable(kind);
  }
}

function percentOf({ atPermille = 0 }: Feature, { language }: Telling): string {
  return numberWords(atPermille / 10, language);
}
