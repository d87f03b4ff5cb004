import { subnetOf } from '@ringfence/contract';
import type { FactValue } from '@ringfence/policy';
import { components } from '../devices/components.ts';
import { type Recognition, traitsOf } from '../devices/recognise.ts';
import type { LoginSurprise } from '../habits/login-surprise.ts';
import { isFamiliar } from '../network/familiar-places.ts';
import { carriedDevice } from '../sessions/carried-device.ts';
import { carriedReader } from './carried-facts.ts';
import type { EventContext } from './event-context.ts';
import type { LoginView } from './login-view.ts';
import type { FactReader } from './wire-facts.ts';

/*
 * Facts that a login shows about its device and its place. Operations have most of them from the last login of their
 * session (`carriedPaths`); what is known about the device may have changed since, and is read again.
 */

function ofDevice(read: (recognition: Recognition, context: EventContext) => FactValue): FactReader {
  return (context) => {
    const device = context.login?.device;
    return device === undefined ? undefined : read(device.recognition, context);
  };
}

function ofPlace(read: (login: LoginView, context: EventContext) => FactValue): FactReader {
  return (context) => (context.login === undefined ? undefined : read(context.login, context));
}

/** Whether the client has never logged in from this place before; `undefined` if the place has no name. */
function isUnfamiliar(
  name: 'address' | 'network' | 'country',
  among: 'addresses' | 'networks' | 'countries',
): FactReader {
  return ofPlace(({ place }, { client }) => {
    const at = place[name];
    return at === undefined ? undefined : client === undefined || !isFamiliar(client.places[among], at);
  });
}

/**
 * The id of the device. A new device gets the id that it proved, unless another device of the client already has it;
 * without a proved id it gets a generated one.
 */
export function deviceIdOf({ login, arrival }: EventContext): string | undefined {
  const device = login?.device;
  if (device === undefined) return undefined;
  const { recognition, claim } = device;
  if (recognition.known !== undefined) return recognition.known.id;
  if (claim.proved === undefined) return `@${arrival.record.offset.toString(36)}`;
  return recognition.isKeyOther ? `${claim.proved.id}~${claim.proved.key.slice(0, 8)}` : claim.proved.id;
}

/** The id of the device that an event comes from; except for a login, that of the last login of its session. */
export function deviceOf(context: EventContext): string | undefined {
  return context.event.kind === 'login' ? deviceIdOf(context) : carriedDevice(context.session.after);
}

/** Names of the components that differ from the last login of the device. */
function changedOf({ known }: Recognition, { login }: EventContext): FactValue {
  const before = known?.traits;
  const now = traitsOf(login?.device?.claim.shown, known);
  if (now === undefined || before === undefined || now === before) return undefined;
  const changed = components.filter((_, at) => now[at] !== 0 && before[at] !== 0 && now[at] !== before[at]);
  return changed.length === 0 ? undefined : changed.map(({ name }) => name).join(',');
}

function sinceMs({ nowMs }: EventContext, atMs: number | undefined): FactValue {
  return atMs === undefined ? undefined : Math.max(0, nowMs - atMs);
}

const carriedFirstSeenAt = carriedReader('device.firstSeenAt');

/** When the device was first seen with its client; now, if it is new. */
function firstSeenAt(context: EventContext): number | undefined {
  if (context.event.kind !== 'login') return carriedFirstSeenAt(context) as number | undefined;
  const device = context.login?.device;
  return device === undefined ? undefined : (device.recognition.known?.firstSeenMs ?? context.nowMs);
}

/** For an operation, the device as it is known now: a step-up may have been executed since the login. */
function isTrusted(context: EventContext): FactValue {
  if (context.event.kind === 'login') {
    const device = context.login?.device;
    return device === undefined
      ? undefined
      : device.recognition.match === 'exact' && device.recognition.known?.trustedAtMs !== undefined;
  }
  const id = carriedDevice(context.session.after);
  if (id === undefined) return undefined;
  return context.client?.devices.find((device) => device.id === id)?.trustedAtMs !== undefined;
}

const carriedSubnetChanged = carriedReader('session.subnetChanged');

function subnetFact({ event }: EventContext): FactValue {
  return event.kind === 'operation' || event.publicIp === undefined ? undefined : subnetOf(event.publicIp);
}

/** Whether this login or logout, or a login before it, came from another subnet than the one that opened the session. */
function subnetChanged(context: EventContext): FactValue {
  const opened = context.session.after?.ip;
  if (opened === undefined) return undefined;
  const [from, to] = [subnetOf(opened), subnetFact(context)];
  return carriedSubnetChanged(context) === true || (from !== undefined && to !== undefined && from !== to);
}

function ofSurprise(part: keyof LoginSurprise): FactReader {
  return ({ login }) => login?.surprise?.[part];
}

/** How surprising a login is; read by few policies, and only learned for these. */
export const surpriseFacts: Readonly<Record<string, FactReader>> = {
  'client.loginSurprise': ofSurprise('total'),
  'client.loginSurprisePlace': ofSurprise('place'),
  'client.loginSurpriseSoftware': ofSurprise('software'),
  'client.loginSurpriseHour': ofSurprise('hour'),
};

/** What the engine knows at a login, by path. */
export const loginFacts: Readonly<Record<string, FactReader>> = {
  'device.id': deviceIdOf,
  'device.match': ofDevice(({ match }) => match),
  'device.score': ofDevice(({ score }) => score),
  'device.isNew': ofDevice(({ match }) => match === 'new'),
  'device.logins': ofDevice(({ known }) => (known?.logins ?? 0) + 1),
  'device.lastSeen': ofDevice(({ known }, context) => sinceMs(context, known?.lastSeenMs)),
  'device.changed': ofDevice(changedOf),
  'device.keyChanged': ofDevice(({ isKeyOther }) => isKeyOther),
  'device.browserBehind': ({ login }) => login?.browserBehind,
  'ip.isNew': isUnfamiliar('address', 'addresses'),
  'ip.networkIsNew': isUnfamiliar('network', 'networks'),
  'ip.countryIsNew': isUnfamiliar('country', 'countries'),
  'ip.subnet': subnetFact,
  'session.subnetChanged': subnetChanged,
  ...surpriseFacts,
  'travel.km': ofPlace(({ travel }) => travel?.km),
  'travel.hours': ofPlace(({ travel }) => travel?.hours),
  'travel.kmh': ofPlace(({ travel }) => travel?.kmh),
  'travel.impossible': ofPlace(({ travel }) => travel?.isImpossible),
};

/** Facts about the device of a login that are also readable after it. */
export const knownDeviceFacts: Readonly<Record<string, FactReader>> = {
  'device.firstSeenAt': firstSeenAt,
  'device.knownFor': (context) => sinceMs(context, firstSeenAt(context)),
  'device.trusted': isTrusted,
};
