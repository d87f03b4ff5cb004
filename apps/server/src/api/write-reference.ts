/** Writes the generated pages of the reference: `node apps/server/src/api/write-reference.ts`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { openApiText } from '../ingest/openapi.ts';
import { managementText } from './openapi/management-text.ts';
import { errorsPage } from '../platform/api-reference/errors-page.ts';
import { packsReference } from '../policies/packs-page.ts';

const folder = new URL('../../../../docs/reference/', import.meta.url);
await mkdir(folder, { recursive: true });
await writeFile(new URL('openapi.json', folder), openApiText());
await writeFile(new URL('openapi-management.json', folder), managementText());
await writeFile(new URL('errors.md', folder), errorsPage());
await writeFile(new URL('policy-packs.md', folder), packsReference());
