import { readdirSync, readFileSync } from 'node:fs';
import { featureDefinitions, featureKinds, loadPolicy, type PolicyFile } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { withFiles } from '../src/pages/policy/draft-files.ts';
import { fileNameMistake } from '../src/pages/policy/new-file-name.ts';
import {
  addFeature,
  featureFile,
  featureProblems,
  malformed,
  mayExclude,
  type NewFeature,
} from '../src/pages/policy/write-feature.ts';
import { addRule, writeCondition, writeMode } from '../src/pages/policy/write-rule.ts';

const usual: NewFeature = {
  name: 'clientUsual7d',
  kind: 'avg',
  of: 'order.amount',
  by: ['client.id'],
  over: '7d',
  option: '',
  where: '',
  excludesThis: true,
};

const folder = new URL('../../server/policies/starter/', import.meta.url);
const starter: readonly PolicyFile[] = readdirSync(folder)
  .filter((path) => path.endsWith('.yaml'))
  .map((path) => ({ path, text: readFileSync(new URL(path, folder), 'utf8') }));

describe('a feature from the builder', () => {
  it('is added to the features of the starter, and every other character of the file stays', () => {
    const file = featureFile(starter, starter[0]!);
    expect(file.path).toBe('features.yaml');
    const added = addFeature(file, { ...usual, where: 'order.amount > 0 && order.currency == "MXN"' });
    const line =
      `  clientUsual7d:         { avg: order.amount, by: client.id, over: 7d, ` +
      `where: 'order.amount > 0 && order.currency == "MXN"', excluding: this }\n`;
    expect(added.text).toContain(line);
    expect(added.text.replace(line, '')).toBe(file.text);
    const loaded = loadPolicy(withFiles(starter, [added]));
    expect(loaded.ok && loaded.policy.features.find(({ name }) => name === 'clientUsual7d')).toMatchObject({
      kind: 'avg',
      excludesThis: true,
      whereText: 'order.amount > 0 && order.currency == "MXN"',
    });
  });

  it.each([
    ['features:\n  # why\n  a: { count: true, by: client.id, over: 1h } # so\n# end\nlists: {}\n', 'a: {'],
    ['features:\n    a:\n        count: true # events\n        by: client.id\n        over: 1h\nlists: {}\n', 'a:\n'],
    ['lists: {}', 'lists: {}'],
    ['# Nothing yet\n', '# Nothing yet'],
    ['', ''],
  ])('keeps the lines of the file (%#)', (text, kept) => {
    const added = addFeature({ path: 'a.yaml', text }, usual);
    expect(added.text).toContain(kept);
    expect(added.text.split('\n')).toEqual(expect.arrayContaining(text.split('\n').filter((line) => line !== '')));
    expect(featureProblems([{ path: 'a.yaml', text }], added, usual)).toEqual({});
  });

  it('does not replace a feature of the same name', () => {
    const file = featureFile(starter, starter[0]!);
    expect(addFeature(file, { ...usual, name: 'clientAmount24h' })).toBe(file);
  });

  it('is added to features that are on one line', () => {
    const file = { path: 'a.yaml', text: 'features: { a: { count: true, by: client.id, over: 1h } }\n' };
    const added = addFeature(file, usual);
    const loaded = loadPolicy([added]);
    expect(loaded.ok && loaded.policy.features.map(({ name }) => name)).toEqual(['a', 'clientUsual7d']);
  });

  it.each(featureKinds)('can be of the kind %s', (kind) => {
    const of = kind === 'ratio' ? 'clientAmount24h' : kind === 'habit' ? 'payee.id' : 'order.amount';
    const isOverLabels = featureDefinitions.find((one) => one.kind === kind)?.option === 'after';
    const option = { percentile: '95', rate: '1h', profile: '30d', ratio: 'clientAmount30d' };
    const feature: NewFeature = {
      ...usual,
      kind,
      of,
      option: isOverLabels ? '2d' : (Object.entries(option).find(([name]) => name === kind)?.[1] ?? ''),
      by: isOverLabels ? ['payee.id'] : ['client.id', 'channelId'],
    };
    expect(malformed(feature)).toEqual([]);
    const added = addFeature(featureFile(starter, starter[0]!), feature);
    expect(featureProblems(starter, added, feature)).toEqual({});
    expect(added.text.includes('excluding: this }\n  clientUsual7d')).toBe(false);
    expect(/clientUsual7d.*excluding: this/.test(added.text)).toBe(mayExclude(kind));
  });

  it.each([
    [{ name: '7d' }, ['name']],
    [{ name: 'a: {}' }, ['name']],
    [{ of: 'order.amount, by: x' }, ['of']],
    [{ over: '' }, ['over']],
    [{ kind: 'percentile' as const }, ['option']],
    [{ kind: 'count' as const, of: '' }, []],
  ])('is not written with %j', (part, fields) => {
    expect(malformed({ ...usual, ...part })).toEqual(fields);
  });

  it.each([
    [{ name: 'order' }, 'name', 'already has a meaning'],
    [{ of: 'order.amonut' }, 'of', 'order.amount'],
    [{ over: '1s' }, 'over', 'from 1m to 90d'],
    [{ by: ['client.id', 'client.id'] }, 'by', 'twice'],
    [{ where: 'clientAmount24h > 1' }, 'where', 'is a feature'],
    [{ kind: 'percentile' as const, option: '200' }, 'option', '99.9'],
  ] as const)('shows the error of %j at its field', (part, field, text) => {
    const feature: NewFeature = { ...usual, ...part };
    const problems = featureProblems(starter, addFeature(featureFile(starter, starter[0]!), feature), feature);
    expect(Object.keys(problems)).toEqual([field]);
    expect(problems[field]).toContain(text);
  });
});

describe('a rule from the builder', () => {
  it('is added to a file of the starter, and every other character stays', () => {
    const file = starter.find(({ path }) => path === 'payments.yaml')!;
    const rule = { reason: 399, name: 'Large', condition: 'order.amount > 9', action: 2, message: 'a\nb', summary: {} };
    const added = addRule(file, rule);
    expect(added.text.startsWith(file.text.trimEnd().slice(0, 2_000))).toBe(true);
    const lines = added.text.split('\n');
    expect(file.text.split('\n').filter((line) => !lines.includes(line))).toEqual([]);
    const loaded = loadPolicy(withFiles(starter, [added]));
    expect(loaded.ok && loaded.policy.rules.find(({ reason }) => reason === 399)?.text).toBe('order.amount > 9');
  });

  it('changes one value of a file of the starter, and every other character stays', () => {
    const file = starter.find(({ path }) => path === 'takeover.yaml')!;
    const loaded = loadPolicy(starter);
    const rules = loaded.ok ? loaded.policy.rules.filter((rule) => rule.file === file.path) : [];
    expect(rules.length).toBeGreaterThan(1);
    for (const { reason } of rules) {
      const condition = 'client.id == "a: #b" && channelId > 1';
      const lines = writeCondition(file, reason, condition).text.split('\n');
      const was = file.text.split('\n');
      // The condition itself has up to three lines.
      expect(was.filter((line) => !lines.includes(line)).length).toBeLessThanOrEqual(3);
      const read = loadPolicy(withFiles(starter, [writeMode(writeCondition(file, reason, condition), reason, 'off')]));
      const rule = read.ok ? read.policy.rules.find((one) => one.reason === reason) : undefined;
      expect(rule).toMatchObject({ text: condition, mode: 'off' });
    }
  });

  it.each([
    '>-\n      order.amount > 1\n      && order.amount > 2\n',
    '"order.amount > 1" # why\n',
    "'order.amount > 1'\n",
  ])('changes a condition in the form %j', (form) => {
    const text = `features:   {}\nrules:\n  - reason: 1\n    when:   ${form}    then:   { action: 2 }\n`;
    const written = writeCondition({ path: 'a.yaml', text }, 1, 'order.amount > 5').text;
    expect(written).toBe(
      `features:   {}\nrules:\n  - reason: 1\n    when:   order.amount > 5${form.includes('#') ? ' # why' : ''}\n` +
        '    then:   { action: 2 }\n',
    );
  });

  it('begins a new file', () => {
    const rule = { reason: 1, name: 'Large', condition: 'order.amount > 9', action: 2, message: '', summary: {} };
    expect(addRule({ path: 'new.yaml', text: '' }, rule).text).toBe(
      'rules:\n  - reason: 1\n    name: Large\n    when: order.amount > 9\n    then: { action: 2 }\n    mode: shadow\n',
    );
  });

  it.each([
    ['mules.yaml', undefined],
    ['Payments.yaml', 'taken'],
    ['payments.yaml', 'taken'],
    ['mules.yml', 'form'],
    ['../mules.yaml', 'form'],
    ['.yaml', 'form'],
    ['', 'form'],
  ])('is written to the new file %s: %s', (name, mistake) => {
    expect(fileNameMistake(name, starter)).toBe(mistake);
  });
});
