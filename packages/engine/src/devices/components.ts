/**
 * The traits by which a device without an id is recognised. Ingest hashes each to one number. Traits of one family
 * change together (another graphics driver changes several), so a family's evidence is capped as a whole.
 *
 * `kept` is the percentage of logins at which the same device shows the same value as at the login before; `shared` is
 * the percentage of devices that show the same value. Both are initial assumptions, replaced by the workspace's own
 * numbers.
 */
export interface Component {
  readonly name: string;
  readonly family: number;
  readonly kept: number;
  readonly shared: number;
}

const families = {
  graphics: [
    ['webgl', 98, 8],
    ['webglLimits', 97, 12],
    ['canvas', 90, 5],
    ['cpuNan', 99, 60],
  ],
  screen: [
    ['screen', 96, 12],
    ['pixelRatio', 94, 35],
    ['colorDepth', 99, 90],
    ['colorGamut', 98, 60],
    ['dynamicRange', 98, 75],
  ],
  machine: [
    ['hardwareConcurrency', 99, 30],
    ['deviceMemoryGib', 99, 50],
    ['touch', 99, 50],
    ['model', 99, 20],
    ['platform', 99, 50],
    ['os', 99, 50],
  ],
  fonts: [
    ['fonts', 94, 15],
    ['textMetrics', 92, 10],
    ['systemColors', 93, 25],
  ],
  browser: [
    ['browser', 97, 50],
    ['userAgent', 70, 10],
    ['vendor', 99, 70],
    ['codecs', 96, 50],
    ['plugins', 97, 60],
    ['audio', 92, 20],
    ['maths', 97, 40],
    ['features', 80, 25],
    ['cssFeatures', 80, 25],
  ],
  place: [
    ['timezone', 97, 60],
    ['languages', 97, 30],
    ['locale', 98, 50],
    ['keyboardLayout', 98, 50],
  ],
  taste: [
    ['colorScheme', 90, 60],
    ['contrast', 99, 95],
    ['reducedMotion', 99, 90],
    ['forcedColors', 99, 97],
    ['privacySignals', 98, 85],
    ['storage', 95, 85],
  ],
} as const;

/** In storage order: snapshots depend on it, so new components go last. */
export const components: readonly Component[] = Object.values(families).flatMap((members, family) =>
  members.map(([name, kept, shared]) => ({ name, family, kept: kept / 100, shared: shared / 100 })),
);

export const familyCount = Object.keys(families).length;

const places: ReadonlyMap<string, number> = new Map(components.map(({ name }, place) => [name, place]));

/** The hash of each component; 0 for one that the login did not send. */
export type Traits = readonly number[];

/** Parses `name:hash` pairs in base 36, separated by spaces, as ingest writes them. Ignores unknown names. */
export function readTraits(text: string): Traits | undefined {
  const traits = components.map(() => 0);
  let count = 0;
  for (const part of text.split(' ')) {
    const colon = part.indexOf(':');
    const place = places.get(part.slice(0, colon));
    const hash = Number.parseInt(part.slice(colon + 1), 36);
    if (place === undefined || !(hash > 0 && hash <= 0xffff_ffff)) continue;
    traits[place] = hash;
    count++;
  }
  return count === 0 ? undefined : traits;
}
