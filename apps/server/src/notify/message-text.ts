/** What people read, in their language. The facts of a note are in `evaluator.ts` and `conditions.ts`. */
import { unreachable } from '@ringfence/contract';
import type { Facts, Note } from '../notifications/notification-outbox.ts';
import type { languages, NotificationEvent } from '../notifications/notification-settings.ts';

export type MessageLanguage = (typeof languages)[number];

type Say = (fact: (name: string) => string, has: (name: string) => boolean) => string;

interface Texts {
  readonly began: Readonly<Record<NotificationEvent, Say>>;
  readonly over: Readonly<Record<NotificationEvent, Say>>;
  /** The subject of a message with several notes. */
  readonly several: (count: number) => string;
  readonly test: string;
  /** Below each message. */
  readonly why: string;
}

const money = (fact: (name: string) => string, has: (name: string) => boolean): string =>
  has('amount') ? `, ${fact('amount')} ${fact('currency')}`.trimEnd() : '';

/** The model of a condition's key. */
const ofAlarm = (what: string): string => what.replace(/:alarm$/, '');

const english: Texts = {
  began: {
    alert: (fact, has) =>
      `Alert of risk ${fact('risk')}${money(fact, has)}${has('client') ? `, client ${fact('client')}` : ''}, rules ${fact('rules')}`,
    queueAge: (fact) => `The oldest of ${fact('open')} open alerts has waited ${fact('minutes')} minutes`,
    ruleSpike: (fact) =>
      `Rule ${fact('rule')} fired ${fact('count')} times in ${fact('minutes')} minutes; ${fact('expected')} are usual at this time`,
    modelDrift: (fact, has) =>
      `${has('input') ? `Input ${fact('input')} of model` : 'The result of model'} ${fact('model')} drifted (${fact('level')}): stability index ${fact('index')} on ${fact('day')} against its training`,
    webhook: (fact, has) =>
      has('declined')
        ? `The bank answered code 0 to ${fact('declined')} of ${fact('answered')} actions in the last hour`
        : `The bank's webhook fails (${fact('state')}): actions wait`,
    engineLag: (fact) => `Events have waited ${fact('seconds')} seconds for their decision`,
    approval: (fact, has) =>
      has('until')
        ? `${fact('by')} activated version ${fact('version')} of the policy in an emergency; it ends at ${fact('until')} unless a second person confirms it`
        : `Version ${fact('version')} of the policy waits for approval, requested by ${fact('by')}`,
    hold: (fact, has) => `A held payment ends at ${fact('ends')} without a decision${money(fact, has)}`,
    resolution: (fact) => `The bank was not told that a held payment was decided (${fact('state')})`,
    mention: (fact, has) =>
      `${fact('by')} named you or a colleague in a comment${has('comment') ? `: ${fact('comment')}` : ''}`,
    assignment: (fact) => `${fact('by')} assigned an alert of risk ${fact('risk')}`,
  },
  over: {
    alert: () => 'The alert is decided',
    queueAge: () => 'No open alert waits too long any more',
    ruleSpike: (fact) => `Rule ${fact('what')} fires as usual again`,
    modelDrift: (fact) => `The drift of model ${ofAlarm(fact('what'))} is over, or its level changed`,
    webhook: (fact) =>
      fact('what') === 'declined' ? 'The bank executes actions again' : "The bank's webhook answers again",
    engineLag: () => 'Events are decided in time again',
    approval: () => 'The policy was approved, refused or withdrawn, or its emergency is over',
    hold: () => 'The held payment was decided, or its time is over',
    resolution: () => 'The bank was told of the held payment',
    mention: () => '',
    assignment: () => '',
  },
  several: (count) => `${count} notifications`,
  test: 'This is a test of Ringfence. Nothing needs to be done.',
  why: 'Settings > Notifications says what is sent here.',
};

const spanish: Texts = {
  began: {
    alert: (fact, has) =>
      `Alerta de riesgo ${fact('risk')}${money(fact, has)}${has('client') ? `, cliente ${fact('client')}` : ''}, reglas ${fact('rules')}`,
    queueAge: (fact) => `La más antigua de ${fact('open')} alertas abiertas lleva ${fact('minutes')} minutos esperando`,
    ruleSpike: (fact) =>
      `La regla ${fact('rule')} se disparó ${fact('count')} veces en ${fact('minutes')} minutos; lo habitual a esta hora son ${fact('expected')}`,
    modelDrift: (fact, has) =>
      `${has('input') ? `La entrada ${fact('input')} del modelo` : 'El resultado del modelo'} ${fact('model')} se desvió (${fact('level') === 'alarm' ? 'alarma' : 'aviso'}): índice de estabilidad ${fact('index')} el ${fact('day')} frente a su entrenamiento`,
    webhook: (fact, has) =>
      has('declined')
        ? `El banco respondió código 0 a ${fact('declined')} de ${fact('answered')} acciones en la última hora`
        : `El webhook del banco falla (${fact('state')}): las acciones esperan`,
    engineLag: (fact) => `Hay eventos que esperan su decisión desde hace ${fact('seconds')} segundos`,
    approval: (fact, has) =>
      has('until')
        ? `${fact('by')} activó la versión ${fact('version')} de la política por una emergencia; termina a las ${fact('until')} si una segunda persona no la confirma`
        : `La versión ${fact('version')} de la política espera aprobación, pedida por ${fact('by')}`,
    hold: (fact, has) => `Un pago retenido termina a las ${fact('ends')} sin decisión${money(fact, has)}`,
    resolution: (fact) => `El banco no recibió la decisión sobre un pago retenido (${fact('state')})`,
    mention: (fact, has) =>
      `${fact('by')} le mencionó a usted o a un colega en un comentario${has('comment') ? `: ${fact('comment')}` : ''}`,
    assignment: (fact) => `${fact('by')} asignó una alerta de riesgo ${fact('risk')}`,
  },
  over: {
    alert: () => 'La alerta está decidida',
    queueAge: () => 'Ya no hay alertas que esperen demasiado',
    ruleSpike: (fact) => `La regla ${fact('what')} se dispara de nuevo como siempre`,
    modelDrift: (fact) => `La desviación del modelo ${ofAlarm(fact('what'))} terminó, o cambió de nivel`,
    webhook: (fact) =>
      fact('what') === 'declined' ? 'El banco ejecuta de nuevo las acciones' : 'El webhook del banco responde de nuevo',
    engineLag: () => 'Los eventos se deciden de nuevo a tiempo',
    approval: () => 'La política fue aprobada, rechazada o retirada, o su emergencia terminó',
    hold: () => 'El pago retenido fue decidido, o su tiempo terminó',
    resolution: () => 'El banco recibió la decisión sobre el pago retenido',
    mention: () => '',
    assignment: () => '',
  },
  several: (count) => `${count} notificaciones`,
  test: 'Esta es una prueba de Ringfence. No hay nada que hacer.',
  why: 'Configuración > Notificaciones dice qué se envía aquí.',
};

const texts: Readonly<Record<MessageLanguage, Texts>> = { en: english, es: spanish };

export function textsIn(language: string): Texts {
  return language.startsWith('es') ? texts.es : texts.en;
}

/** One sentence, on one line. */
export function textOf({ event, over, facts }: Pick<Note, 'event' | 'over' | 'facts'>, language: string): string {
  if (event === 'test') return textsIn(language).test;
  const say = textsIn(language)[over === true ? 'over' : 'began'][event];
  return say(
    (name) => printFact(facts[name]),
    (name) => facts[name] !== undefined,
  ).replaceAll(/\s+/g, ' ');
}

function printFact(value: Facts[string] | undefined): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

/** The page of the console that shows it; relative to the workspace. */
export function pageOf({ event, facts }: Pick<Note, 'event' | 'facts'>): string {
  switch (event) {
    case 'alert':
    case 'mention':
    case 'assignment':
      return `alerts?alert=${printFact(facts['alert'])}`;
    case 'queueAge':
      return 'alerts';
    case 'ruleSpike':
      return `events?reason=${printFact(facts['rule'] ?? facts['what'])}`;
    case 'webhook':
      return 'integration';
    case 'engineLag':
    case 'test':
      return '';
    case 'approval':
      return 'policy';
    case 'modelDrift':
      return 'policy?tab=models';
    case 'hold':
    case 'resolution':
      return 'holds';
    default:
      return unreachable(event);
  }
}
