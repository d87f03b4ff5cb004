import type { Input } from '../../api/call.ts';
import type { NotificationDestination } from '../../api/operations.generated.ts';
import type { Schedule } from './schedule-fields.tsx';

type Settings = NotificationDestination['settings'];
export type EventName = keyof Settings['events'];

/** Thresholds of each event with what a new one begins with; "" for one that is left out. In the order in which people look for them. */
export const thresholds = {
  alert: { risk: '', amount: '', currency: '' },
  queueAge: { minutes: '' },
  ruleSpike: { window: '5m', factor: '3', minimum: '10' },
  modelDrift: { hundredths: '10' },
  hold: { minutes: '10' },
  resolution: { minutes: '5' },
  webhook: { notExecutedPercent: '50' },
  engineLag: { seconds: '60' },
  approval: {},
  mention: {},
  assignment: {},
} as const satisfies Readonly<Record<EventName, Readonly<Record<string, string>>>>;

export const eventNames = Object.keys(thresholds) as readonly EventName[];

type Kind = NotificationDestination['kind'];
/** Thresholds of the chosen events, as they are typed. */
type Chosen = Partial<Record<EventName, Readonly<Record<string, string>>>>;

/** What a person types about a destination. */
export interface DestinationDraft extends Schedule {
  readonly name: string;
  readonly kind: Kind;
  /** Empty for a destination that keeps its address. */
  readonly address: string;
  readonly events: Chosen;
  readonly recovery: boolean;
  readonly showPersonal: boolean;
  readonly language: Settings['language'];
}

export function destinationDraft(of: NotificationDestination | undefined, language: string): DestinationDraft {
  if (of === undefined) {
    return {
      name: '',
      kind: 'slack',
      address: '',
      events: { alert: { ...thresholds.alert, risk: '80' } },
      digestMinutes: 0,
      recovery: true,
      showPersonal: false,
      language: language.startsWith('es') ? 'es' : 'en',
    };
  }
  const { events, ...settings } = of.settings;
  const chosen = eventNames.flatMap((event) => {
    const kept: Readonly<Record<string, string | number>> | undefined = events[event];
    if (kept === undefined) return [];
    const typed = Object.keys(thresholds[event]).map((name) => [name, String(kept[name] ?? '')]);
    return [[event, Object.fromEntries(typed) as Readonly<Record<string, string>>] as const];
  });
  return { ...settings, name: of.name, kind: of.kind, address: '', events: Object.fromEntries(chosen) as Chosen };
}

type NewDestination = Input<'createNotificationDestination'>['body'];

/** Whether a threshold is no number. */
export function isWord(threshold: string): boolean {
  return threshold === 'currency' || threshold === 'window';
}

/** The settings of a draft. @param kept what the form does not show stays */
export function settingsOf(draft: DestinationDraft, kept: Settings | undefined): NewDestination['settings'] {
  const { events, digestMinutes, quietHours, recovery, showPersonal, language } = draft;
  const written = eventNames.flatMap((event) => {
    const typed = events[event];
    if (typed === undefined) return [];
    const values = Object.entries(typed)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [name, isWord(name) ? value : Number(value)]);
    const hidden = Object.entries(kept?.events[event] ?? {}).filter(([name]) => !(name in thresholds[event]));
    return [[event, Object.fromEntries([...hidden, ...values])]];
  });
  return {
    events: Object.fromEntries(written) as NewDestination['settings']['events'],
    digestMinutes,
    recovery,
    showPersonal,
    language,
    ...(quietHours === undefined ? {} : { quietHours }),
  };
}

/** The typed address as the API takes it; nothing if it is empty. */
export function addressOf({ kind, address }: Pick<DestinationDraft, 'kind' | 'address'>): {
  readonly url?: string;
  readonly to?: readonly string[];
} {
  const text = address.trim();
  if (text === '') return {};
  return kind === 'email' ? { to: text.split(/[\s,;]+/).filter((one) => one !== '') } : { url: text };
}
