import { isIP } from 'node:net';
import { type AllowedRange, checkAddress, rangesAt, rangesOf, type WebhookOwner } from './address-guard.ts';

export interface WebhookUrlRules extends WebhookOwner {
  /** The operator's ranges of private addresses. */
  readonly allow: readonly AllowedRange[];
}

/** Longer URLs are rejected by proxies and servers on the way. */
const urlLengthMax = 2_048;

/**
 * Describes what is wrong with the text of a webhook URL; `undefined` when nothing is. This is early feedback for the
 * person who enters it: the addresses behind a host name are checked only when the connection is made.
 */
export function webhookUrlProblem(text: string, rules: WebhookUrlRules): string | undefined {
  if (text.length > urlLengthMax) return `longer than ${urlLengthMax} characters`;
  if (!URL.canParse(text)) return 'not a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'neither https nor http';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password';
  if (url.hash !== '') return 'contains a fragment, which is never sent';

  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const allow = rangesAt(port, rangesOf(rules, rules.allow));
  const address = literalAddress(url);
  const verdict = address === undefined ? undefined : checkAddress(address, allow);
  if (verdict !== undefined && !verdict.allowed) {
    const isLocal = rules.environment === 'development' && verdict.class === 'loopback';
    const how = isLocal
      ? 'RINGFENCE_ALLOW_LOCAL_WEBHOOKS=true in the environment of the service and of commands'
      : 'allowPrivateWebhooks in the configuration file, which commands need too (--config)';
    return `${address} is a ${verdict.class} address; only the operator can allow it, for this workspace and port ${port}: ${how}`;
  }
  if (url.protocol === 'http:' && rules.environment === 'production') {
    // A host name may resolve to one of the operator's ranges; its addresses are checked on connection.
    const mayBePlain = verdict === undefined ? allow.length > 0 : verdict.byOperator;
    if (!mayBePlain) return 'production requires https, except to addresses that the operator allows';
  }
  return undefined;
}

/** The literal address in a URL, in canonical form; `undefined` for a host name. */
function literalAddress(url: URL): string | undefined {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  return isIP(host) === 0 ? undefined : host;
}
