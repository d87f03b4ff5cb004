import { describe, expect, it } from 'vitest';
import { followedDraft, withFiles } from '../src/pages/policy/draft-files.ts';

const rules = ['rules:', '  - reason: 11', '    when: a > 1', '  - reason: 12', '    when: b > 1', ''];
const text = (...changed: readonly (readonly [number, ...string[]])[]): string =>
  rules.flatMap((line, at) => changed.find(([of]) => of === at)?.slice(1) ?? [line]).join('\n');
const files = (first: string, second = 'lists: {}'): { path: string; text: string }[] => [
  { path: 'rules.yaml', text: first },
  { path: 'lists.yaml', text: second },
];
const follow = (mine: ReturnType<typeof files>, theirs: ReturnType<typeof files>) =>
  followedDraft({ basedOn: 1, base: files(text()), files: mine }, { basedOn: 2, files: theirs });

describe('a draft based on an inactive version', () => {
  it('merges changes of the active version in other files and rules, and keeps its own', () => {
    expect(follow(files(text([2, '    when: a > 9'])), files(text(), 'lists: { x: {} }'))).toEqual({
      basedOn: 2,
      base: files(text(), 'lists: { x: {} }'),
      files: files(text([2, '    when: a > 9']), 'lists: { x: {} }'),
    });
    for (const [mine, theirs] of [
      [2, 4],
      [4, 2],
    ] as const) {
      const merged = follow(files(text([mine, 'mine'])), files(text([theirs, 'theirs', 'and more'])));
      expect(merged?.files).toEqual(files(text([mine, 'mine'], [theirs, 'theirs', 'and more'])));
    }
  });

  it('merges added and deleted files that it did not change', () => {
    const [first] = files(text());
    const third = { path: 'more.yaml', text: 'rules: []' };
    expect(follow(files(text([2, 'mine'])), [first!, third])?.files).toEqual([files(text([2, 'mine']))[0], third]);
  });

  it('equals the active version once their content is the same', () => {
    expect(follow(files(text([2, 'both'])), files(text([2, 'both'])))?.files).toEqual(files(text([2, 'both'])));
  });

  it('is a conflict if both changed the same or adjacent lines, or one deleted the file', () => {
    expect(follow(files(text([2, 'mine'])), files(text([2, 'theirs'])))).toBeUndefined();
    expect(follow(files(text([2, 'mine'])), files(text([3, 'theirs'])))).toBeUndefined();
    expect(follow(files(text([5, 'mine', ''])), files(text([5, 'theirs', ''])))).toBeUndefined();
    expect(follow(files(text([2, 'mine'])), files(text()).slice(1))).toBeUndefined();
  });
});

describe('written files', () => {
  it('replace those of their paths, and new ones are put in the order of the paths', () => {
    const before = files('rules: []').toReversed();
    const written = [
      { path: 'rules.yaml', text: 'new' },
      { path: 'mules.yaml', text: 'm' },
      { path: 'zoo.yaml', text: 'z' },
    ];
    expect(withFiles(before, written)).toEqual([
      { path: 'lists.yaml', text: 'lists: {}' },
      { path: 'mules.yaml', text: 'm' },
      { path: 'rules.yaml', text: 'new' },
      { path: 'zoo.yaml', text: 'z' },
    ]);
  });
});
