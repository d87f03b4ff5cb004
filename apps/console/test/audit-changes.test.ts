import { expect, it } from 'vitest';
import { auditChanges } from '../src/pages/audit/audit-changes.ts';

it('lists only the members that differ', () => {
  const before = {
    name: 'acme',
    settings: { blockHours: 24, webhook: { url: 'https://a.example' } },
    roles: ['viewer'],
  };
  const after = { name: 'acme', settings: { blockHours: 48, fourEyes: true }, roles: ['viewer', 'analyst'] };
  expect(auditChanges({ before, after })).toEqual([
    { path: 'settings.blockHours', before: '24', after: '48' },
    { path: 'settings.webhook.url', before: 'https://a.example', after: undefined },
    { path: 'roles', before: '["viewer"]', after: '["viewer","analyst"]' },
    { path: 'settings.fourEyes', before: undefined, after: 'true' },
  ]);
});

it('lists all members of a created or removed object, and none without details', () => {
  expect(auditChanges({ after: { name: 'Mara' } })).toEqual([{ path: 'name', before: undefined, after: 'Mara' }]);
  expect(auditChanges({ changed: 3 })).toEqual([]);
});
