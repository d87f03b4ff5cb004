import { describe, expect, it } from 'vitest';
import { billOfMaterials, type Release } from '../bill-of-materials.ts';
import type { Component } from '../component.ts';

const release: Release = { version: '1.2.3', machine: 'linux-x64', commit: 'c0ffee', date: '2026-11-28T19:02:02.000Z' };
const library: Component = {
  kind: 'library',
  name: 'pg',
  version: '8.0.0',
  licence: 'MIT',
  texts: ['text'],
  purl: 'pkg:npm/pg@8.0.0',
  sha512: Buffer.from('ab', 'hex').toString('base64'),
  needs: ['pkg:npm/split2@4.0.0', 'pkg:npm/absent@1.0.0'],
};
const other: Component = {
  kind: 'application',
  name: 'split2',
  version: '4.0.0',
  licence: 'Public domain',
  texts: [],
  purl: 'pkg:npm/split2@4.0.0',
  files: [{ name: 'libz.so.1', sha256: 'cd' }],
  parts: [{ kind: 'data', name: 'tz', version: undefined, licence: 'MIT', texts: [], purl: 'pkg:generic/tz' }],
};

describe('the bill of materials', () => {
  const bill = JSON.parse(billOfMaterials(release, [library, other])) as Record<string, unknown>;

  it('is of CycloneDX 1.6, with the release as its subject', () => {
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
      metadata: { timestamp: release.date, component: { name: 'ringfence', version: '1.2.3' } },
    });
  });

  it('has hashes in hexadecimal, licences by SPDX or in words, files and parts', () => {
    expect(bill['components']).toEqual([
      {
        type: 'library',
        'bom-ref': 'pkg:npm/pg@8.0.0',
        name: 'pg',
        version: '8.0.0',
        hashes: [{ alg: 'SHA-512', content: 'ab' }],
        licenses: [{ license: { id: 'MIT' } }],
        purl: 'pkg:npm/pg@8.0.0',
      },
      {
        type: 'application',
        'bom-ref': 'pkg:npm/split2@4.0.0',
        name: 'split2',
        version: '4.0.0',
        licenses: [{ license: { name: 'Public domain' } }],
        purl: 'pkg:npm/split2@4.0.0',
        components: [
          {
            type: 'file',
            'bom-ref': 'pkg:npm/split2@4.0.0#libz.so.1',
            name: 'libz.so.1',
            hashes: [{ alg: 'SHA-256', content: 'cd' }],
          },
          {
            type: 'data',
            'bom-ref': 'pkg:npm/split2@4.0.0#tz',
            name: 'tz',
            licenses: [{ license: { id: 'MIT' } }],
            purl: 'pkg:generic/tz',
          },
        ],
      },
    ]);
  });

  it('has the graph of needs, without what it does not list', () => {
    expect(bill['dependencies']).toEqual([
      { ref: 'pkg:generic/ringfence@1.2.3', dependsOn: ['pkg:npm/pg@8.0.0', 'pkg:npm/split2@4.0.0'] },
      { ref: 'pkg:npm/pg@8.0.0', dependsOn: ['pkg:npm/split2@4.0.0'] },
      { ref: 'pkg:npm/split2@4.0.0', dependsOn: [] },
    ]);
  });

  it('is the same for the same contents, and has another serial number for others', () => {
    const serial = (components: readonly Component[]): string | undefined =>
      /urn:uuid:\S+/.exec(billOfMaterials(release, components))?.[0];
    expect(billOfMaterials(release, [library, other])).toBe(billOfMaterials(release, [library, other]));
    expect(serial([library])).not.toBe(serial([other]));
  });
});
