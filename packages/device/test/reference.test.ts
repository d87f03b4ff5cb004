import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { profiles, readersOf } from '../src/catalogue.ts';
import { abouts } from '../src/reference/abouts.ts';
import { contentSchema } from '../src/reference/content-schema.ts';
import { privacyPage } from '../src/reference/privacy-page.ts';
import { signalPage } from '../src/reference/signal-page.ts';
import { version } from '../src/version.ts';

const names = (profile: 'essential' | 'full', switches = {}): readonly string[] =>
  readersOf(profile, switches).map(([name]) => name);

describe('the profiles', () => {
  it('are two, and full has every described signal', () => {
    expect(names('full').toSorted()).toEqual(Object.keys(abouts).toSorted());
    expect(Object.keys(profiles.full).length).toBeGreaterThan(Object.keys(profiles.essential).length);
    expect(names('essential')).toEqual(Object.keys(profiles.essential));
  });

  it('are changed by switches, signal by signal', () => {
    const switched = names('essential', { canvas: true, screen: false, plugins: false, nosuch: true });
    expect(switched).toContain('canvas');
    expect(switched).not.toContain('screen');
    expect(switched).toHaveLength(names('essential').length);
    expect(names('full', { canvas: false })).not.toContain('canvas');
  });
});

it('the version is that of the package', () => {
  expect(version).toBe(manifest.version);
});

describe('the reference', () => {
  const written = (name: string): string =>
    readFileSync(new URL(`../../../docs/reference/${name}`, import.meta.url), 'utf8');

  it('of the signals is what `node packages/device/publish/write-reference.ts` writes now', () => {
    expect(written('device-signals.md')).toBe(signalPage());
  });

  it('of privacy is what it writes now, and names every signal', () => {
    expect(written('device-privacy.md')).toBe(privacyPage());
    for (const name of Object.keys(abouts)) expect(privacyPage()).toContain(`| \`${name}\` |`);
  });

  it('of the content is what `node packages/device/publish/write-reference.ts` writes now', () => {
    expect(JSON.parse(written('device-content.schema.json'))).toEqual(contentSchema());
  });

  it.each(Object.entries(abouts))('describes %s and its purpose in whole sentences', (_, { what, purpose }) => {
    for (const text of [what, purpose]) expect(text).toMatch(/^[A-Z"].{15,}\.$/s);
  });
});
