import type { Configuration } from '../../config/configuration.ts';
import { bad, type Finding, unwise } from './finding.ts';

type Listeners = Pick<Configuration, 'listen' | 'management' | 'console'>;

/** Checks what the file says about proxies: by `X-Forwarded-For` they decide whom limits of an address hit. */
export function checkProxies(configuration: Listeners): readonly Finding[] {
  const trustsAll = (['listen', 'management'] as const).flatMap((name) => {
    if (!configuration[name].trustedProxies.some(({ prefixLength }) => prefixLength === 0)) return [];
    const detail = `${name}.trustedProxies has every address: each sender says where it is, and no limit of an address holds`;
    return [bad('proxies', detail, 'List only the addresses of your proxies.')];
  });
  return [...trustsAll, ...unnamedProxy(configuration)];
}

/** People open an https console, and the listener has no certificate: something between them ends TLS. */
function unnamedProxy({ console: { origin }, management }: Listeners): readonly Finding[] {
  if (origin?.startsWith('https:') !== true || management.tls !== undefined) return [];
  if (management.trustedProxies.length > 0) return [];
  const detail = `${origin} is served by a proxy that management.trustedProxies does not list: all people count as one address`;
  return [
    unwise('proxies', detail, 'List the address of the proxy, so that one wrong password does not slow all down.'),
  ];
}
