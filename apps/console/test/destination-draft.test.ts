import { expect, it } from 'vitest';
import type { NotificationDestination } from '../src/api/operations.generated.ts';
import { addressOf, destinationDraft, eventNames, settingsOf } from '../src/pages/settings/destination-draft.ts';

const settings: NotificationDestination['settings'] = {
  events: {
    alert: { amount: 1_000, currency: 'MXN' },
    ruleSpike: { window: '1h', factor: 4, minimum: 20 },
    approval: {},
  },
  quietHours: { from: '22:00', to: '07:00', timezone: 'America/Mexico_City' },
  digestMinutes: 15,
  recovery: false,
  showPersonal: true,
  language: 'es',
};
const destination: NotificationDestination = {
  id: 'ntd_abcdefghijkl',
  name: 'Desk',
  kind: 'email',
  address: 'desk@bank.example',
  settings,
  paused: false,
  createdAt: '2026-11-21T12:00:00Z',
  createdBy: 'mara@bank.example',
  endpoint: { state: 'closed', failures: 0 },
  waiting: 0,
  dead: 0,
};

it('a form that nothing was typed into keeps every setting, also those that it does not show', () => {
  expect(settingsOf(destinationDraft(destination, 'en'), settings)).toEqual(settings);
});

it('an emptied threshold is left out', () => {
  const draft = destinationDraft(destination, 'en');
  const emptied = { ...draft, events: { alert: { ...draft.events.alert, amount: '' } } };
  expect(settingsOf(emptied, settings).events).toEqual({ alert: { currency: 'MXN' } });
});

it('a new destination gets risky alerts, in the language of its author', () => {
  expect(settingsOf(destinationDraft(undefined, 'es-MX'), undefined)).toEqual({
    events: { alert: { risk: 80 } },
    digestMinutes: 0,
    recovery: true,
    showPersonal: false,
    language: 'es',
  });
  expect(eventNames).toHaveLength(11);
});

it('addresses are a URL or a list of recipients, or kept', () => {
  expect(addressOf({ kind: 'slack', address: ' https://hooks.example/x ' })).toEqual({
    url: 'https://hooks.example/x',
  });
  expect(addressOf({ kind: 'email', address: 'a@b.example; c@d.example,\n' })).toEqual({
    to: ['a@b.example', 'c@d.example'],
  });
  expect(addressOf({ kind: 'email', address: '  ' })).toEqual({});
});
