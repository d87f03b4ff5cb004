import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

/** Interfaces that the engines introduced at different times, or never. */
const names = [
  'Bluetooth',
  'BarcodeDetector',
  'ContactsManager',
  'DocumentPictureInPicture',
  'EyeDropper',
  'FedCM',
  'HID',
  'IdleDetector',
  'LaunchQueue',
  'ManagedMediaSource',
  'NavigateEvent',
  'OffscreenCanvas',
  'PaymentRequest',
  'PublicKeyCredential',
  'ReportingObserver',
  'RTCPeerConnection',
  'Sanitizer',
  'Scheduler',
  'SharedWorker',
  'SpeechRecognition',
  'TrustedTypePolicyFactory',
  'USB',
  'ViewTransition',
  'VirtualKeyboard',
  'WebTransport',
  'XRSystem',
  'ApplePaySession',
  'InstallTrigger',
] as const;

export const about: About = {
  what: `Which interfaces the browser has, 1 or 0 each, in this order: ${names.join(', ')}.`,
  purpose: 'Distinguishes engines and their versions independently of the user agent.',
  stability: 'browser',
  schema: { type: 'string', pattern: `^[01]{${names.length}}$` },
  source: 'https://wpt.fyi/',
};

export function features(): Signal<string> {
  return { value: names.map((name) => (name in window ? '1' : '0')).join('') };
}
