/**
 * Generates src/api/operations.generated.ts from the OpenAPI document of the management API.
 *
 *     npm run generate -w @ringfence/console
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type ApiDocument, printOperations } from './print-operations.ts';

const document = new URL('../../../docs/reference/openapi-management.json', import.meta.url);
const file = new URL('../src/api/operations.generated.ts', import.meta.url);
writeFileSync(file, printOperations(JSON.parse(readFileSync(document, 'utf8')) as ApiDocument));
