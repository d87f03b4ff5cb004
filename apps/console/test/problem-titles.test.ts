import { problems } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { problemTitles, spanishDetail } from '../src/language/problem-titles.ts';

it('translates only existing problem codes, and the common ones', () => {
  const { 'service.unreachable': _own, ...titles } = problemTitles;
  expect(Object.keys(titles).filter((code) => !(code in problems))).toEqual([]);
  for (const code of ['login.refused', 'rate.limited', 'right.missing', 'database.unavailable', 'request.invalid']) {
    expect(titles[code], code).toBeDefined();
  }
});

it('translates common details into Spanish and leaves others unchanged', () => {
  expect(spanishDetail('Arturo works on alert 7 until 06:51.')).toBe('Arturo tiene asignada esta alerta hasta 06:51.');
  expect(spanishDetail('Arturo is working on this alert until 06:51.')).toBe(
    'Arturo tiene asignada esta alerta hasta 06:51.',
  );
  expect(spanishDetail('Alert 7 was closed by Arturo.')).toBe('Arturo ya decidió la alerta 7.');
  expect(spanishDetail('The moon is full.')).toBe('The moon is full.');
});
