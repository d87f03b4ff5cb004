import type { Enrichment, EpochMs } from '@ringfence/contract';
import { defaultSettings, type EngineRecord, type EngineSettings } from '@ringfence/engine';
import type { Policy } from '@ringfence/policy';
import type { FreemanLogin } from './freeman.ts';
import type { GeneratedLogin } from './generate.ts';
import { agentOf, type Device, versionAt } from './world.ts';

const settings: EngineSettings = { ...defaultSettings, timezone: 'America/Mexico_City' };

/** Traits that devices of one model share, of one browser and version, and of one person. */
const ofModel = ['webgl', 'webglLimits', 'canvas', 'cpuNan', 'screen', 'pixelRatio', 'hardwareConcurrency', 'model'];
const ofBrowser = ['browser', 'vendor', 'codecs', 'audio', 'maths', 'features', 'cssFeatures', 'userAgent'];
const ofPerson = ['fonts', 'textMetrics', 'colorScheme'];

/** The log of these logins: settings, the policy, and one record for each. */
export function loginRecords(logins: readonly GeneratedLogin[], policy: Policy): readonly EngineRecord[] {
  const beginMs = (logins[0]?.atMs ?? 0) as EpochMs;
  return [
    { kind: 'settings', offset: 0, logTimeMs: beginMs, settings },
    { kind: 'policy', offset: 1, logTimeMs: beginMs, version: 1, policy },
    ...logins.map((login, at) => recordOf(login, at + 2)),
  ];
}

function recordOf(login: GeneratedLogin, offset: number): EngineRecord {
  const { client, atMs, line } = login;
  return {
    kind: 'event',
    offset,
    logTimeMs: Math.floor(atMs) as EpochMs,
    event: { kind: 'login', channelId: 1, user: client, session: `s${offset}`, publicIp: line.address, data: 'token' },
    enrichment: { facts: factsOf(login, offset) },
    subject: `subject of ${client}`,
    bodyHash: String(offset).padStart(16, '0'),
    retryOf: undefined,
  };
}

/** What ingest adds to the login: its place, and the contents of its token. */
function factsOf({ device, line, storedId, isFresh, atMs }: GeneratedLogin, offset: number): Enrichment['facts'] {
  const { address, operator } = line;
  const version = versionAt(device, atMs);
  return {
    'ip.valid': true,
    'ip.version': 4,
    'ip.kind': 'public',
    'ip.address': address,
    'ip.network': `${address.slice(0, address.lastIndexOf('.'))}.0/24`,
    'ip.country': operator.country,
    'ip.asn': operator.asn,
    'ip.hosting': operator.kind === 'hosting',
    'device.state': 'present',
    'device.nonce': `nonce-${offset}`,
    'device.proof': 'holds',
    'device.id': storedId,
    'device.key': `key of ${storedId}`,
    'device.idFresh': isFresh,
    'device.os': device.os,
    'device.browser': device.browser,
    'device.browserVersion': version,
    'device.userAgent': agentOf(device, version),
    'device.components': componentsOf(device, version),
  };
}

function componentsOf({ os, model, browser, fonts }: Device, version: number): string {
  const traits = (names: readonly string[], value: string): readonly string[] =>
    names.map((name) => `${name}:${traitHash(`${name} ${value}`).toString(36)}`);
  return [
    ...traits(ofModel, `${os} ${model}`),
    ...traits(ofBrowser, `${os} ${browser} ${version}`),
    ...traits(ofPerson, `${os} ${fonts}`),
  ].join(' ');
}

function traitHash(text: string): number {
  let hash = 7;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0;
  return hash || 1;
}

/** The same login as Freeman's score sees it. */
export function freemanLogin({ client, line, device, atMs }: GeneratedLogin): FreemanLogin {
  const version = versionAt(device, atMs);
  return {
    user: client,
    address: line.address,
    asn: String(line.operator.asn),
    country: line.operator.country,
    agent: agentOf(device, version),
    browser: `${device.browser} ${version}`,
    os: device.os,
    deviceType: device.os === 'Android' || device.os === 'iOS' ? 'mobile' : 'desktop',
  };
}
