import { describe, expect, it } from 'vitest';
import { textLengthMax } from '../../../src/compile/bounds.ts';
import { partLengthMax } from '../../../src/compile/functions/text.ts';
import { evaluate } from '../../evaluate.ts';

const facts = { user: 'Ana 🎁 María', 'account.email': 'ana@mail.example.com' };

describe('functions of text', () => {
  it.each([
    'user.indexOf("🎁") == 4 && user.indexOf("María") == 6 && user.indexOf("x") == -1 && user.indexOf("") == 0',
    'user.substring(4) == "🎁 María" && user.substring(0, 3) == "Ana" && user.substring(11) == ""',
    'user.replace(" ", "") == "Ana🎁María" && "aaa".replace("aa", "b") == "ba" && "ab".replace("", "-") == "-a-b-"',
    'account.email.split("@") == ["ana", "mail.example.com"] && account.email.split("@")[1].endsWith("example.com")',
    '"a🎁".split("") == ["a", "🎁"] && "".split(",") == [""]',
    '["a", "b"].join() == "ab" && ["a", "b"].join("-") == "a-b" && [user].join("-") == user',
    '"ÀaZ€".lowerAscii() == "ÀaZ€".replace("Z", "z") && "ÀaZ".upperAscii() == "ÀAZ"',
    '" \\t\\r\\na b\\n ".trim() == "a b"',
    'user.size() == 11 && size(user) == 11',
  ])('%s', (text) => {
    expect(evaluate(text, facts)).toBe(true);
  });

  it.each([
    'user.substring(12) == ""',
    'user.substring(3, 2) == ""',
    'user.substring(-1) == ""',
    'user.split("")[11] == ""',
    'order.currency.split(",").size() == 1',
    '[user, order.currency].join("") == ""',
  ])('%s is missing', (text) => {
    expect(evaluate(text, facts)).toBeUndefined();
  });
});

/** A value of an event must not make a text grow without bound. */
describe('texts at their maximum length', () => {
  const whole = 'x'.repeat(textLengthMax);
  const longer = `${whole}x`;

  it.each([
    ['user.replace("x", "y").size() == 4096', true],
    ['user.replace("x", "yy").size() > 0', undefined],
    ['(user + "").size() == 4096', true],
    ['(user + "x").size() > 0', undefined],
    ['[user, user].join().size() > 0', undefined],
    ['user.split("x").size() > 0', undefined],
    ['bytes(user).size() == 4096', true],
    ['(bytes(user) + b"x").size() > 0', undefined],
  ])('%s: %s', (text, outcome) => {
    expect(evaluate(text, { user: whole })).toBe(outcome);
  });

  it.each(['contains(PART)', 'indexOf(PART) >= -1', 'split(PART) != []', 'replace(PART, "") != ""'])(
    'a long search text is missing for %s',
    (call) => {
      const on = (length: number): unknown =>
        evaluate(`user.${call.replace('PART', `"${'y'.repeat(length)}"`)}`, { user: whole });
      expect(on(partLengthMax)).toBeTypeOf('boolean');
      expect(on(partLengthMax + 1)).toBeUndefined();
    },
  );

  it.each(['lowerAscii()', 'upperAscii().lowerAscii()', 'plain()'])(
    'of a longer text the beginning is folded: %s',
    (call) => {
      expect(evaluate(`user.${call}.contains("regalo")`, { user: `Regalo${whole}` })).toBe(true);
    },
  );

  it.each(['trim()', 'substring(0, 1)', 'replace("a", "b")', 'split("a")[0]'])(
    'a longer text is missing for %s',
    (call) => {
      expect(evaluate(`user.${call} == "x"`, { user: longer })).toBeUndefined();
    },
  );
});
