import { Problem } from '@ringfence/contract';
import { isOfProvider } from '../../access/accounts/is-of-provider.ts';
import { type ConsoleSession, findSession } from '../../access/accounts/sessions.ts';
import type { ManagementDeps } from '../server/management-deps.ts';

/** Whether people may log in with passwords: not where the file says that only the OpenID provider lets them in. */
export function passwordsAreTaken({ openId }: Pick<ManagementDeps, 'openId'>): boolean {
  return openId?.settings.only !== true;
}

/**
 * Stands before everything that takes a password, or makes a link for one.
 *
 * @throws Problem `owner.config`
 */
export function needPasswords(deps: Pick<ManagementDeps, 'openId'>): void {
  if (passwordsAreTaken(deps)) return;
  throw new Problem('owner.config', `Only ${deps.openId!.name} lets people in here: console.openId.only.`);
}

/**
 * The session of this token, while it lasts. One that a password opened, or another provider, before the file said that
 * only this one lets people in or in a process that has not heard of it yet, is none.
 *
 * @param isUse false for what a page asks by itself
 */
export async function sessionOf(
  deps: Pick<ManagementDeps, 'pool' | 'now' | 'openId'>,
  token: string,
  isUse: boolean,
): Promise<ConsoleSession | undefined> {
  const session = await findSession(deps.pool, token, { nowMs: deps.now(), isUse });
  if (passwordsAreTaken(deps)) return session;
  const issuer = session?.account.issuer;
  return issuer !== undefined && isOfProvider(deps.openId!.settings.issuer, issuer) ? session : undefined;
}
