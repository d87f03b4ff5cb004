/** Writes docs/reference/command-line.md, configuration.md and sizing.md. Run: `node apps/server/src/cli/write-reference.ts`. */
import { writeFileSync } from 'node:fs';
import { printCommandReference, printConfigurationReference, printSizingReference } from './reference.ts';

const folder = new URL('../../../../docs/reference/', import.meta.url);

writeFileSync(new URL('command-line.md', folder), await printCommandReference());
writeFileSync(new URL('configuration.md', folder), printConfigurationReference());
writeFileSync(new URL('sizing.md', folder), printSizingReference());
