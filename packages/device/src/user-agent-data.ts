/** The script interface of client hints. Chromium only, hence not in TypeScript's own types. */
export interface UserAgentData {
  readonly brands: readonly Brand[];
  readonly mobile: boolean;
  readonly platform: string;
  readonly getHighEntropyValues: (names: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;
}

export interface Brand {
  readonly brand: string;
  readonly version: string;
}

export function userAgentData(): UserAgentData | undefined {
  return (navigator as { readonly userAgentData?: UserAgentData }).userAgentData;
}

/** `Chromium/140`. Includes the fake brand that keeps servers from parsing too strictly. */
export function brandTexts(brands: readonly Brand[]): readonly string[] {
  return brands.map(({ brand, version }) => `${brand}/${version}`);
}
