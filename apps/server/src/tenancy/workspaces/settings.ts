import { hash } from 'node:crypto';
import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { type AllowedRange, webhookUrlProblem } from '@ringfence/delivery';
import type { ChannelSettings, EngineSettings } from '@ringfence/engine';
import { check, type Mistake } from '../../platform/shapes/check.ts';
import { channelsShape, settingsShape } from './settings-shape.ts';
import type { Channel, Environment, WorkspaceSettings } from './workspace.ts';

/** The settings and channels of a workspace. */
export interface WorkspaceDefinition {
  readonly settings: WorkspaceSettings;
  readonly channels: readonly Channel[];
}

/** Session limits of a channel that is not configured. */
const defaultIdleMinutes = 30;
const defaultAbsoluteHours = 12;
/** The engine's own default: settings that have it stay out of the log, whose digests then stay equal. */
const defaultHeldAgainHours = 24;

export type SettingsResult =
  | { readonly ok: true; readonly definition: WorkspaceDefinition }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/** The rules that decide which webhook addresses are allowed. */
export interface WebhookRules {
  readonly name: string;
  readonly environment: Environment;
  /** The operator's ranges of private addresses. */
  readonly allow: readonly AllowedRange[];
}

/**
 * Validates settings and channels from outside and fills in defaults. Mistakes have paths relative to
 * `{settings, channels}`.
 */
export function parseDefinition(
  rules: WebhookRules,
  value: { readonly settings: unknown; readonly channels: unknown },
): SettingsResult {
  const settings = check(settingsShape, value.settings);
  const channels = check(channelsShape, value.channels);
  if (!settings.ok || !channels.ok) {
    return { ok: false, mistakes: [...within('settings', settings), ...within('channels', channels)] };
  }
  const url = settings.value.webhook?.url;
  const problem = url === undefined ? undefined : webhookUrlProblem(url, rules);
  if (problem === undefined) return { ok: true, definition: { settings: settings.value, channels: channels.value } };
  const path = ['settings', 'webhook', 'url'];
  const message = `webhook.url cannot be used: ${problem}`;
  return { ok: false, mistakes: [{ path, onKey: false, message, expected: 'an address that actions may be sent to' }] };
}

function within(member: string, checked: { ok: true } | { ok: false; mistakes: readonly Mistake[] }): Mistake[] {
  if (checked.ok) return [];
  return checked.mistakes.map((mistake) => ({ ...mistake, path: [member, ...mistake.path] }));
}

/** The settings that affect decisions: the content of a `settings` record. */
export function engineSettings(definition: WorkspaceDefinition): EngineSettings {
  const { settings } = definition;
  const channels = definition.channels.toSorted((a, b) => a.id - b.id);
  const heldAgainHours = settings.holds?.heldAgainHours ?? defaultHeldAgainHours;
  return {
    sessionGraceMs: settings.sessionGraceSeconds * secondMs,
    blockMs: settings.blockHours * hourMs,
    timezone: settings.timezone,
    deliver: settings.deliver,
    sessionDefaults: {
      idleMs: defaultIdleMinutes * minuteMs,
      absoluteMs: defaultAbsoluteHours * hourMs,
      sessions: 'required',
    },
    channels: Object.fromEntries(channels.map((channel) => [String(channel.id), channelSettings(channel)])),
    ...(heldAgainHours === defaultHeldAgainHours ? {} : { heldAgainMs: heldAgainHours * hourMs }),
  };
}

function channelSettings(channel: Channel): ChannelSettings {
  return {
    idleMs: channel.idleMinutes * minuteMs,
    absoluteMs: channel.absoluteHours * hourMs,
    sessions: channel.sessions,
    ...(channel.device === 'none' ? { device: 'none' } : {}),
  };
}

/** The payload of a `settings` record: JSON without personal data. */
export function settingsPayload(settings: EngineSettings): Buffer {
  return Buffer.from(JSON.stringify(settings));
}

/** A digest by which settings that are already in the log are recognised. */
export function settingsDigest(settings: EngineSettings): Buffer {
  return hash('sha256', settingsPayload(settings), 'buffer');
}
