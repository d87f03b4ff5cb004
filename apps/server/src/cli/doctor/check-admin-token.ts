import type { Configuration } from '../../config/configuration.ts';
import { adminTokenPath, findAdminToken } from '../../platform/secrets/admin-token.ts';
import { type Finding, good } from './finding.ts';

/** Checks that the next start can use the admin token. @throws OperatorError as the start does */
export function checkAdminToken({ home, adminToken }: Pick<Configuration, 'home' | 'adminToken'>): Finding {
  const found = findAdminToken(home, adminToken);
  if (found === undefined) return good('admin token', `the next start generates it in ${adminTokenPath(home)}`);
  return good('admin token', `from ${found.path ?? 'RINGFENCE_ADMIN_TOKEN'}`);
}
