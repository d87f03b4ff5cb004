import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { misnamedVariables } from '../../src/config/variable-names.ts';

const root = `${import.meta.dirname}/../../../../`;
const pages = [
  'README.md',
  'Dockerfile',
  'docs/reference/configuration.md',
  'docs/guides/change-the-code.md',
  'docs/guides/identify-client.md',
  'docs/guides/integrate.md',
  'docs/guides/outbox.md',
  'docs/guides/receive-webhooks.md',
  'docs/guides/send-events.md',
  'docs/guides/send-events-java-csharp.md',
  'packages/client/README.md',
];

it.each(pages)('every RINGFENCE_ variable of %s is accepted', (page) => {
  const names = readFileSync(root + page, 'utf8').match(/RINGFENCE_[A-Z_]*[A-Z]/g) ?? [];
  const environment = Object.fromEntries(names.map((name) => [name, 'x']));
  expect(misnamedVariables(environment, { ofFile: new Set(), database: undefined })).toEqual([]);
});
