/**
 * Goal: device signals reach the rules, a stolen token is not accepted for its device, and a restart loses nothing.
 * Method: a real service; tokens as the browser SDK makes them, written with jose for the keys that the service
 * publishes.
 */
import { CompactEncrypt, CompactSign, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../harness/command.ts';
import { eventually } from '../harness/eventually.ts';
import { openScene, type Scene } from '../harness/scene.ts';

const policy = {
  'policy.yaml': `features:
  clientDeviceFirstSeen: { firstSeen: true, by: [client.id, device.id] }
rules:
  - { reason: 701, name: A new device, on: [login], when: clientDeviceFirstSeen == 0s, then: { action: 3, message: m } }
  - { reason: 702, name: A machine, on: [login], when: device.automation, then: { action: 3, message: m } }
  - { reason: 703, name: No whole token, on: [login], when: device.state != "present", then: { action: 3, message: m } }
  - { reason: 704, name: A token again, on: [login], when: device.state == "replayed", then: { action: 3, message: m } }
`,
};

let scene: Scene;
let publicKey: JWK;
beforeAll(async () => {
  scene = await openScene({ policy });
  publicKey = (await servedKeys())[0]!;
});
afterAll(() => scene.close());

async function command(...words: readonly string[]): Promise<unknown> {
  const { code, stdout } = await runCommand([...words, '--json', '--config', scene.options.configFile!]);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

async function servedKeys(): Promise<readonly JWK[]> {
  const { id } = (await command('workspace', 'show')) as { readonly id: string };
  const answer = await fetch(`${scene.service.url}/device/v1/keys/${id}`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { readonly keys: readonly JWK[] }).keys;
}

/** A browser: an id and a key that it keeps. */
async function newBrowser(): Promise<(signals?: object) => Promise<string>> {
  const id = randomBytes(16).toString('base64url');
  const own = await generateKeyPair('ES256');
  const { kty, crv, x, y } = await exportJWK(own.publicKey);
  const jwk = { kty: kty!, crv: crv!, x: x!, y: y! };
  return async (signals = {}) => {
    const claims = {
      id,
      nonce: randomBytes(16).toString('base64url'),
      iat: Math.floor(Date.now() / 1_000),
      origin: 'https://bank.example',
    };
    const proof = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'ES256', typ: 'ringfence-device-proof', jwk })
      .sign(own.privateKey);
    const { nonce, iat, origin } = claims;
    const content = {
      format: 1,
      nonce,
      iat,
      origin,
      sdk: 'ringfence-web/0.1.0',
      channelId: 2,
      profile: 'essential',
      tookMs: 9,
      device: { id, createdAt: iat, found: [], proof },
      signals: { webdriver: false, timezone: 'America/Mexico_City', ...signals },
      absent: {},
    };
    return new CompactEncrypt(Buffer.from(JSON.stringify(content)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: publicKey.kid!, typ: 'ringfence-device' })
      .encrypt(await importJWK(publicKey));
  };
}

let sessions = 0;

/** The rules that match a login with this `data`. */
async function firedBy(user: string, data: string): Promise<readonly number[]> {
  const login = { channelId: 2, user, session: `s-${++sessions}`, publicIp: '203.0.113.9', data };
  const { status, id } = await scene.tell('login', login);
  expect(status).toBe(200);
  const decided = await eventually('the login is decided', 10_000, async () => {
    const event = await scene.management.event(id!);
    return event?.status === 'decided' ? event : undefined;
  });
  return decided.fired.toSorted((a, b) => a - b);
}

describe('the device token of a login', () => {
  it('distinguishes a new device from a known one, for each client', async () => {
    const browser = await newBrowser();
    expect(await firedBy('ana', await browser())).toEqual([701]);
    expect(await firedBy('ana', await browser())).toEqual([]);
    expect(await firedBy('bob', await browser())).toEqual([701]);
  });

  it('detects a browser that a program drives', async () => {
    const browser = await newBrowser();
    await firedBy('ana', await browser());
    expect(await firedBy('ana', await browser({ webdriver: true }))).toEqual([702]);
  });

  it('is part of the facts of the login', async () => {
    const browser = await newBrowser();
    const login = { channelId: 2, user: 'fay', session: 'f-1', publicIp: '203.0.113.9', data: await browser() };
    const { id } = await scene.tell('login', login);
    expect(await command('events', 'facts', id!)).toMatchObject({
      'device.state': 'present',
      'device.proof': 'holds',
      'device.timezone': 'America/Mexico_City',
      'ip.address': '203.0.113.9',
    });
    const { code, stderr } = await runCommand(['events', 'facts', 'evt_1_1', '--config', scene.options.configFile!]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('has no readable event evt_1_1')]);
  });

  it.each(['', 'v1.opaque-blob'])('is a fact when it is %j', async (data) => {
    expect(await firedBy('ana', data)).toEqual([703]);
  });

  it('is accepted once, also after a kill and a restart, and opens with the key before a rotation', async () => {
    const browser = await newBrowser();
    const stolen = await browser();
    expect(await firedBy('ana', stolen)).toEqual([701]);
    await scene.service.kill();
    await scene.start();
    expect(await firedBy('bob', stolen)).toEqual([703, 704]);

    await command('device-key', 'rotate');
    await eventually('the new key is served', 10_000, async () =>
      (await servedKeys()).length === 2 ? true : undefined,
    );
    expect(await firedBy('ana', await browser())).toEqual([]);
    expect(await firedBy('ana', stolen)).toEqual([703, 704]);
  });
});
