import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWorld } from '../../packages/intel/src/network/world-table.ts';
import { zoneTableVersion } from '../../packages/policy/src/zones/zone-table.generated.ts';
import type { Component } from './component.ts';

const unicode = readFileSync(join(import.meta.dirname, 'notices/unicode.txt'), 'utf8');

/** Data of others that are in our own files. */
export function dataComponents(root: string): readonly Component[] {
  const table = readFileSync(join(root, 'packages/intel/data/world.table'));
  const { date, attribution } = readWorld(table).head;
  return [
    {
      kind: 'data',
      name: 'db-ip-lite',
      version: date,
      licence: 'CC-BY-4.0',
      texts: [
        `${attribution}\nhttps://creativecommons.org/licenses/by/4.0/\n\nIt was changed: rows were merged, and cut to 64 bits.\n`,
      ],
      purl: `pkg:generic/db-ip-lite@${date}`,
      files: [{ name: 'world.table', sha256: createHash('sha256').update(table).digest('hex') }],
      note: 'country and operator of every network',
    },
    {
      kind: 'data',
      name: 'unicode-data',
      version: undefined,
      licence: 'Unicode-3.0',
      texts: [unicode],
      purl: 'pkg:generic/unicode-data',
      note: 'languages of countries (CLDR), forms of letters (Unicode Character Database)',
    },
    {
      kind: 'data',
      name: 'tz',
      version: zoneTableVersion,
      licence: 'Public domain',
      texts: ['The IANA time zone database is in the public domain.\n'],
      purl: `pkg:generic/tz@${zoneTableVersion}`,
      note: 'time zones that rules use',
    },
    {
      kind: 'data',
      name: 'natural-earth',
      version: undefined,
      licence: 'Public domain',
      texts: ['Made with Natural Earth (https://www.naturalearthdata.com), which is in the public domain.\n'],
      purl: 'pkg:generic/natural-earth',
      note: 'middles and extents of countries, the map of the console',
    },
  ];
}
