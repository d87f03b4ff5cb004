import { createHash } from 'node:crypto';
import type { Component } from './component.ts';

export interface Release {
  readonly version: string;
  /** `linux-x64` */
  readonly machine: string;
  readonly commit: string;
  /** Of the commit, ISO 8601. */
  readonly date: string;
}

const kinds = { library: 'library', application: 'application', platform: 'platform', data: 'data' } as const;
/** Licences that SPDX has no name for. */
const inWords = /\s/;

/**
 * A bill of materials in CycloneDX 1.6. The same contents give the same text: its serial number is made of them, and
 * its time is that of the commit.
 *
 * Source: https://cyclonedx.org/docs/1.6/json/
 */
export function billOfMaterials(release: Release, components: readonly Component[]): string {
  const product = `pkg:generic/ringfence@${release.version}`;
  const known = new Set(components.map(({ purl }) => purl));
  const needs = components.map(({ purl, needs: needed = [] }) => ({
    ref: purl,
    dependsOn: needed.filter((one) => known.has(one)),
  }));
  const document = {
    metadata: {
      timestamp: release.date,
      component: {
        type: 'application',
        'bom-ref': product,
        name: 'ringfence',
        version: release.version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        purl: product,
        properties: [
          { name: 'ringfence:commit', value: release.commit },
          { name: 'ringfence:machine', value: release.machine },
        ],
      },
    },
    components: components.map((component) => printed(component, component.purl)),
    dependencies: [{ ref: product, dependsOn: [...known] }, ...needs],
  };
  const serial = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const whole = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid(serial)}`,
    version: 1,
    ...document,
  };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

/** @param ref unique in the document: parts of two components may be the same library */
function printed(component: Component, ref: string): object {
  const { kind, name, version, licence, purl, cpe, sha512, files = [], parts = [], note } = component;
  return {
    type: kinds[kind],
    'bom-ref': ref,
    name,
    ...(version === undefined ? {} : { version }),
    ...(note === undefined ? {} : { description: note }),
    ...(sha512 === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: hexOf(sha512) }] }),
    licenses: [{ license: inWords.test(licence) ? { name: licence } : { id: licence } }],
    ...(cpe === undefined ? {} : { cpe }),
    purl,
    ...(files.length + parts.length === 0
      ? {}
      : {
          components: [
            ...files.map((file) => ({
              type: 'file',
              'bom-ref': `${ref}#${file.name}`,
              name: file.name,
              hashes: [{ alg: 'SHA-256', content: file.sha256 }],
            })),
            ...parts.map((part) => printed(part, `${ref}#${part.name}`)),
          ],
        }),
  };
}

function hexOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
}

/** RFC 9562, version 8: the bits are ours. */
function uuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
