import { isCountryCode } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { readAddressList } from '../../src/network/address-list.ts';
import { countryRows } from '../../src/network/country-table.generated.ts';
import { countryOf } from '../../src/network/country-table.ts';
import { MmdbFile } from '../../src/network/mmdb-file.ts';
import type { NetworkData } from '../../src/network/network-data.ts';
import { networkFacts } from '../../src/network/network-facts.ts';
import { shippedTable } from '../../src/network/shipped-table.ts';
import { bitsOfIpv4, writeMmdb } from '../../../../tools/testing/mmdb.ts';

const shipped: NetworkData = { world: shippedTable(), databases: [], lists: {} };

describe('an address looked up in the built-in table only', () => {
  it('has country, continent, operator and the middle of its country', () => {
    expect(networkFacts('189.203.1.1', shipped)).toEqual({
      'ip.valid': true,
      'ip.version': 4,
      'ip.address': '189.203.1.1',
      'ip.network': '189.203.1.0/24',
      'ip.kind': 'public',
      'ip.asn': 28469,
      'ip.organisation': 'AT&T COMUNICACIONES DIGITALES S DE RL',
      'ip.country': 'MX',
      'ip.continent': 'NA',
      'ip.latitude': 23.9,
      'ip.longitude': -102.2,
      'ip.accuracyKm': 1_750,
      'ip.hosting': false,
      'ip.anonymous': false,
    });
  });

  it.each([
    ['8.8.8.8', { 'ip.country': 'US', 'ip.asn': 15169, 'ip.hosting': true }],
    ['80.58.61.250', { 'ip.country': 'ES', 'ip.hosting': false }],
    ['2001:4860:4860::8888', { 'ip.asn': 15169, 'ip.version': 6 }],
    ['2806:2f0::1', { 'ip.country': 'MX', 'ip.asn': 17072 }],
    ['185.220.101.1', { 'ip.country': 'DE', 'ip.tor': true, 'ip.anonymous': true }],
  ])('%s has these facts', (address, facts) => {
    expect(networkFacts(address, shipped)).toMatchObject(facts);
  });

  it.each(['10.0.0.1', '203.0.113.7', '::1'])('%s has no place', (address) => {
    const facts = networkFacts(address, shipped);
    expect(facts['ip.valid']).toBe(true);
    expect(Object.keys(facts).toSorted()).toEqual(['ip.address', 'ip.kind', 'ip.network', 'ip.valid', 'ip.version']);
  });

  it.each(['', 'unknown', '1.2.3.4, 5.6.7.8', '1.2.3.4:443'])('%j is not an address', (text) => {
    expect(networkFacts(text, shipped)).toEqual({ 'ip.valid': false });
  });
});

describe('lists of the operator', () => {
  const tor = readAddressList('# exits\n189.203.1.1\n2806:2f0::/32 ; a comment\n');
  const vpn = readAddressList('cidr,country,region\n189.203.0.0/16,MX,\n"2806:2f0::/48",MX,\n');
  const listed: NetworkData = { ...shipped, lists: { tor, vpn } };

  it('set flags to true, and to false if they cover the kind', () => {
    expect(networkFacts('189.203.1.1', listed)).toMatchObject({ 'ip.tor': true, 'ip.vpn': true, 'ip.anonymous': true });
    expect(networkFacts('189.203.1.2', listed)).toMatchObject({ 'ip.tor': false, 'ip.vpn': true });
    expect(networkFacts('8.8.8.8', listed)).toMatchObject({ 'ip.tor': false, 'ip.vpn': false, 'ip.anonymous': false });
    expect(networkFacts('2806:2f0:0:1::1', listed)).toMatchObject({ 'ip.tor': true, 'ip.vpn': true });
    expect(networkFacts('2806:2f0:1::1', listed)).toMatchObject({ 'ip.tor': true, 'ip.vpn': false });
    expect(networkFacts('8.8.8.8', listed)).not.toHaveProperty('ip.relay');
  });

  it.each([
    ['', 'no line begins'],
    ['# nothing\n', 'no line begins'],
    ['<html>\n'.repeat(20), 'line 11: "<html>" is neither an address'],
  ])('%j is refused', (text, reason) => {
    expect(() => readAddressList(text)).toThrow(reason);
  });
});

describe('databases of the operator', () => {
  const builtAt = 1_790_000_000;
  const city = new MmdbFile(
    writeMmdb('GeoLite2-City', builtAt, [
      [
        bitsOfIpv4('189.203.1.0/24'),
        {
          city: { names: { en: 'Guadalajara' } },
          country: { iso_code: 'MX' },
          location: { latitude: 20.67, longitude: -103.35, accuracy_radius: 20 },
        },
      ],
      [bitsOfIpv4('81.2.69.0/24'), { country: { iso_code: 'FR' } }],
    ]),
  );
  const asn = new MmdbFile(
    writeMmdb('GeoLite2-ASN', builtAt, [
      [bitsOfIpv4('189.203.0.0/16'), { autonomous_system_number: 24940, autonomous_system_organization: 'Hetzner' }],
    ]),
  );
  const anonymous = new MmdbFile(
    writeMmdb('GeoIP2-Anonymous-IP', builtAt, [
      [bitsOfIpv4('189.203.1.0/24'), { is_anonymous: true, is_anonymous_vpn: true }],
    ]),
  );
  const data: NetworkData = { ...shipped, databases: [city, asn, anonymous] };

  it('take precedence over the built-in table', () => {
    expect(networkFacts('189.203.1.1', data)).toMatchObject({
      'ip.city': 'Guadalajara',
      'ip.country': 'MX',
      'ip.latitude': 20.67,
      'ip.longitude': -103.35,
      'ip.accuracyKm': 20,
      'ip.asn': 24940,
      'ip.organisation': 'Hetzner',
      'ip.vpn': true,
      'ip.tor': false,
      'ip.anonymous': true,
    });
    expect(networkFacts('::ffff:189.203.1.1', data)).toMatchObject({ 'ip.city': 'Guadalajara' });
  });

  it('leave missing values to the built-in table', () => {
    const facts = networkFacts('81.2.69.142', data);
    expect(facts).toMatchObject({ 'ip.country': 'FR', 'ip.asn': 20712, 'ip.latitude': countryOf('FR')!.latitude });
    expect(networkFacts('8.8.8.8', data)).toEqual(networkFacts('8.8.8.8', shipped));
  });

  it('report their name and date', () => {
    expect([city.type, city.builtAtMs]).toEqual(['GeoLite2-City', builtAt * 1_000]);
    expect(() => new MmdbFile(Buffer.from('no database'))).toThrow('it was cut, or has another format');
  });
});

it('the table of countries has their places and languages', () => {
  expect(countryOf('MX')).toMatchObject({ continent: 'NA', languages: ['en', 'es'] });
  expect(countryOf('CH')!.languages).toEqual(expect.arrayContaining(['de', 'fr', 'it']));
  expect(countryOf('MX')!.zones).toContain('America/Mexico_City');
  expect(countryOf('XX')).toBeUndefined();
});

it('knows only countries that a policy may name', () => {
  const codes = countryRows
    .trim()
    .split('\n')
    .map((row) => row.slice(0, 2));
  expect(codes.length).toBeGreaterThan(240);
  expect(codes.filter((code) => !isCountryCode(code))).toEqual([]);
});
