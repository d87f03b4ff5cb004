/**
 * Writes packages/policy/src/zones/zone-table.generated.ts from the IANA time zone database as `moment-timezone` packs
 * it. A test checks that the file is current. See docs/decisions/0003-conditions-are-cel.md.
 *
 *     node tools/zone-table.ts
 */
import { writeFileSync } from 'node:fs';
import { zoneTableModule } from '../packages/policy/test/zones/pack-zones.ts';

writeFileSync(
  new URL('../packages/policy/src/zones/zone-table.generated.ts', import.meta.url),
  await zoneTableModule(),
);
