/** Fewer frauds teach a model what was chance. */
export const fraudsMin = 200;
/** As many legitimate rows at least. */
export const legitimateMin = 200;

/** What is missing. */
export interface TooFewRows {
  readonly of: 'fraud' | 'legitimate';
  readonly found: number;
  readonly needed: number;
  readonly detail: string;
}

/** Why these labels do not suffice; undefined if they do. */
export function tooFewRows(labels: Uint8Array): TooFewRows | undefined {
  const frauds = labels.reduce((sum, label) => sum + label, 0);
  const legitimate = labels.length - frauds;
  if (frauds < fraudsMin) {
    return {
      of: 'fraud',
      found: frauds,
      needed: fraudsMin,
      detail: lack(frauds, fraudsMin, 'known frauds') + moreFrauds,
    };
  }
  if (legitimate >= legitimateMin) return undefined;
  const detail = lack(legitimate, legitimateMin, 'legitimate') + moreLegitimate;
  return { of: 'legitimate', found: legitimate, needed: legitimateMin, detail };
}

const moreFrauds = 'Take a longer history, label more of it, or import the labels of another system.';
const moreLegitimate = 'Take a longer history, or keep a larger share of the legitimate rows.';

function lack(found: number, needed: number, what: string): string {
  return `${found} rows are ${what}; ${needed} are needed, so ${needed - found} are missing. `;
}
