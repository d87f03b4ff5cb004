import { fraudCodesDefault, type OwnFraudType } from '@ringfence/contract';
import type { Input } from '../../api/call.ts';
import type { Settings } from '../../api/operations.generated.ts';

/** A row of the form: both as typed. */
export interface CurrencyAmount {
  readonly currency: string;
  readonly amount: string;
}

/** The settings of the form, as its fields show them. */
export interface SettingsDraft extends Pick<
  Settings,
  'timezone' | 'sessionGraceSeconds' | 'blockHours' | 'keepEvents' | 'keepActions' | 'cards'
> {
  readonly fourEyes: boolean;
  /** `null`: off. */
  readonly lagMax: number | null;
  readonly secondAbove: readonly CurrencyAmount[];
  readonly heldAgainHours: number;
  readonly keyMayLabel: boolean;
  /** One per line. */
  readonly fraudCodes: string;
  /** One per line: the code, a blank, the name. */
  readonly fraudTypes: string;
  /** Minutes until an alert is due; `null`: never. */
  readonly dueMinutes: number | null;
  /** `null`: around the clock. */
  readonly businessHours: BusinessHours | null;
}

export type BusinessHours = NonNullable<NonNullable<Settings['alerts']>['businessHours']>;

/** What the form offers first. */
export const ordinaryHours: BusinessHours = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '18:00' };

/** A JSON merge patch. */
type SettingsPatch = NonNullable<NonNullable<Input<'changeWorkspace'>['body']>['settings']>;

const heldAgainHoursDefault = 24;

/** Absent settings have their defaults. */
export function settingsDraft(kept: Settings): SettingsDraft {
  const { timezone, sessionGraceSeconds, blockHours, keepEvents, keepActions, cards, holds, outcomes } = kept;
  return {
    timezone,
    sessionGraceSeconds,
    blockHours,
    keepEvents,
    keepActions,
    cards,
    fourEyes: kept.fourEyes ?? false,
    lagMax: kept.lagMax ?? null,
    secondAbove: Object.entries(holds?.secondAbove ?? {}).map(([currency, amount]) => ({
      currency,
      amount: String(amount),
    })),
    heldAgainHours: holds?.heldAgainHours ?? heldAgainHoursDefault,
    keyMayLabel: outcomes?.keyMayLabel ?? false,
    fraudCodes: (outcomes?.fraudCodes ?? fraudCodesDefault).join('\n'),
    fraudTypes: (outcomes?.fraudTypes ?? []).map(({ code, name }) => `${code} ${name}`).join('\n'),
    dueMinutes: kept.alerts?.dueMinutes ?? null,
    businessHours: kept.alerts?.businessHours ?? null,
  };
}

/** The fields of a draft that differ from what is kept; `undefined` if none does. */
export function differingFields(
  before: SettingsDraft,
  changed: Partial<SettingsDraft>,
): Partial<SettingsDraft> | undefined {
  const differing = Object.entries(changed).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof SettingsDraft]),
  );
  return differing.length === 0 ? undefined : Object.fromEntries(differing);
}

/** Only changed fields are in it, so concurrent changes of other fields are kept. */
export function settingsPatch(before: SettingsDraft, changed: Partial<SettingsDraft>): SettingsPatch {
  const { secondAbove, heldAgainHours, keyMayLabel, fraudCodes, fraudTypes, dueMinutes, businessHours, ...others } =
    changed;
  const holds = {
    ...(secondAbove === undefined ? {} : { secondAbove: amountsPatch(before.secondAbove, secondAbove) }),
    ...(heldAgainHours === undefined ? {} : { heldAgainHours }),
  };
  const outcomes = {
    ...(keyMayLabel === undefined ? {} : { keyMayLabel }),
    ...(fraudCodes === undefined ? {} : { fraudCodes: codesOf(fraudCodes) }),
    ...(fraudTypes === undefined ? {} : { fraudTypes: typesOf(fraudTypes) }),
  };
  const alerts = {
    ...(dueMinutes === undefined ? {} : { dueMinutes }),
    ...(businessHours === undefined ? {} : { businessHours }),
  };
  return {
    ...others,
    ...(Object.keys(alerts).length === 0 ? {} : { alerts }),
    ...(Object.keys(holds).length === 0 ? {} : { holds }),
    ...(Object.keys(outcomes).length === 0 ? {} : { outcomes }),
  };
}

function amountsPatch(
  before: readonly CurrencyAmount[],
  rows: readonly CurrencyAmount[],
): Readonly<Record<string, number | null>> {
  return Object.fromEntries([
    ...before.map(({ currency }) => [currency, null] as const),
    ...rows.map(({ currency, amount }) => [currency, Number(amount)] as const),
  ]);
}

/** The codes of a text with one on each line. */
export function codesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The types of fraud of a text with one on each line. */
export function typesOf(text: string): readonly OwnFraudType[] {
  return codesOf(text).map((line) => {
    const [code = '', ...words] = line.split(/\s+/);
    return { code, name: words.join(' ') };
  });
}
