import {
  canonicalText,
  clientOf,
  type Enrichment,
  type EpochMs,
  errorsMax,
  type Event,
  type EventKind,
  type EventParse,
  type BodyWarning,
  parseEvent,
  parseJson,
  printEventRecord,
  Problem,
  type TimeZone,
  timeZone,
} from '@ringfence/contract';
import { type Appended, type LogEntry, LogUnavailableError, StaleGenerationError } from '@ringfence/log';
import { entityIndex } from '../console/event-index/entities.ts';
import { orUnavailable, unavailable } from './or-unavailable.ts';
import { isPlausible } from '../console/event-index/event-warnings.ts';
import { eventId } from '../records/event-id.ts';
import { eventPlace } from '../records/event-opener.ts';
import { blindIndex } from '../platform/secrets/blind-index.ts';
import { seal } from '../platform/secrets/seal.ts';
import type { SubjectKey } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { IngestCell, IngestDeps } from './ingest-deps.ts';
import { enrichmentOf } from '../records/enrichment.ts';
import { bytewiseIdempotency, idempotencyOf } from './idempotency.ts';
import { deviceFacts, type TokenSetting } from '@ringfence/intel';

export interface Intake {
  readonly workspace: Workspace;
  /** What its database's requests are answered from. */
  readonly cell: IngestCell;
  readonly kind: EventKind;
  readonly body: Uint8Array;
  readonly idempotencyKey: string | readonly string[] | undefined;
}

export interface Accepted {
  /** Id of the event; for a retry with the same `Idempotency-Key`, the id of the first event. */
  readonly id: string;
  readonly isReplay: boolean;
  readonly warnings: readonly BodyWarning[];
}

/**
 * Appends succeed again right after an erasure. Four stale generations within one request mean that something is wrong.
 */
const sealingsMax = 4;
interface UnsealedRecord {
  readonly event: Event;
  readonly plaintext: Buffer;
  readonly idempotency: LogEntry['idempotency'];
}

type Of = Pick<Intake, 'workspace' | 'cell'>;

type RightEvent = Extract<EventParse, { ok: true }>;

/** Processes one event on ingest: parses, enriches, seals and appends it. */
export class EventIntake {
  readonly #deps: IngestDeps;
  /** By name. There are about six hundred time zones. */
  readonly #zones = new Map<string, TimeZone>();

  constructor(deps: IngestDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves once the event survives a crash.
   *
   * @throws Problem for an invalid body, an idempotency key reused with another body, or an unavailable log;
   *   PartitionClosedError when the workspace has moved
   */
  async take(intake: Intake): Promise<Accepted> {
    const { workspace } = intake;
    const { parsed, canonicalBody } = this.#parse(intake);
    const indexKey = workspace.secrets.index;
    const idempotency = idempotencyOf(intake.idempotencyKey, { indexKey, kind: intake.kind, canonicalBody });
    const nowMs = this.#deps.now();
    const happenedMs = happenedAt(parsed.statedAtMs, nowMs);
    const device = tokenFacts(parsed.event, workspace, { nowMs, happenedMs });
    const networks = this.#deps.networks.current;
    const looked = enrichmentOf(parsed.event, parsed.statedAtMs, { networks, device, nowMs: happenedMs });
    const enrichment = withIngestMembers(looked, parsed, workspace);
    const plaintext = Buffer.from(printEventRecord(parsed.bodyText, enrichment));
    const record = { event: parsed.event, plaintext, idempotency };
    let appended = await this.#append(intake, record);
    if (appended.kind === 'conflict' && idempotency !== undefined) {
      const bytewise = bytewiseIdempotency(idempotency, { indexKey, body: intake.body });
      appended = await this.#append(intake, { ...record, idempotency: bytewise });
    }
    if (appended.kind === 'conflict') {
      throw new Problem('key.reused', 'This Idempotency-Key was used with another body in the last 24 hours.');
    }
    const { retryOf, epoch, offset } = appended;
    const warnings = withArrival(parsed, {
      loggedAtMs: appended.logTimeMs,
      configured: workspace.channels.has(parsed.event.channelId),
    });
    if (retryOf === undefined) return { id: eventId({ epoch, offset }, workspace), isReplay: false, warnings };
    const first = { epoch: await epochOf(intake, retryOf, epoch), offset: retryOf };
    return { id: eventId(first, workspace), isReplay: true, warnings };
  }

  #parse({ workspace, kind, body, idempotencyKey }: Intake): {
    readonly parsed: RightEvent;
    readonly canonicalBody: string;
  } {
    const json = parseJson(body);
    if (!json.ok) throw new Problem('json.malformed', json.error.detail, { errors: [json.error] });
    // Before `parseEvent` replaces anything.
    const canonicalBody = idempotencyKey === undefined ? '' : canonicalText(json.value);
    const { index } = workspace.secrets;
    const parsed = parseEvent(kind, json, {
      cards: workspace.settings.cards,
      zone: this.#zone(workspace.settings.timezone),
      hashCard: (hash) => blindIndex(index, hash, 'card').toString('hex'),
    });
    if (parsed.ok) return { parsed, canonicalBody };
    throw new Problem('event.invalid', countInWords(parsed.errors.length), { errors: parsed.errors });
  }

  /** Seals under the client's key and appends. Seals again if a client was erased in between. */
  async #append({ workspace, cell }: Of, record: UnsealedRecord): Promise<Appended> {
    const { log, subjects } = cell;
    const client = clientOf(record.event);
    for (let sealing = 1; ; sealing++) {
      const generation = subjects.generation(workspace.id);
      const found = client === undefined ? undefined : subjects.ofClient(workspace, client);
      const key = found instanceof Promise ? await orUnavailable(found) : found;
      const entry = attached(sealedEntry(workspace, key, record), key);
      const sinceMs = performance.now();
      try {
        const appended = await log.append(workspace.id, entry, generation);
        this.#deps.metrics.appended(performance.now() - sinceMs);
        return appended;
      } catch (error) {
        if (error instanceof LogUnavailableError) throw unavailable(error);
        if (!(error instanceof StaleGenerationError) || sealing === sealingsMax) throw error;
      }
      await orUnavailable(subjects.refresh(workspace.id));
    }
  }

  #zone(name: string): TimeZone {
    let zone = this.#zones.get(name);
    if (zone === undefined) {
      zone = timeZone(name) ?? timeZone('UTC')!;
      this.#zones.set(name, zone);
    }
    return zone;
  }
}

/** The first event of a key may belong to an earlier epoch of the log than its retry. */
async function epochOf({ workspace, cell }: Of, offset: number, otherwise: number): Promise<number> {
  const [record] = await orUnavailable(cell.log.read(workspace.id, offset, 1));
  return record?.offset === offset ? record.epoch : otherwise;
}

/** The member of `transaction.details` by which a developer asks for an action. */
const sandboxDetail = 'ringfence.test';

const implausible: BodyWarning = {
  code: 'timestamp.implausible',
  detail: 'the time of the event is more than 24 hours old or more than 5 minutes ahead; the time of arrival was used',
};
const unknownChannel: BodyWarning = {
  code: 'channel.unknown',
  detail: 'channelId is not a channel that this workspace configures; the default settings of channels were used',
};

/** Adds the warnings that depend on when and where the event arrived. */
function withArrival(
  { warnings, statedAtMs }: RightEvent,
  arrival: { readonly loggedAtMs: number; readonly configured: boolean },
): readonly BodyWarning[] {
  const isStale = statedAtMs !== undefined && !isPlausible(statedAtMs, arrival.loggedAtMs);
  if (arrival.configured && !isStale) return warnings;
  return [...warnings, ...(isStale ? [implausible] : []), ...(arrival.configured ? [] : [unknownChannel])];
}

/** Adds what only ingest knows: the reference before it was masked, and what a developer asks for. */
function withIngestMembers(
  enrichment: Enrichment,
  { event, maskedReference }: RightEvent,
  { environment, secrets }: Workspace,
): Enrichment {
  const sandbox =
    environment === 'development' && event.kind === 'operation'
      ? event.transaction?.details?.[sandboxDetail]
      : undefined;
  if (maskedReference === undefined && sandbox === undefined) return enrichment;
  const index = maskedReference && entityIndex(secrets.index, 'reference', maskedReference).toString('base64url');
  return {
    ...enrichment,
    ...(index === undefined ? {} : { referenceIndex: index }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

function countInWords(count: number): string {
  if (count === 1) return 'One member is wrong.';
  return count < errorsMax
    ? `${count} members are wrong.`
    : `At least ${errorsMax} members are wrong; ${errorsMax} of them are listed.`;
}

function sealedEntry(workspace: Workspace, key: SubjectKey | undefined, record: UnsealedRecord): LogEntry {
  const { plaintext, idempotency } = record;
  const { kind } = record.event;
  const subject = key?.subject;
  const payload = seal(key?.key ?? workspace.secrets.data, plaintext, eventPlace(workspace.id, { kind, subject }));
  // No spread of conditional members: this is the hot path, and it would cost a microsecond.
  if (subject === undefined) return idempotency === undefined ? { kind, payload } : { kind, payload, idempotency };
  return idempotency === undefined ? { kind, subject, payload } : { kind, subject, payload, idempotency };
}

/** With the row of a young client, where the log asks for it. */
function attached(entry: LogEntry, key: SubjectKey | undefined): LogEntry {
  const row = key?.attached;
  return row === undefined || row.untilMs <= Date.now() ? entry : { ...entry, attachment: row.bytes };
}

/** The time of the event as the engine takes it. */
function happenedAt(statedAtMs: EpochMs | undefined, nowMs: number): number {
  return statedAtMs !== undefined && isPlausible(statedAtMs, nowMs) ? Math.min(statedAtMs, nowMs) : nowMs;
}

/** Facts from the device token of a login. `undefined` if logins of the channel carry no token. */
export function tokenFacts(
  event: Event,
  workspace: Workspace,
  at: Pick<TokenSetting, 'nowMs' | 'happenedMs'>,
): Enrichment['facts'] | undefined {
  if (event.kind !== 'login') return undefined;
  const { channelId, data } = event;
  if (workspace.channels.get(channelId)?.device === 'none') return undefined;
  const { secrets, settings } = workspace;
  return deviceFacts(data, { keys: secrets.deviceKeys, origins: settings.deviceOrigins ?? [], channelId, ...at });
}
