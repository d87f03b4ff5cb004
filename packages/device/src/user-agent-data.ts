/** Client hints as scripts see them. Chromium only, hence not among TypeScript's own types. */
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

/** `Chromium/140`. The brand that is made up to keep servers from parsing too closely is among them. */
export function brandTexts(brands: readonly Brand[]): readonly string[] {
  return brands.map(({ brand, version }) => `${brand}/${version}`);
}
