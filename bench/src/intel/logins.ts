import type { Enrichment, EpochMs, EventKind } from '@ringfence/contract';
import { secondMs } from '@ringfence/contract';
import type { EngineRecord } from '@ringfence/engine';

const beginMs = 1_790_000_000_000;
/** The number of signals in the SDK's profile `full`. */
const traits = [
  ['webgl', 'webglLimits', 'canvas', 'cpuNan', 'screen', 'pixelRatio', 'colorDepth', 'colorGamut'],
  ['hardwareConcurrency', 'deviceMemoryGib', 'touch', 'model', 'platform', 'os', 'fonts', 'textMetrics'],
  ['browser', 'userAgent', 'vendor', 'codecs', 'plugins', 'audio', 'maths', 'features', 'cssFeatures'],
  ['timezone', 'languages', 'locale', 'keyboardLayout', 'colorScheme', 'contrast', 'storage'],
].flat();

/** A device of the benchmark, by its number: every fifth trait is distinctive, the others are common. */
function componentsOf(device: number): string {
  return traits
    .map((name, at) => `${name}:${(((device * (at + 3)) % (at % 5 === 0 ? 9_973 : 7)) + 1).toString(36)}`)
    .join(' ');
}

/** The facts that enrichment adds to a login with this device. */
export function enrichmentFactsOf(device: number, login: number, shown: 'id' | 'cleared'): Enrichment['facts'] {
  const network = device % 4_000;
  return {
    'ip.valid': true,
    'ip.version': 4,
    'ip.address': `189.${network >> 8}.${network & 255}.${device % 250}`,
    'ip.network': `189.${network >> 8}.${network & 255}.0/24`,
    'ip.kind': 'public',
    'ip.country': 'MX',
    'ip.continent': 'NA',
    'ip.asn': 8_151,
    'ip.organisation': 'UNINET',
    'ip.latitude': 23.9,
    'ip.longitude': -102.2,
    'ip.accuracyKm': 1_750,
    'ip.hosting': false,
    'ip.anonymous': false,
    'device.state': 'present',
    'device.nonce': `nonce-${login}`,
    'device.age': 1_000,
    'device.sdk': 'ringfence-web/0.1.0',
    'device.proof': 'holds',
    'device.id': shown === 'id' ? `device-${device}` : `device-${device}-${login}`,
    'device.key': shown === 'id' ? `key-${device}` : `key-${login}`,
    'device.idFresh': shown === 'cleared',
    'device.automation': false,
    'device.tampered': false,
    'device.os': 'Windows',
    'device.browser': 'Chrome',
    'device.timezoneMismatch': false,
    'device.components': componentsOf(device),
  };
}

/** Writes consecutive records. */
export class Records {
  #offset = 0;
  #atMs = beginMs;

  control(record: { readonly kind: 'settings' | 'policy' } & object): EngineRecord {
    return { ...record, offset: this.#offset++, logTimeMs: this.#atMs as EpochMs } as unknown as EngineRecord;
  }

  event(kind: EventKind, client: number, facts: Enrichment['facts']): EngineRecord {
    const offset = this.#offset++;
    this.#atMs += secondMs / 50;
    const user = `client-${client}`;
    const session = `session-${client}`;
    const event =
      kind === 'operation'
        ? {
            kind,
            channelId: 2,
            transaction: { category: 'transfer', reference: `r${offset}` },
            account: { client: user, session },
            order: { amount: '125.50', currency: 'MXN' },
            accountTo: { bank: 'B1', accountNumber: `${(offset * 31) % 20_000}` },
          }
        : { kind, channelId: 2, user, session, publicIp: '189.203.1.1', data: 'token' };
    const enrichment = kind === 'operation' ? { statedAtMs: this.#atMs, facts } : { facts };
    return {
      kind: 'event',
      offset,
      logTimeMs: this.#atMs,
      event,
      enrichment,
      subject: `subject-${client}`,
      bodyHash: `${offset}`.padStart(16, '0'),
      retryOf: undefined,
    } as unknown as EngineRecord;
  }
}
