import { dayMs, secondMs } from '@ringfence/contract';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { randomId } from '../../platform/secrets/random-id.ts';
import { openCookie, sealCookie } from '../../platform/secrets/sealed-cookie.ts';
import { cookieOf } from './session-cookie.ts';

/**
 * Proves that a browser has logged in to an account before. It grants nothing: its wrong attempts are only counted apart
 * from those of strangers. Source: OWASP, Slow Down Online Guessing Attacks with Device Cookies.
 */
export interface KnownDevice {
  /** Random, new with every log-in. */
  readonly id: string;
  /** Of the account, as log-ins name it. */
  readonly email: string;
  readonly untilMs: number;
}

const name = '__Host-ringfence-device';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const context = 'device cookie';
/** Longer than a holiday; a browser that is used renews it with every log-in. */
const deviceMsMax = 180 * dayMs;
const idLength = 16;

/** The cookie for a browser that has just logged in. */
export function deviceCookie(master: MasterKeys, email: string, nowMs: number): string {
  const device: KnownDevice = { id: `dev_${randomId(idLength)}`, email, untilMs: nowMs + deviceMsMax };
  return `${name}=${sealCookie(master, context, device)}; ${attributes}; Max-Age=${deviceMsMax / secondMs}`;
}

/** Reads the device's part of a Cookie header. */
export function deviceOf(cookies: string | undefined): string | undefined {
  return cookieOf(cookies, name);
}

/** `undefined` for a cookie that this service did not write, or an old one. */
export function openDevice(master: MasterKeys, text: string, nowMs: number): KnownDevice | undefined {
  const device = openCookie(master, context, text) as KnownDevice | undefined;
  return device !== undefined && device.untilMs > nowMs ? device : undefined;
}
