/** Writes docs/reference/command-line.md, configuration.md, sizing.md and streams/. Run: `node apps/server/src/cli/write-reference.ts`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { streamKinds } from '../streams/stream-settings.ts';
import {
  printCommandReference,
  printConfigurationReference,
  printSizingReference,
  printStreamSchema,
} from './reference.ts';

const folder = new URL('../../../../docs/reference/', import.meta.url);

writeFileSync(new URL('command-line.md', folder), await printCommandReference());
writeFileSync(new URL('configuration.md', folder), printConfigurationReference());
writeFileSync(new URL('sizing.md', folder), printSizingReference());
mkdirSync(new URL('streams/', folder), { recursive: true });
for (const kind of streamKinds) {
  writeFileSync(new URL(`streams/${kind}.schema.json`, folder), printStreamSchema(kind));
}
