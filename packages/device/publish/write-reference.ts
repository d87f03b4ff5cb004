/**
 * Writes the pages of docs/reference about the signals and the token's content. A test checks that both are up to date.
 */
import { writeFileSync } from 'node:fs';
import { contentSchema } from '../src/reference/content-schema.ts';
import { privacyPage } from '../src/reference/privacy-page.ts';
import { signalPage } from '../src/reference/signal-page.ts';

const folder = new URL('../../../docs/reference/', import.meta.url);
writeFileSync(new URL('device-signals.md', folder), signalPage());
writeFileSync(new URL('device-privacy.md', folder), privacyPage());
writeFileSync(new URL('device-content.schema.json', folder), `${JSON.stringify(contentSchema(), undefined, 2)}\n`);
