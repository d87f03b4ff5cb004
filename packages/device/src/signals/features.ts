import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

/** Interfaces that came to the engines at different times, or never to some. */
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
  purpose: 'Tells engines and their versions apart, whatever the user agent says.',
  stability: 'browser',
  schema: { type: 'string', pattern: `^[01]{${names.length}}$` },
  source: 'https://wpt.fyi/',
};

export function features(): Signal<string> {
  return { value: names.map((name) => (name in window ? '1' : '0')).join('') };
}
