import { factDefinition, type Policy } from '@ringfence/policy';
import type { Event } from '../api/operations.generated.ts';

type Kind = Event['kind'];

const payee = ['accountTo.bank', 'accountTo.accountNumber', 'creditTo.bank', 'creditTo.account'];

/**
 * The members of a received body, by dotted path, from which a fact is derived: a wire fact has the path of its member,
 * a
 * feature depends on its subject and key, and other facts depend on the client, session, device, address or payee.
 *
 * @param policy absent: the inputs of features are unknown
 */
export function factMembers(kind: Kind, path: string, policy?: Policy): readonly string[] {
  if (factDefinition(path)?.source === 'wire') return path === 'order.amountText' ? ['order.amount'] : [path];
  const feature = policy?.features.find(({ paths }) => paths.includes(path));
  if (feature !== undefined) {
    const facts = [...feature.by, ...(feature.of === undefined ? [] : [feature.of])];
    return facts.flatMap((fact) => factMembers(kind, fact, policy));
  }
  const model = policy?.models.find(({ paths }) => paths.includes(path));
  if (model !== undefined) return [...new Set(model.reads.flatMap((read) => factMembers(kind, read, policy)))];
  const ratio = policy?.ratios.find(({ name }) => name === path);
  if (ratio !== undefined) return [ratio.of.name, ratio.to.name].flatMap((name) => factMembers(kind, name, policy));
  return engineMembers(kind, path);
}

function engineMembers(kind: Kind, path: string): readonly string[] {
  const [about = ''] = path.split('.');
  const isOperation = kind === 'operation';
  if (about === 'client') return [isOperation ? 'account.client' : 'user'];
  if (about === 'session') return [isOperation ? 'account.session' : 'session', 'channelId'];
  if (about === 'payee') return payee;
  // For an operation they come from the login of its session.
  if (about === 'ip' || about === 'travel') return isOperation ? ['account.session'] : ['publicIp'];
  if (about === 'device') return isOperation ? ['account.session'] : ['data'];
  if (path === 'order.amountBase') return ['order.amount', 'order.currency'];
  return path === 'event.at' || path === 'event.hour' || path === 'event.weekday'
    ? ['timestamp', 'transaction.date']
    : [];
}
