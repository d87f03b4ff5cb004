import type { Configuration } from '../../config/configuration.ts';
import { type Finding, good } from './finding.ts';

/** Shows how people log in to the console, and whether OpenID Connect is the only way. */
export function checkLogIn({ console: { openId } }: Pick<Configuration, 'console'>): Finding {
  if (openId === undefined) return good('log-in', 'with passwords');
  return good('log-in', `with ${openId.issuer}${openId.only ? ' only; passwords are refused' : ', or with passwords'}`);
}
