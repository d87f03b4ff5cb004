/** Traits that are the same in a window, a frame and a worker of one browser. */
export interface Scope {
  readonly navigator: {
    readonly userAgent?: unknown;
    readonly platform?: unknown;
    readonly languages?: unknown;
    readonly hardwareConcurrency?: unknown;
    readonly deviceMemory?: unknown;
  };
  readonly Intl: typeof Intl;
}

export type ScopeTraits = Readonly<Record<string, string>>;

export function scopeTraits({ navigator, Intl }: Scope): ScopeTraits {
  const { userAgent, platform, languages, hardwareConcurrency, deviceMemory } = navigator;
  const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const traits = { userAgent, platform, languages, hardwareConcurrency, deviceMemory, locale, timeZone };
  return Object.fromEntries(Object.entries(traits).map(([name, value]) => [name, String(value)]));
}

/** Names of the traits in which two scopes differ. */
export function differences(one: ScopeTraits, other: ScopeTraits): readonly string[] {
  return Object.keys(one).filter((name) => one[name] !== other[name]);
}
