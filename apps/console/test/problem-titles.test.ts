import { problems } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { problemTitles } from '../src/language/es/problem-titles.ts';

it('names problems that the service has, and those that a console meets', () => {
  const { 'service.unreachable': _own, ...titles } = problemTitles;
  expect(Object.keys(titles).filter((code) => !(code in problems))).toEqual([]);
  for (const code of ['login.refused', 'rate.limited', 'right.missing', 'database.unavailable', 'request.invalid']) {
    expect(titles[code], code).toBeDefined();
  }
});
