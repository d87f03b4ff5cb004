import type { Event } from '../../api/operations.generated.ts';

const clientPlaces: Readonly<Record<Event['kind'], string>> = {
  login: 'user',
  logout: 'user',
  operation: 'account.client',
};
const sessionPlaces: Readonly<Record<Event['kind'], string>> = {
  login: 'session',
  logout: 'session',
  operation: 'account.session',
};

/**
 * The members of the received body, by their dotted paths, from which a fact comes. Most facts are named as the member
 * is; the engine's own are about the client, the session, the payee or the amount of a body.
 */
export function factPlaces(kind: Event['kind'], path: string): readonly string[] {
  const own = [path];
  if (/^client(?:\.|[A-Z])/.test(path)) own.push(clientPlaces[kind]);
  if (path.startsWith('session.')) own.push(sessionPlaces[kind]);
  if (/payee/i.test(path))
    own.push('accountTo.bank', 'accountTo.accountNumber', 'creditTo.bank', 'creditTo.accountNumber');
  if (/amount|payments/i.test(path)) own.push('order.amount');
  if (/^ip(?:\.|[A-Z])|ips\d/i.test(path)) own.push('publicIp');
  if (/^device(?:\.|[A-Z])/.test(path)) own.push('data');
  if (path === 'event.at') own.push('timestamp', 'transaction.date');
  return own;
}
