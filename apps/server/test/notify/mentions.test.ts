import { expect, it } from 'vitest';
import { mentionedIn } from '../../src/notify/mentions.ts';

const people = ['mara@bank.example', 'luis.p@bank.example', 'ana@one.example', 'ana@two.example'].map((email) => ({
  email,
}));
const named = (text: string): readonly string[] => mentionedIn(text, people).map(({ email }) => email);

it.each([
  ['@mara look', ['mara@bank.example']],
  ['ask (@Mara@bank.example), please', ['mara@bank.example']],
  ['@luis.p.', ['luis.p@bank.example']],
  ['@mara and @luis.p', ['mara@bank.example', 'luis.p@bank.example']],
  ['@ana', []], // two of them
  ['@ana@two.example', ['ana@two.example']],
  ['write to mara@bank.example', []], // an address is no mention
  ['@marathon @', []],
])('%s names %j', (text, expected) => {
  expect(named(text)).toEqual(expected);
});
