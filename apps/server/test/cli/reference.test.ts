import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  printCommandReference,
  printConfigurationReference,
  printSizingReference,
  printStreamSchema,
} from '../../src/cli/reference.ts';
import { streamKinds } from '../../src/streams/stream-settings.ts';

function written(page: string): string {
  return readFileSync(new URL(`../../../../docs/reference/${page}`, import.meta.url), 'utf8');
}

it.each([
  ['command-line.md', printCommandReference],
  ['configuration.md', printConfigurationReference],
  ['sizing.md', printSizingReference],
])(
  'docs/reference/%s is up to date (to update it: node apps/server/src/cli/write-reference.ts)',
  async (page, print) => {
    expect(written(page)).toBe(await print());
  },
);

it.each(streamKinds)('docs/reference/streams/%s.schema.json is up to date', (kind) => {
  expect(written(`streams/${kind}.schema.json`)).toBe(printStreamSchema(kind));
});
