import { about as audio } from '../signals/audio.ts';
import { about as automationGlobals } from '../signals/automation-globals.ts';
import { about as canvas } from '../signals/canvas.ts';
import { about as clientHints } from '../signals/client-hints.ts';
import { about as clientHintsDetail } from '../signals/client-hints-detail.ts';
import { about as codecs } from '../signals/codecs.ts';
import { about as colorDepth } from '../signals/color-depth.ts';
import { about as colorGamut } from '../signals/color-gamut.ts';
import { about as colorScheme } from '../signals/color-scheme.ts';
import { about as connection } from '../signals/connection.ts';
import { about as contrast } from '../signals/contrast.ts';
import { about as cpuNan } from '../signals/cpu-nan.ts';
import { about as cssFeatures } from '../signals/css-features.ts';
import { about as deviceMemoryGib } from '../signals/device-memory.ts';
import { about as dynamicRange } from '../signals/dynamic-range.ts';
import { about as embedding } from '../signals/embedding.ts';
import { about as engine } from '../signals/engine.ts';
import { about as features } from '../signals/features.ts';
import { about as fonts } from '../signals/fonts.ts';
import { about as forcedColors } from '../signals/forced-colors.ts';
import { about as frameMismatch } from '../signals/frame-mismatch.ts';
import { about as hardwareConcurrency } from '../signals/hardware-concurrency.ts';
import { about as headlessTraits } from '../signals/headless-traits.ts';
import { about as keyboardLayout } from '../signals/keyboard-layout.ts';
import { about as languages } from '../signals/languages.ts';
import { about as locale } from '../signals/locale.ts';
import { about as maths } from '../signals/maths.ts';
import { about as mediaDevices } from '../signals/media-devices.ts';
import { about as orientation } from '../signals/orientation.ts';
import { about as ownProperties } from '../signals/own-properties.ts';
import { about as patchedFunctions } from '../signals/patched-functions.ts';
import { about as permissions } from '../signals/permissions.ts';
import { about as pixelRatio } from '../signals/pixel-ratio.ts';
import { about as platform } from '../signals/platform.ts';
import { about as plugins } from '../signals/plugins.ts';
import { about as pointers } from '../signals/pointers.ts';
import { about as privacySignals } from '../signals/privacy-signals.ts';
import { about as prototypeFaults } from '../signals/prototype-faults.ts';
import { about as reducedMotion } from '../signals/reduced-motion.ts';
import { about as screen } from '../signals/screen.ts';
import { about as screenExtended } from '../signals/screen-extended.ts';
import { about as storage } from '../signals/storage.ts';
import { about as storageQuotaMib } from '../signals/storage-quota.ts';
import { about as systemColors } from '../signals/system-colors.ts';
import { about as textMetrics } from '../signals/text-metrics.ts';
import { about as timerResolutionUs } from '../signals/timer-resolution.ts';
import { about as timezone } from '../signals/timezone.ts';
import { about as timezoneOffsetMin } from '../signals/timezone-offset.ts';
import { about as touch } from '../signals/touch.ts';
import { about as userAgent } from '../signals/user-agent.ts';
import { about as vendor } from '../signals/vendor.ts';
import { about as viewport } from '../signals/viewport.ts';
import { about as visibility } from '../signals/visibility.ts';
import { about as webdriver } from '../signals/webdriver.ts';
import { about as webgl } from '../signals/webgl.ts';
import { about as webglLimits } from '../signals/webgl-limits.ts';
import { about as workerMismatch } from '../signals/worker-mismatch.ts';
import type { SignalName } from '../catalogue.ts';
import type { About } from './about.ts';

/** The descriptions of all signals. A signal without a description does not compile. */
export const abouts: Readonly<Record<SignalName, About>> = {
  workerMismatch,
  screen,
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
  audio,
  clientHintsDetail,
  mediaDevices,
  permissions,
  storageQuotaMib,
  keyboardLayout,
  canvas,
  fonts,
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
};
