import { describe, expect, it } from 'vitest';
import { followedDraft } from '../src/pages/policy/draft-files.ts';

const rules = ['rules:', '  - reason: 11', '    when: a > 1', '  - reason: 12', '    when: b > 1', ''];
const text = (...changed: readonly (readonly [number, ...string[]])[]): string =>
  rules.flatMap((line, at) => changed.find(([of]) => of === at)?.slice(1) ?? [line]).join('\n');
const files = (first: string, second = 'lists: {}'): { path: string; text: string }[] => [
  { path: 'rules.yaml', text: first },
  { path: 'lists.yaml', text: second },
];
const follow = (mine: ReturnType<typeof files>, theirs: ReturnType<typeof files>) =>
  followedDraft({ basedOn: 1, base: files(text()), files: mine }, { basedOn: 2, files: theirs });

describe('a draft whose version decides no more', () => {
  it('takes what another version changed in other files and in other rules, and keeps what was written', () => {
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

  it('takes files that came and leaves those that went, where nobody wrote in them', () => {
    const [first] = files(text());
    const third = { path: 'more.yaml', text: 'rules: []' };
    expect(follow(files(text([2, 'mine'])), [first!, third])?.files).toEqual([files(text([2, 'mine']))[0], third]);
  });

  it('is what decides, once that says the same', () => {
    expect(follow(files(text([2, 'both'])), files(text([2, 'both'])))?.files).toEqual(files(text([2, 'both'])));
  });

  it('is left to a person where both changed the same or neighbouring lines, or one took the file away', () => {
    expect(follow(files(text([2, 'mine'])), files(text([2, 'theirs'])))).toBeUndefined();
    expect(follow(files(text([2, 'mine'])), files(text([3, 'theirs'])))).toBeUndefined();
    expect(follow(files(text([5, 'mine', ''])), files(text([5, 'theirs', ''])))).toBeUndefined();
    expect(follow(files(text([2, 'mine'])), files(text()).slice(1))).toBeUndefined();
  });
});
