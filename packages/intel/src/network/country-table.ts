import { countryRows } from './country-table.generated.ts';

/** Data about a country. */
export interface Country {
  /** ISO 3166-1, two letters. */
  readonly code: string;
  /** `AF`, `AS`, `EU`, `NA`, `OC`, `SA`, `AN`. */
  readonly continent: string;
  /** Its middle, in degrees. */
  readonly latitude: number;
  readonly longitude: number;
  /** How far its land extends from there, in km. */
  readonly radiusKm: number;
  /** Its official languages and those that at least a tenth of its people speak; ISO 639. */
  readonly languages: readonly string[];
  /** IANA names. */
  readonly zones: readonly string[];
}

const listOf = (text: string): readonly string[] => (text === '' ? [] : text.split(','));

const countries: ReadonlyMap<string, Country> = new Map(
  countryRows
    .trim()
    .split('\n')
    .map((row): [string, Country] => {
      const [code, continent, latitude, longitude, radiusKm, languages, zones] = row.split('|') as [
        ...[string, string, string, string],
        ...[string, string, string],
      ];
      return [
        code,
        {
          code,
          continent,
          latitude: Number(latitude),
          longitude: Number(longitude),
          radiusKm: Number(radiusKm),
          languages: listOf(languages),
          zones: listOf(zones),
        },
      ];
    }),
);

/** `undefined` for an unknown code. */
export function countryOf(code: string): Country | undefined {
  return countries.get(code);
}
