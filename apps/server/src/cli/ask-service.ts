import { type IncomingMessage, request as askPlain } from 'node:http';
import { request as askEncrypted } from 'node:https';
import { json } from 'node:stream/consumers';
import type { Listener } from '../config/configuration.ts';
import type { Readiness } from '../platform/observability/health.ts';

/** The health answer of a running service. */
export interface ServiceAnswer {
  readonly ok: boolean;
  readonly checks: Readiness['checks'];
}

/** A local answer takes milliseconds, but the service's own checks may take up to 2 s. */
const answerMsMax = 2_500;

/** The health URL of a listener, reachable from the same machine. */
export function healthUrl({ host, port, tls }: Listener, path: '/healthz' | '/readyz'): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const shown = reachable.includes(':') ? `[${reachable}]` : reachable;
  return `${tls === undefined ? 'http' : 'https'}://${shown}:${port}${path}`;
}

/**
 * Requests the health of the service at `url`.
 *
 * The certificate is not verified: it is issued for the service's public name, not for this address, and it may just
 * have been replaced on disk. No secret is sent or received.
 *
 * @throws Error if nothing answers in time, or if something other than Ringfence answers
 */
export async function askService(url: string): Promise<ServiceAnswer> {
  const signal = AbortSignal.timeout(answerMsMax);
  try {
    return await ask(url, signal);
  } catch (error) {
    throw signal.aborted ? new Error(`timed out after ${answerMsMax} ms`, { cause: error }) : error;
  }
}

async function ask(url: string, signal: AbortSignal): Promise<ServiceAnswer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = url.startsWith('https:') ? askEncrypted : askPlain;
    request(url, { signal, agent: false, rejectUnauthorized: false }, resolve).on('error', reject).end();
  });
  const said = (await json(answer)) as { readonly status?: unknown; readonly checks?: Readiness['checks'] } | null;
  if (typeof said?.status !== 'string') throw new Error('the answer is not from Ringfence');
  return { ok: answer.statusCode === 200, checks: said.checks ?? {} };
}

/** The failed checks by name: `database failed`. */
export function notWell(checks: Readiness['checks']): readonly string[] {
  return Object.entries(checks).flatMap(([name, state]) => (state === 'well' ? [] : [`${name} ${state}`]));
}
