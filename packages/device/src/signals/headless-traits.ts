import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';
import { userAgentData } from '../user-agent-data.ts';

const isChromium = (): boolean => userAgentData() !== undefined || 'chrome' in window;
const isMobile = (): boolean => navigator.maxTouchPoints > 0;

/** Each is true of browsers without a person, and of few others. */
const traits = {
  /** The browser reports it. */
  name: () => /headless/i.test(navigator.userAgent + navigator.appVersion),
  brand: () => userAgentData()?.brands.some(({ brand }) => /headless/i.test(brand)) === true,
  /** A window has a border, or at least a size. */
  noWindow: () => outerWidth === 0 || outerHeight === 0,
  /** The default sizes of headless browsers. */
  defaultScreen: () => (screen.width === 800 || screen.width === 1_280) && [600, 720].includes(screen.height),
  noLanguages: () => navigator.languages.length === 0,
  /** Chromium on a desktop has a built-in PDF viewer. */
  noPlugins: () => isChromium() && !isMobile() && navigator.plugins.length === 0,
  noChrome: () => /Chrome\//.test(navigator.userAgent) && !('chrome' in window),
  noPointer: () => !matchMedia('(any-pointer: fine), (any-pointer: coarse)').matches,
  /** The estimate of a browser that never loaded anything over a network. */
  noRoundTrip: () => (navigator as { readonly connection?: { readonly rtt?: number } }).connection?.rtt === 0,
} as const;

export const about: About = {
  what: `Traits of browsers without a person: those of ${Object.keys(traits).join(', ')} that are true.`,
  purpose: 'One alone proves little; several together hardly fit a person.',
  stability: 'visit',
  schema: { type: 'array', items: { type: 'string', enum: Object.keys(traits) }, maxItems: 9 },
  source: 'https://chromium.googlesource.com/chromium/src/+/HEAD/headless/README.md',
};

export function headlessTraits(): Signal<readonly string[]> {
  return { value: Object.entries(traits).flatMap(([name, holds]) => (holds() ? [name] : [])) };
}
