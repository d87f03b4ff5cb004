import { Problem } from '@ringfence/contract';
import { isOfProvider } from '../../access/accounts/is-of-provider.ts';
import { type ConsoleSession, findSession } from '../../access/accounts/sessions.ts';
import type { ManagementDeps } from '../server/management-deps.ts';

/** Whether people may log in with passwords: false if the configuration admits only the OpenID provider. */
export function passwordsAreTaken({ openId }: Pick<ManagementDeps, 'openId'>): boolean {
  return openId?.settings.only !== true;
}

/**
 * Guards every operation that accepts a password, or creates a link for one.
 *
 * @throws Problem `owner.config`
 */
export function needPasswords(deps: Pick<ManagementDeps, 'openId'>): void {
  if (passwordsAreTaken(deps)) return;
  throw new Problem('owner.config', `People can only log in with ${deps.openId!.name}: console.openId.only.`);
}

/**
 * The valid session of this token. Sessions opened by a password or another provider are not valid if the configuration
 * admits only one provider, even if they were opened before that, or by a process with an older configuration.
 *
 * @param isUse false for a request that a page sends on a timer
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
