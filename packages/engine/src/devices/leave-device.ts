import type { ClientEntity } from '../clients/client-entity.ts';
import type { EventContext } from '../facts/event-context.ts';
import { deviceIdOf } from '../facts/login-facts.ts';
import { LoginHabits } from '../habits/login-habits.ts';
import type { Learned } from '../facts/login-view.ts';
import { withPlace } from '../network/familiar-places.ts';
import { traitsOf } from './recognise.ts';
import { withDevice } from './known-device.ts';

/** Adds a login to what is known of its client's devices and places, and to what the workspace has learned. */
export function leaveDevice(
  { traits, browsers, everybody }: Learned,
  context: EventContext,
  client: ClientEntity,
): void {
  const { login, nowMs } = context;
  if (login === undefined) return;
  client.places = withPlace(client.places, login.place);
  const { device, browser, shown: habit } = login;
  if (habit !== undefined) {
    (client.habits ??= new LoginHabits()).note(habit);
    everybody.note(habit);
  }
  if (browser !== undefined) browsers.note(browser.name, browser.version, { subject: client.subject, nowMs });
  if (device === undefined) return;
  const { claim, recognition } = device;
  const { known, match } = recognition;
  const shown = traitsOf(claim.shown, known);
  if (shown !== undefined) {
    if (match === 'new') traits.noteDevice(shown);
    if (match === 'exact' && known?.traits !== undefined) traits.noteAgain(known.traits, shown);
  }
  const proved = claim.proved ?? { id: known?.provedId ?? '', key: known?.key ?? '' };
  const after = {
    id: known?.id ?? deviceIdOf(context)!,
    provedId: proved.id,
    key: proved.key,
    firstSeenMs: known?.firstSeenMs ?? nowMs,
    lastSeenMs: nowMs,
    logins: (known?.logins ?? 0) + 1,
    // A device that is only similar to a trusted one has to prove itself again.
    trustedAtMs: match === 'exact' ? known?.trustedAtMs : undefined,
    shownHash: shown === undefined ? (known?.shownHash ?? 0) : claim.shown!.hash,
    traits: shown ?? known?.traits,
  };
  client.devices = withDevice(client.devices, after, known);
}
