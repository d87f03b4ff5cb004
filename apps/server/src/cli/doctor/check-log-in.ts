import type { Configuration } from '../../config/configuration.ts';
import { type Finding, good } from './finding.ts';

/** By what people get into the console, for whoever has to know that there is one way only. */
export function checkLogIn({ console: { openId } }: Pick<Configuration, 'console'>): Finding {
  if (openId === undefined) return good('log-in', 'by passwords');
  return good('log-in', `by ${openId.issuer}${openId.only ? ' only; passwords are refused' : ', and by passwords'}`);
}
