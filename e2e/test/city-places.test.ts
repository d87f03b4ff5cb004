/**
 * Goal: rules, the facts of an event and the console use the operator's city database. Method: a real service; a
 * database written for the test, and installed into the running service by the command in the guide.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bitsOfIpv4, bitsOfIpv6, type MmdbValue, writeMmdb } from '../../tools/testing/mmdb.ts';
import { patience } from '../../tools/testing/patience.ts';
import { runCommand } from '../harness/command.ts';
import { eventually } from '../harness/eventually.ts';
import type { SeenEvent } from '../harness/management.ts';
import { openScene, type Scene } from '../harness/scene.ts';

const policy = {
  'policy.yaml': `rules:
  - { reason: 801, name: From Monterrey, on: [login], when: ip.city == "Monterrey", then: { action: 3, message: m } }
  - { reason: 802, name: Far away, on: [login], when: travel.km > 500.0, then: { action: 3, message: m } }
`,
};
/** Public addresses: of the two cities, and of a country without a city in the database. */
const [guadalajara, monterrey, spain] = ['189.203.1.7', '2806:2f0:1::7', '80.58.61.250'];

/** A network in the form of GeoLite2-City. */
function inMexico(name: string, location: Readonly<Record<string, number>>): MmdbValue {
  return { city: { names: { en: name, es: `${name} (es)` } }, country: { iso_code: 'MX' }, location };
}

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ policy });
});
afterAll(() => scene.close());

let sessions = 0;

async function login(user: string, publicIp: string): Promise<SeenEvent> {
  const body = { channelId: 1, user, session: `s-${++sessions}`, publicIp, data: '' };
  const { status, id } = await scene.tell('login', body);
  expect(status).toBe(200);
  return eventually('the login is decided', patience.timeout, async () => {
    const event = await scene.management.event(id!);
    return event?.status === 'decided' ? event : undefined;
  });
}

async function placesOf({ clientRef }: SeenEvent): Promise<unknown> {
  const response = await scene.management.request('GET', `entities/client/${clientRef}/places`);
  expect(response.status).toBe(200);
  return response.json();
}

describe('a database of cities', () => {
  it('is optional: without one a login has a place in its country', async () => {
    const event = await login('bob', guadalajara);
    expect(event.derived).toMatchObject({ 'ip.country': 'MX', 'ip.accuracyKm': 1_750 });
    expect(event.derived).not.toHaveProperty('ip.city');
    expect(await placesOf(event)).toEqual({ items: [expect.not.objectContaining({ city: expect.anything() })] });
  });

  it('is loaded by the running service', async () => {
    const file = join(scene.home, 'cities-2026-11.mmdb');
    const database = writeMmdb('Test-City', 1_790_000_000, [
      [
        bitsOfIpv4('189.203.0.0/16'),
        inMexico('Guadalajara', { latitude: 20.67, longitude: -103.35, accuracy_radius: 20 }),
      ],
      [
        bitsOfIpv6('2806:2f0::/32'),
        inMexico('Monterrey', { latitude: 25.67, longitude: -100.31, accuracy_radius: 50 }),
      ],
    ]);
    writeFileSync(file, database);
    const { code, stdout } = await runCommand(['intel', 'update', file, '--config', scene.options.configFile!]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/Test-City +cities-2026-11\.mmdb/) });
    await eventually('the service has it', patience.timeout, () =>
      scene.service.output().includes('loaded changed network data files') ? true : undefined,
    );
  });

  it('gives rules and API clients the city of IPv4 and IPv6 addresses', async () => {
    const west = await login('ana', guadalajara);
    expect(west.derived).toMatchObject({
      'ip.version': 4,
      'ip.country': 'MX',
      'ip.city': 'Guadalajara',
      'ip.latitude': 20.67,
      'ip.longitude': -103.35,
      'ip.accuracyKm': 20,
      // In the built-in table, but not in the database.
      'ip.asn': 28_469,
    });
    expect(west.fired).toEqual([]);

    const north = await login('ana', monterrey);
    expect(north.derived).toMatchObject({
      'ip.version': 6,
      'ip.country': 'MX',
      'ip.city': 'Monterrey',
      'ip.latitude': 25.67,
      'ip.longitude': -100.31,
      'ip.accuracyKm': 50,
    });
    expect(north.fired.toSorted((a, b) => a - b)).toEqual([801, 802]);
  });

  it('determines the location of a client in the console', async () => {
    await login('ana', guadalajara);
    const last = await login('ana', spain);
    const west = { name: 'Guadalajara', latitude: 20.67, longitude: -103.35 };
    const north = { name: 'Monterrey', latitude: 25.67, longitude: -100.31 };
    const items = [
      { country: 'MX', city: west, operator: 28_469, events: 2 },
      { country: 'ES', events: 1 },
      { country: 'MX', city: north, operator: 17_072, events: 1, fired: 1 },
    ];
    const seen = (await placesOf(last)) as { readonly items: readonly object[] };
    expect(seen).toMatchObject({ items });
    expect(seen.items[1]).not.toHaveProperty('city');
  });
});
