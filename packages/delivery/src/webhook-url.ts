import { isIP } from 'node:net';
import { checkAddress, type Cidr } from './address-guard.ts';

export interface WebhookUrlRules {
  readonly environment: 'production' | 'development';
  /** The operator's ranges of private addresses. */
  readonly allow: readonly Cidr[];
}

/** Longer URLs do not pass the proxies and servers on the way. */
const urlLengthMax = 2_048;

/**
 * What is wrong with a webhook's URL as far as its text tells; `undefined` when nothing is. A first check for those who
 * type it: a name is only judged by the addresses that it resolves to, when the connection is made.
 */
export function webhookUrlProblem(text: string, rules: WebhookUrlRules): string | undefined {
  if (text.length > urlLengthMax) return `longer than ${urlLengthMax} characters`;
  if (!URL.canParse(text)) return 'not a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'neither https nor http';
  if (url.username !== '' || url.password !== '') return 'holds a user name or password';
  if (url.hash !== '') return 'holds a fragment, which is never sent';

  const address = literalAddress(url);
  const verdict = address === undefined ? undefined : checkAddress(address, rules.allow);
  if (verdict !== undefined && !verdict.allowed) {
    return `${address} is a ${verdict.class} address; only the operator can allow it: allowPrivateWebhooks in the configuration file, which a command is given too (--config)`;
  }
  if (url.protocol === 'http:' && rules.environment === 'production') {
    // A name may turn out to be in one of the operator's ranges, if there are any; its addresses will tell.
    const mayBePlain = verdict === undefined ? rules.allow.length > 0 : verdict.byOperator;
    if (!mayBePlain) return 'production needs https, except to addresses that the operator allows';
  }
  return undefined;
}

/** The address that a URL spells out, in its usual form whatever the spelling; `undefined` for a name. */
function literalAddress(url: URL): string | undefined {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  return isIP(host) === 0 ? undefined : host;
}
