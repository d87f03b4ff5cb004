import { profiles } from '../src/catalogue.ts';

const iat = 1_795_300_236;
const id = 'HjPs_PKRSV2w0PlA3i1hlg';

/** The signals of a browser at a login. */
const whole = {
  format: 1,
  nonce: 'H0MZeHSxqiDp76F8TEYFwA',
  iat,
  origin: 'https://bank.example',
  sdk: 'ringfence-web/0.1.0',
  channelId: 2,
  profile: 'full',
  device: { id, createdAt: 1_780_000_000, found: ['indexedDB', 'localStorage'] },
  signals: {
    clientHintsDetail: {
      architecture: 'arm',
      bitness: '64',
      model: '',
      platformVersion: '15.6.0',
      brands: ['Not:A-Brand/8.0.0.0', 'Chromium/156.0.8078.79'],
    },
    audio: '1UYB-w0O09zqj0w_H9zyww',
    canvas: '_b64Eg-no_pBt6nHJsV94g',
    permissions: { geolocation: 'prompt', notifications: 'granted', camera: 'prompt' },
    storageQuotaMib: 10_240,
    screen: { width: 1_728, height: 1_117, availableWidth: 1_728, availableHeight: 1_079 },
    pixelRatio: 2,
    timezone: 'America/Mexico_City',
    timezoneOffsetMin: 360,
    languages: ['es-MX', 'es', 'en'],
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
    platform: 'MacIntel',
    clientHints: { brands: ['Not:A-Brand/8', 'Chromium/156'], mobile: false, platform: 'macOS' },
    hardwareConcurrency: 10,
    touch: { points: 0, events: false },
    embedding: [],
    visibility: { visible: true, focused: true },
    webdriver: false,
    patchedFunctions: ['window.fetch'],
    maths: [-0.12041008028522009, 0.7645873720864403, 2.7182816941320818],
    engine: { functionLength: 39, message: 'toFixed() digits argument must be between 0 and 100' },
    webgl: { vendor: 'Google Inc. (Apple)', renderer: 'ANGLE (Apple, ANGLE Metal Renderer: Apple M4 – «Pro» 🙂)' },
  },
  absent: { workerMismatch: 'unsupported', mediaDevices: 'timeout', keyboardLayout: 'blocked', fonts: 'failed' },
  tookMs: 61,
};

const off = {
  ...whole,
  nonce: 'AAECAwQFBgcICQoLDA0ODw',
  profile: 'essential',
  device: { absent: 'off' },
  signals: { timezone: 'UTC', webdriver: true },
  absent: {},
};

/** The contents of the vectors, which together cover everything that the schema allows. */
export const contents = {
  whole,
  off,
  absent: {
    ...off,
    device: { absent: 'blocked' },
    signals: {},
    absent: Object.fromEntries(Object.keys(profiles.full).map((name) => [name, 'blocked'])),
  },
  app: {
    ...off,
    origin: 'android:com.example.bank',
    sdk: 'ringfence-android/1.0.0',
    device: { id, createdAt: iat, found: [] },
    signals: { timezone: 'America/Lima', languages: ['es-PE'], screen: whole.signals.screen, rooted: false },
  },
  unknown: {
    ...off,
    release: { channel: 'beta' },
    signals: { ...off.signals, gravity: [0, 0, 9.81], battery: null },
    absent: { gyroscope: 'blocked' },
  },
} as const;
