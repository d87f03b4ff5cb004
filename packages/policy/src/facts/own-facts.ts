import type { FactDefinition } from './facts.ts';

/**
 * Whether the fact can identify the entity of a feature. Counts that Ringfence keeps about a client or a session
 * (`client.logins`, `client.known`) can't: they are known only after the entities of the event are loaded.
 */
export function canName({ path, source, type }: FactDefinition): boolean {
  if (path === 'event.hour' || path === 'event.weekday') return true;
  return source !== 'outcome' && (source !== 'engine' || (type !== 'int' && !keptFacts.has(path)));
}

/** Facts that Ringfence keeps about a client or a session and that are no counts. */
const keptFacts: ReadonlySet<string> = new Set([
  'client.known',
  'client.loginSurprise',
  'client.loginSurprisePlace',
  'client.loginSurpriseSoftware',
  'client.loginSurpriseHour',
  'client.lastStepUp',
  'client.lastOutcome',
  'session.stepUpPassed',
]);

/**
 * Engine facts that depend on the event alone, whenever they are computed. Hours and weekdays are excluded: they depend
 * on the workspace's time zone at that moment.
 */
const ownFacts: ReadonlySet<string> = new Set([
  'event.kind',
  'event.at',
  'event.loggedAt',
  'event.timeStated',
  'client.id',
  'session.id',
  'payee.id',
]);

/**
 * Whether the fact is determined by each event of these kinds itself, and not by other state at the time of the
 * decision: a label that arrives later uses such facts to find what the event counted for. Operations have the address
 * of their session.
 */
export function isOwnFact({ path, source }: FactDefinition, on: ReadonlySet<string>): boolean {
  if (source === 'wire' || ownFacts.has(path)) return true;
  return ((source === 'enrichment' && path.startsWith('ip.')) || path === 'ip.subnet') && !on.has('operation');
}

/**
 * Whether the fact is known of an event when its outcome is reported, possibly months later: facts of the event itself,
 * and what was looked up when it arrived.
 */
export function isReportedFact({ path, source }: FactDefinition): boolean {
  return source !== 'engine' || ownFacts.has(path);
}
