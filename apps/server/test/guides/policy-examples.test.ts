/** The policies in the guides are valid: added to the starter policy, or alone if they are complete. */
import { globSync, readFileSync } from 'node:fs';
import { runPolicyTests } from '@ringfence/engine';
import { loadPolicy, type PolicyFile, withPacks } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { packText } from '../../src/policies/policy-packs.ts';

const root = new URL('../../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const starter = globSync('apps/server/policies/starter/*.yaml', { cwd: root }).map((path) => ({
  path,
  text: read(path),
}));

/** Each example of a guide, with its first line number. */
function examplesOf(guide: string): readonly PolicyFile[] {
  const text = read(`docs/guides/${guide}`);
  return [...text.matchAll(/^( *)```yaml\n([^]*?)^ *```/gm)].map((match) => ({
    path: `${guide}:${text.slice(0, match.index).split('\n').length}`,
    text: match[2]!.replaceAll(new RegExp(`^${match[1]!}`, 'gm'), ''),
  }));
}

/** `device.md` also shows workspace settings, which are not a policy. */
const isPolicy = ({ text }: PolicyFile): boolean => !text.startsWith('deviceOrigins:');
const examples = ['write-a-policy.md', 'packs.md', 'network.md', 'device.md', 'hold-payments.md']
  .flatMap(examplesOf)
  .filter(isPolicy);

function mistakesOf(files: readonly PolicyFile[]): readonly string[] {
  const result = loadPolicy(withPacks(files, packText));
  return result.ok ? [] : result.errors.map(({ message }) => message);
}

describe('a policy example of the guides', () => {
  it.each(examples)('$path', (example) => {
    const isWhole = /^actions:/m.test(example.text);
    expect(mistakesOf(isWhole ? [example] : withRule([...starter, example]))).toEqual([]);
  });

  it('passes its own tests', () => {
    const tested = examples.filter(({ text }) => text.startsWith('tests:'));
    expect(tested).toHaveLength(1);
    const result = loadPolicy(withRule([...starter, ...tested]));
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    const reports = runPolicyTests(result.policy);
    expect(reports.filter(({ differences }) => differences.length > 0)).toEqual([]);
    expect(reports.some(({ fired }) => fired.includes(310))).toBe(true);
  });
});

/** The tests of the guide belong to its first rule. */
function withRule(files: readonly PolicyFile[]): readonly PolicyFile[] {
  const isTested = files.some(({ text }) => text.startsWith('tests:'));
  return isTested ? [...files, examples.find(({ text }) => text.includes('reason: 310'))!] : files;
}
