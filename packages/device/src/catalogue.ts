import type { SignalReader } from './signal.ts';
import { audio } from './signals/audio.ts';
import { automationGlobals } from './signals/automation-globals.ts';
import { canvas } from './signals/canvas.ts';
import { clientHints } from './signals/client-hints.ts';
import { clientHintsDetail } from './signals/client-hints-detail.ts';
import { codecs } from './signals/codecs.ts';
import { colorDepth } from './signals/color-depth.ts';
import { colorGamut } from './signals/color-gamut.ts';
import { colorScheme } from './signals/color-scheme.ts';
import { connection } from './signals/connection.ts';
import { contrast } from './signals/contrast.ts';
import { cpuNan } from './signals/cpu-nan.ts';
import { cssFeatures } from './signals/css-features.ts';
import { deviceMemoryGib } from './signals/device-memory.ts';
import { dynamicRange } from './signals/dynamic-range.ts';
import { embedding } from './signals/embedding.ts';
import { engine } from './signals/engine.ts';
import { features } from './signals/features.ts';
import { fonts } from './signals/fonts.ts';
import { forcedColors } from './signals/forced-colors.ts';
import { frameMismatch } from './signals/frame-mismatch.ts';
import { hardwareConcurrency } from './signals/hardware-concurrency.ts';
import { headlessTraits } from './signals/headless-traits.ts';
import { keyboardLayout } from './signals/keyboard-layout.ts';
import { languages } from './signals/languages.ts';
import { locale } from './signals/locale.ts';
import { maths } from './signals/maths.ts';
import { mediaDevices } from './signals/media-devices.ts';
import { orientation } from './signals/orientation.ts';
import { ownProperties } from './signals/own-properties.ts';
import { patchedFunctions } from './signals/patched-functions.ts';
import { permissions } from './signals/permissions.ts';
import { pixelRatio } from './signals/pixel-ratio.ts';
import { platform } from './signals/platform.ts';
import { plugins } from './signals/plugins.ts';
import { pointers } from './signals/pointers.ts';
import { privacySignals } from './signals/privacy-signals.ts';
import { prototypeFaults } from './signals/prototype-faults.ts';
import { reducedMotion } from './signals/reduced-motion.ts';
import { screenSize } from './signals/screen.ts';
import { screenExtended } from './signals/screen-extended.ts';
import { storage } from './signals/storage.ts';
import { storageQuotaMib } from './signals/storage-quota.ts';
import { systemColors } from './signals/system-colors.ts';
import { textMetrics } from './signals/text-metrics.ts';
import { timerResolutionUs } from './signals/timer-resolution.ts';
import { timezone } from './signals/timezone.ts';
import { timezoneOffsetMin } from './signals/timezone-offset.ts';
import { touch } from './signals/touch.ts';
import { userAgent } from './signals/user-agent.ts';
import { vendor } from './signals/vendor.ts';
import { viewport } from './signals/viewport.ts';
import { visibility } from './signals/visibility.ts';
import { webdriver } from './signals/webdriver.ts';
import { webgl } from './signals/webgl.ts';
import { webglLimits } from './signals/webgl-limits.ts';
import { workerMismatch } from './signals/worker-mismatch.ts';

/** Which signals are read by default: those that a decision needs, or all. Each can be switched on or off. */
export type Profile = 'essential' | 'full';

/** Read in the order of their names here. */
const essential = {
  workerMismatch,
  screen: screenSize,
  viewport,
  pixelRatio,
  colorDepth,
  orientation,
  timezone,
  timezoneOffsetMin,
  locale,
  languages,
  userAgent,
  platform,
  vendor,
  clientHints,
  hardwareConcurrency,
  touch,
  pointers,
  storage,
  embedding,
  visibility,
  webdriver,
  automationGlobals,
  headlessTraits,
  ownProperties,
  prototypeFaults,
  frameMismatch,
  patchedFunctions,
} as const satisfies Readonly<Record<string, SignalReader>>;

/**
 * Signals of `full` that the browser answers later. They are started first, so that the browser works on them while the
 * others are read.
 */
const answeredLater = {
  audio,
  clientHintsDetail,
  mediaDevices,
  permissions,
  storageQuotaMib,
  keyboardLayout,
  canvas,
  fonts,
} as const satisfies Readonly<Record<string, SignalReader>>;

/** Signals of `full` that the browser answers immediately. */
const answeredAtOnce = {
  screenExtended,
  colorGamut,
  dynamicRange,
  reducedMotion,
  contrast,
  colorScheme,
  forcedColors,
  deviceMemoryGib,
  cpuNan,
  textMetrics,
  systemColors,
  maths,
  codecs,
  plugins,
  connection,
  privacySignals,
  features,
  cssFeatures,
  engine,
  timerResolutionUs,
  webgl,
  webglLimits,
} as const satisfies Readonly<Record<string, SignalReader>>;

export type SignalName = keyof typeof essential | keyof typeof answeredLater | keyof typeof answeredAtOnce;

/** A switch for each signal: `false` removes it from its profile, `true` adds it. */
export type SignalSwitches = Readonly<Partial<Record<SignalName, boolean>>>;

/** Every signal by its name, with the smallest profile that includes it. */
export const profiles: Readonly<Record<Profile, Readonly<Record<string, SignalReader>>>> = {
  essential,
  full: { ...answeredLater, ...essential, ...answeredAtOnce },
};

/** The names of switches without a signal: misspelt, or of a newer SDK. */
export function unknownSignals(switches: SignalSwitches = {}): readonly string[] {
  return Object.keys(switches).filter((name) => !(name in profiles.full));
}

/** The readers of a profile, after applying the switches. */
export function readersOf(
  profile: Profile,
  switches: SignalSwitches = {},
): readonly (readonly [name: string, read: SignalReader])[] {
  const chosen = profiles[profile];
  return Object.entries(profiles.full).filter(([name]) => switches[name as SignalName] ?? name in chosen);
}
