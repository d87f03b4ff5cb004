import type { FailureReason } from '@ringfence/delivery';
import { ConnectFailure } from './connect-failure.ts';

/**
 * The reason of a failed request, from an error of undici or a socket; `detail` is a code, never a body or a header.
 */
export function transportFailure(error: unknown): { readonly reason: FailureReason; readonly detail: string } {
  if (error instanceof ConnectFailure) return { reason: error.reason, detail: error.message };
  const { name = '', code = '', cause } = error as { name?: string; code?: unknown; cause?: unknown };
  if (cause instanceof ConnectFailure) return { reason: cause.reason, detail: cause.message };
  const detail = typeof code === 'string' && code !== '' ? code : name;
  if (name === 'TimeoutError' || /TIMEOUT/.test(detail)) return { reason: 'timeout', detail };
  if (/PROXY|PRX|HTTP_TUNNEL/.test(detail) || name === 'ProxyConnectionError') return { reason: 'proxy', detail };
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/.test(detail)) return { reason: 'tls', detail };
  if (/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/.test(detail)) return { reason: 'refused', detail };
  if (/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/.test(detail)) {
    return { reason: 'reset', detail };
  }
  return { reason: 'protocol', detail };
}
