import { expect, it } from 'vitest';
import { readLoginSearch } from '../src/pages/login/login-search.ts';

it('redirects only to pages of the console', () => {
  expect(readLoginSearch({ to: '/w/acme:production/alerts?view=mine' })).toEqual({
    to: '/w/acme:production/alerts?view=mine',
  });
  for (const to of ['//evil.example', 'https://evil.example', 'javascript:alert(1)', '']) {
    expect(readLoginSearch({ to })).toEqual({});
  }
});

it('accepts only known codes of a failed login, no text of a link', () => {
  expect(readLoginSearch({ openId: 'disabled', requestId: 'req-1' })).toEqual({
    openId: 'disabled',
    requestId: 'req-1',
  });
  expect(readLoginSearch({ openId: 'Call 555-0100 now', requestId: 'Call 555-0100 now', detail: 'x' })).toEqual({});
});
