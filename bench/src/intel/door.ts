import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { assert } from '@ringfence/contract';
import {
  deviceFacts,
  type NetworkData,
  networkFacts,
  openDeviceKey,
  type PrivateDeviceJwk,
  readAddressList,
  shippedTable,
} from '@ringfence/intel';
import { Stopwatch } from '../measure/stopwatch.ts';

interface Vectors {
  readonly keys: { readonly keys: readonly PrivateDeviceJwk[] };
  readonly opened: readonly [
    { readonly token: string; readonly content: { readonly iat: number; readonly channelId: number } },
  ];
}

const vectorsFile = new URL('../../../packages/device/vectors/device-token.json', import.meta.url);
/** Warm-up: compiles and caches what a running service has. */
const warmUp = 300;
/** Tor exits, and as many VPN networks as the longest public lists have. */
const listed = 20_000;

/**
 * Tokens opened and verified, with all their facts, per second on one core. No result is cached: a repeated token takes
 * as long as any other.
 */
export function tokensPerSecond(count: number): number {
  const { keys, opened } = JSON.parse(readFileSync(vectorsFile, 'utf8')) as Vectors;
  const { token, content } = opened[0];
  const setting = {
    keys: keys.keys.map(openDeviceKey),
    origins: [],
    channelId: content.channelId,
    nowMs: content.iat * 1_000,
  };
  return perSecond(count, () => {
    assert(deviceFacts(token, setting)['device.proof'] === 'holds', 'the token opens, and its proof holds');
  });
}

/**
 * The baseline of the same run: only the cryptography of a token, with the same calls. A key agreement with a new key,
 * decryption of a content of the usual size, and one proof verified with another new key.
 */
export function bareTokensPerSecond(count: number): number {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = own.publicKey.export({ format: 'pem', type: 'spki' });
  const input = randomBytes(300);
  const signature = sign('sha256', input, own.privateKey);
  const key = createSecretKey(randomBytes(32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const ciphertext = cipher.update(randomBytes(2_000));
  cipher.final();
  return perSecond(count, () => {
    diffieHellman({ privateKey: own.privateKey, publicKey: pem });
    const decipher = createDecipheriv('aes-256-gcm', key, iv);
    decipher.setAuthTag(cipher.getAuthTag());
    decipher.update(ciphertext);
    decipher.final();
    assert(verify('sha256', input, pem, signature), 'the signature holds');
  });
}

function perSecond(count: number, once: () => void): number {
  const watch = new Stopwatch();
  for (let at = 0; at < warmUp; at++) once();
  watch.time(() => {
    for (let at = 0; at < count; at++) once();
  });
  return (count / watch.cpuMs) * 1_000;
}

/** Addresses looked up with all their facts, per second on one core: one in eight is IPv6, none occurs twice. */
export function addressesPerSecond(count: number): number {
  const exits = Array.from({ length: listed }, (_, at) => ipv4Of(at * 7_919)).join('\n');
  const list = readAddressList(exits);
  const data: NetworkData = { world: shippedTable(), databases: [], lists: { tor: list, vpn: list } };
  const addresses = Array.from({ length: count }, (_, at) => (at % 8 === 0 ? ipv6Of(at) : ipv4Of(at * 2_654_435)));
  const watch = new Stopwatch();
  let public_ = 0;
  for (const address of addresses.slice(0, warmUp)) networkFacts(address, data);
  watch.time(() => {
    for (const address of addresses) if (networkFacts(address, data)['ip.kind'] === 'public') public_++;
  });
  assert(public_ > count / 2, 'most of the addresses have a location');
  return (count / watch.cpuMs) * 1_000;
}

function ipv4Of(number: number): string {
  const word = (number * 2_654_435_761) % 0x1_0000_0000;
  return [24, 16, 8, 0].map((shift) => Math.floor(word / 2 ** shift) & 255).join('.');
}

function ipv6Of(number: number): string {
  const mixed = (number * 40_503) % 0x1_0000;
  return `2a0${(mixed % 9) + 1}:${mixed.toString(16)}:${(number % 0xffff).toString(16)}::1`;
}
